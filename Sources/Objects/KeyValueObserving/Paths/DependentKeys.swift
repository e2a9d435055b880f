internal import BlockRuntimeThreads

/// The declared dependencies of a class's properties: `keyPathsForValuesAffectingValue(forKey:)`.
///
/// Properties that are computed from observed ones need no entry: they depend on what their getters
/// read. An entry is for dependencies that getters do not show. A property that is observed through
/// another object (`\.bank.balance`) must call `willRead(_:)` in its getter, because key paths
/// cannot be decomposed.
///
/// ```swift
/// class Account: KeyValueObservable {
///   let journal = Journal()
///   var balance: Int { Bank.balance() }  // reads nothing that is observable
///   class var dependentKeys: DependentKeys { [\Account.balance: [\Account.journal.count]] }
/// }
/// ```
public struct DependentKeys: ExpressibleByDictionaryLiteral, Sendable {
  // SAFETY: key paths are immutable. By contract, the arguments that they capture are thread-safe:
  // usually there are none, or literals.
  private nonisolated(unsafe) var dependencies: [AnyKeyPath: [AnyKeyPath]]

  /// Creates a list of properties with the key paths that they depend on; several entries for one
  /// property are combined.
  public init(dictionaryLiteral elements: (AnyKeyPath, [AnyKeyPath])...) {
    unsafe dependencies = [:]
    for (key, others) in elements { unsafe dependencies[key, default: []] += others }
  }

  /// Creates the list of a class's properties, whose key paths then need not name the class.
  ///
  /// - Parameters:
  ///   - root: The class.
  ///   - dependencies: The properties with the key paths that they depend on:
  ///     `DependentKeys(of: Playlist.self, [\.shout: [\.first, \.last]])`.
  public init<Root: AnyObject>(
    of root: Root.Type, _ dependencies: KeyValuePairs<PartialKeyPath<Root>, [PartialKeyPath<Root>]>
  ) {
    unsafe self.dependencies = [:]
    for (key, others) in dependencies { unsafe self.dependencies[key, default: []] += others }
  }

  /// The direct dependencies of a property.
  public subscript(key: AnyKeyPath) -> [AnyKeyPath] { unsafe dependencies[key] ?? [] }

  // The entries of classes, stored for ever, with the arguments of their key paths.
  private static let known = Locked<[ObjectIdentifier: DependentKeys]>([:])

  /// The entries of a class; read from the class once.
  static func all(of type: any KeyValueObservable.Type) -> DependentKeys {
    known.value(for: ObjectIdentifier(type)) { type.dependentKeys }
  }

  /// The entries of two lists, such as those of a superclass and of its subclass.
  public static func + (first: Self, second: Self) -> Self {
    var all = first
    unsafe all.dependencies.merge(second.dependencies) { $0 + $1 }
    return all
  }
}
