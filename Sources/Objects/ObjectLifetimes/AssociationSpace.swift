private import BlockRuntimeThreads
internal import Synchronization

/// A family of keys whose values can be removed from an object together.
///
/// `removeAll(from:)` removes no values of other spaces, and none of keys without a space: a
/// library that does not publish its space is the only one that can remove its values.
public struct AssociationSpace: Hashable, Sendable, CustomStringConvertible {
  /// The name, for diagnostics; two spaces with the same name are different.
  public let name: String

  let identity = AssociationIdentity.next()

  /// Creates a space that differs from all others.
  ///
  /// - Parameter name: A name for diagnostics.
  public init(_ name: String = "") { self.name = name }

  /// Removes the values of this space's keys from an object: `objc_removeAssociatedObjects`, but
  /// without removing the values of other libraries.
  ///
  /// - Parameter owner: The object.
  public func removeAll(from owner: AnyObject) {
    let values = RecordTable.withRecord(of: owner) { $0.takeValues(ofSpace: identity) }
    // The values are released here, where no lock is held.
    withExtendedLifetime(values) {}
  }

  /// Whether two values are the same space.
  public static func == (first: Self, second: Self) -> Bool { first.identity == second.identity }

  /// Hashes the number that identifies the space.
  public func hash(into hasher: inout Hasher) { hasher.combine(identity) }

  /// The name and the number of the space.
  public var description: String {
    "AssociationSpace(\(name.isEmpty ? "" : "\(name), ")#\(identity))"
  }
}

/// Numbers that identify keys and spaces; 0 stands for no space.
enum AssociationIdentity {
  private static let last = Atomic<UInt64>(0)

  /// A number that was not used before.
  static func next() -> UInt64 { last.add(1, ordering: .relaxed).newValue }

  private struct Name: Hashable {
    let name: String
    let type: ObjectIdentifier
    let space: UInt64
  }

  private static let named = Locked<[Name: UInt64]>([:])

  /// The number of a name for values of a type in a space: the same each time.
  static func of(_ name: String, _ type: Any.Type, in space: UInt64) -> UInt64 {
    let key = Name(name: name, type: ObjectIdentifier(type), space: space)
    return named.withLock { named in
      if let known = named[key] { return known }
      let new = next()
      named[key] = new
      return new
    }
  }
}
