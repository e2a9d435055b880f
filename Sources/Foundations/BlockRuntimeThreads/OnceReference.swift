public import Synchronization

/// A reference that is stored once, and read without a lock.
@safe public struct OnceReference<Object: AnyObject & Sendable>: ~Copyable, Sendable {
  // The address of the retained object, or 0. An `AtomicLazyReference` would look its generic type
  // up at each load.
  @usableFromInline let address: Atomic<UInt>

  /// Creates a place without an object.
  @inlinable
  public init() { address = Atomic(0) }

  /// Whether an object is stored.
  @inlinable public var isStored: Bool { address.load(ordering: .relaxed) != 0 }

  @inlinable
  deinit {
    // SAFETY: `store` has retained the object, once.
    unsafe Self.object(address.load(ordering: .acquiring))?.release()
  }

  /// Stores an object.
  ///
  /// - Parameter object: The object, which is retained if none was stored before.
  /// - Returns: Whether none was stored before.
  @inlinable
  public func store(_ object: Object) -> Bool {
    let new = unsafe Unmanaged.passRetained(object)
    let isFirst = address.compareExchange(
      expected: 0, desired: unsafe UInt(bitPattern: new.toOpaque()),
      ordering: .acquiringAndReleasing
    ).exchanged
    if !isFirst { unsafe new.release() }
    return isFirst
  }

  /// Calls a closure with the object, if one is stored.
  ///
  /// - Parameter body: Receives the object.
  /// - Returns: The closure's result; nil without a call.
  @inlinable @inline(__always) @discardableResult
  public func withObject<Result>(_ body: (Object) -> Result) -> Result? {
    // SAFETY: the object is released with this place, which the caller keeps alive.
    unsafe Self.object(address.load(ordering: .acquiring))?._withUnsafeGuaranteedRef(body)
  }

  @inlinable @inline(__always)
  static func object(_ address: UInt) -> Unmanaged<Object>? {
    unsafe UnsafeRawPointer(bitPattern: address).map { unsafe .fromOpaque($0) }
  }
}
