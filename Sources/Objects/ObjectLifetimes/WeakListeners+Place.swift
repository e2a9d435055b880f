public import Synchronization

extension WeakListeners {
  /// The place of an object in a list.
  @safe
  @usableFromInline
  final class Place: ListMember {
    // SAFETY: the memory has room for a listener. It is written once, with the bits of a value
    // whose only reference is to the object, without retaining the object. Moving a value out of it
    // leaves the bits there, and is done only with a reference to the object, which becomes the
    // value's. (A weak reference to a value of a protocol cannot be declared, and a cast of
    // `object` to the protocol costs a search.)
    @usableFromInline let bits: UnsafeMutablePointer<Listener>
    @usableFromInline weak let object: AnyObject?
    @usableFromInline let left = Atomic(false)
    @usableFromInline let identity: WeakIdentity
    @usableFromInline let priority: Int

    init(_ listener: Listener, _ priority: Int) {
      let object = listener as AnyObject
      self.object = object
      self.priority = priority
      identity = WeakReference(object).identity
      unsafe bits = .allocate(capacity: 1)
      unsafe withUnsafeBytes(of: listener) { value in
        unsafe UnsafeMutableRawBufferPointer(start: bits, count: value.count).copyMemory(
          from: value)
      }
    }

    deinit { unsafe bits.deallocate() }

    /// The listener; nil once it has died.
    @inlinable var listener: Listener? {
      guard let object else { return nil }
      // The reference becomes that of the value: an object with weak references is slow to retain.
      _ = unsafe Unmanaged.passRetained(object)
      return unsafe bits.move()
    }

    var isDead: Bool { object == nil }

    @inlinable var hasLeft: Bool { left.load(ordering: .acquiring) }

    @usableFromInline func leave() { left.store(true, ordering: .releasing) }
  }
}
