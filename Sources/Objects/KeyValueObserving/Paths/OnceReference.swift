internal import Synchronization

/// A reference that is stored once, and read without a lock.
@safe struct OnceReference<Object: AnyObject>: ~Copyable {
  // The address of the retained object, or 0: a lazy reference looks its generic type up at each
  // load.
  private let address = Atomic<UInt>(0)

  /// Whether an object is stored.
  var isStored: Bool { address.load(ordering: .relaxed) != 0 }

  deinit {
    // SAFETY: `store` has retained the object, once.
    unsafe Self.object(address.load(ordering: .acquiring))?.release()
  }

  /// Stores an object.
  ///
  /// - Returns: Whether none was stored before.
  func store(_ object: Object) -> Bool {
    let new = unsafe Unmanaged.passRetained(object)
    let isFirst = address.compareExchange(
      expected: 0, desired: unsafe UInt(bitPattern: new.toOpaque()),
      ordering: .acquiringAndReleasing
    ).exchanged
    if !isFirst { unsafe new.release() }
    return isFirst
  }

  /// Calls a closure with the object, if one is stored.
  @inline(__always) @discardableResult
  func withObject<Result>(_ body: (Object) -> Result) -> Result? {
    // SAFETY: the object is released with this place, which the caller keeps alive.
    unsafe Self.object(address.load(ordering: .acquiring))?._withUnsafeGuaranteedRef(body)
  }

  @inline(__always)
  private static func object(_ address: UInt) -> Unmanaged<Object>? {
    unsafe UnsafeRawPointer(bitPattern: address).map { unsafe .fromOpaque($0) }
  }
}
