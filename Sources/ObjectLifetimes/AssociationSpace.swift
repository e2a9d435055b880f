internal import Synchronization

/// A family of keys whose values can be removed from an object together.
///
/// `removeAll(from:)` touches no values of other spaces, and none of keys without a space: a
/// library keeps its space to itself, and nobody else can remove its values.
public struct AssociationSpace: Hashable, Sendable, CustomStringConvertible {
  /// The name, for diagnostics; two spaces of one name are different.
  public let name: String

  let identity = AssociationIdentity.next()

  /// Makes a space, different from all others.
  ///
  /// - Parameter name: A name for diagnostics.
  public init(_ name: String = "") { self.name = name }

  /// Removes the values that the keys of this space have for an object:
  /// `objc_removeAssociatedObjects`, without the harm.
  ///
  /// - Parameter owner: The object.
  public func removeAll(from owner: AnyObject) {
    let boxes = RecordTable.withRecord(of: owner) { $0.takeBoxes(ofSpace: identity) }
    // Here, where no lock is held, the values go.
    withExtendedLifetime(boxes) {}
  }

  /// Whether two values are the same space.
  public static func == (first: Self, second: Self) -> Bool { first.identity == second.identity }

  /// Hashes what makes the space different from others.
  public func hash(into hasher: inout Hasher) { hasher.combine(identity) }

  /// The name and the number of the space.
  public var description: String {
    "AssociationSpace(\(name.isEmpty ? "" : "\(name), ")#\(identity))"
  }
}

/// Numbers of keys and spaces, none used twice; 0 is for none.
enum AssociationIdentity {
  private static let last = Atomic<UInt64>(0)

  static func next() -> UInt64 { last.add(1, ordering: .relaxed).newValue }
}
