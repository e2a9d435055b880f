private import CMessageForwarding.Messages
internal import Invocations

/// An implementation that was replaced in a slot, and that calls in progress may use.
@safe
struct ReplacedImplementation: @unchecked Sendable {
  // SAFETY: `@unchecked Sendable`: immutable; the address of an implementation, which is Sendable,
  // with the reference that the slot had.
  private let address: UnsafeRawPointer

  init(_ address: UnsafeRawPointer) {
    // SAFETY: the slot added marks to the address of the object.
    unsafe self.address = unsafe UnsafeRawPointer(
      bitPattern: UInt(bitPattern: address) & ~CBR_METHOD_MARKS
    ).unsafelyUnwrapped
  }

  /// Releases the implementation when no call uses it any more; to be called once, under no lock.
  func release() {
    // SAFETY: this is the slot's reference, and is released once.
    unsafe HazardPointers.retire(
      Unmanaged<Implementation>.fromOpaque(address).takeRetainedValue(), address)
  }
}

/// Objects to release outside of locks, because they may hold the last reference to foreign code.
struct ReplacedMethods: Sendable {
  var implementations: [ReplacedImplementation] = []
  var dictionaries: [MethodDictionary] = []

  /// Implementations that no new call finds, and that calls in progress retain.
  var retained: [Implementation] = []

  /// Releases the objects; to be called once, under no lock.
  func release() {
    for implementation in implementations { implementation.release() }
  }
}
