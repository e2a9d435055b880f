private import Synchronization

/// A reference that does not keep its object alive, and that can be compared and hashed even when
/// the object has been destroyed.
///
/// ```swift
/// let owner = WeakReference(controller)
/// source.onEvent { owner.withObject { $0.refresh() } }  // only while it lives
/// ```
public struct WeakReference<Object: AnyObject> {
  /// The object; nil once it has been destroyed.
  public weak let object: Object?

  /// The identity of the object, which no other object has, even one at the same address later.
  public let identity: WeakIdentity

  /// Creates a weak reference to an object.
  ///
  /// If the object's last reference has been released already, only the identity is stored.
  ///
  /// - Parameter object: The object.
  public init(_ object: Object) {
    self.object = object
    identity = WeakIdentity(of: object)
  }

  /// Calls a closure with the object, and retains it meanwhile, unless it has been destroyed.
  ///
  /// - Parameter body: The closure.
  /// - Returns: What the closure returns; nil if it was not called.
  /// - Throws: What the closure throws.
  @discardableResult
  public func withObject<Result, Failure: Error>(
    _ body: (Object) throws(Failure) -> Result
  ) throws(Failure) -> Result? {
    guard let object else { return nil }
    return try body(object)
  }
}

extension WeakReference: Sendable where Object: Sendable {}

extension WeakReference: Hashable {
  /// Whether two references are to the same object, alive or destroyed.
  public static func == (first: Self, second: Self) -> Bool { first.identity == second.identity }

  /// Hashes the object's identity.
  public func hash(into hasher: inout Hasher) { hasher.combine(identity) }
}

/// The identity of an object, which no other object has while a `WeakReference` to it exists.
///
/// An address is not an identity: it is reused once an object has been freed. But all weak
/// references to an object share a side-table entry, which the runtime frees only with the last of
/// them.
public struct WeakIdentity: Hashable, Sendable {
  private let entry: UInt
  private let address: UInt

  fileprivate init(of object: AnyObject) {
    address = UInt(bitPattern: ObjectIdentifier(object))
    var reference = Reference(object: object)
    // SAFETY: a weak variable is one word, the address of the side-table entry; it is only read.
    let entry = unsafe withUnsafeBytes(of: &reference) { unsafe $0.load(as: UInt.self) }
    // A dying object has no entry: use a number, which is odd, since addresses of entries are even.
    self.entry = entry != 0 ? entry : Self.deadCount.add(2, ordering: .relaxed).newValue
  }

  private static let deadCount = Atomic<UInt>(1)

  private struct Reference {
    weak var object: AnyObject?
  }
}
