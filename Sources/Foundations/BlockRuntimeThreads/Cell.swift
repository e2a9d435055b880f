#if compiler(<6.3)
/// Memory for one value, which can be changed though its owner is only borrowed.
///
/// Since Swift 6.3 the module Synchronization has such a type, whose memory is inside of its owner.
@safe
@usableFromInline
struct _Cell<Value: ~Copyable>: ~Copyable {
  // SAFETY: the memory belongs to this value, and is initialised while it lives. The owner's lock
  // keeps accesses apart.
  @usableFromInline let _address: UnsafeMutablePointer<Value>

  @inlinable
  init(_ value: consuming Value) {
    unsafe _address = .allocate(capacity: 1)
    unsafe _address.initialize(to: value)
  }

  @inlinable
  deinit {
    unsafe _address.deinitialize(count: 1)
    unsafe _address.deallocate()
  }
}
#endif
