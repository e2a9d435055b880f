private import Synchronization

/// A reference that does not keep its object alive, and that still tells objects apart when they
/// are dead.
///
/// ```swift
/// let owner = WeakReference(controller)
/// source.onEvent { owner.withObject { $0.refresh() } }  // only while it lives
/// ```
public struct WeakReference<Object: AnyObject> {
  /// The object; nil once it has died.
  public weak let object: Object?

  /// What tells the object apart from others, also from those that later lie at its address.
  public let identity: WeakIdentity

  /// Refers to an object weakly.
  ///
  /// Of an object whose last reference is gone only the identity is kept.
  ///
  /// - Parameter object: The object.
  public init(_ object: Object) {
    self.object = object
    identity = WeakIdentity(of: object)
  }

  /// Calls a closure with the object, which is kept alive meanwhile, if it has not died.
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
  /// Whether two references are to the same object, dead or alive.
  public static func == (first: Self, second: Self) -> Bool { first.identity == second.identity }

  /// Hashes the object's identity.
  public func hash(into hasher: inout Hasher) { hasher.combine(identity) }
}

/// What tells an object apart from others as long as some weak reference to it exists.
///
/// An address alone does not: it is used again as soon as an object is dead. But the runtime keeps
/// the table entry that an object's weak references share until the last of them is gone.
public struct WeakIdentity: Hashable, Sendable {
  private let entry: UInt
  private let address: UInt

  fileprivate init(of object: AnyObject) {
    address = UInt(bitPattern: ObjectIdentifier(object))
    var reference = Reference(object: object)
    // SAFETY: a weak variable is one word, the address of the entry; only the word is read.
    let entry = unsafe withUnsafeBytes(of: &reference) { unsafe $0.load(as: UInt.self) }
    // A dying object has no entry: then a number tells the references apart. Entries are even.
    self.entry = entry != 0 ? entry : Self.deadCount.add(2, ordering: .relaxed).newValue
  }

  private static let deadCount = Atomic<UInt>(1)

  private struct Reference {
    weak var object: AnyObject?
  }
}
