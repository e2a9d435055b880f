internal import BlockRuntimeThreads

/// Which properties of a class depend on which others: `keyPathsForValuesAffectingValue(forKey:)`.
///
/// Properties that are computed from observed ones need no entry: what their getters read is what
/// they depend on. An entry is for what getters do not show. A property that others reach through a
/// link (`\.bank.balance`) calls `willRead(_:)` in its getter, for key paths cannot be taken apart.
///
/// ```swift
/// class Account: KeyValueObservable {
///   let journal = Journal()
///   var balance: Int { Bank.balance() }  // reads nothing that is observable
///   class var dependentKeys: DependentKeys { [\Account.balance: [\Account.journal.count]] }
/// }
/// ```
public struct DependentKeys: ExpressibleByDictionaryLiteral, Sendable {
  // Key paths are immutable; what they capture here are literals.
  private nonisolated(unsafe) var dependencies: [AnyKeyPath: [AnyKeyPath]]

  /// Lists properties, each with the key paths that it depends on; several entries of one add up.
  public init(dictionaryLiteral elements: (AnyKeyPath, [AnyKeyPath])...) {
    unsafe dependencies = [:]
    for (key, others) in elements { unsafe dependencies[key, default: []] += others }
  }

  /// What a property depends on, by itself, not through others.
  public subscript(key: AnyKeyPath) -> [AnyKeyPath] { unsafe dependencies[key] ?? [] }

  // Kept for ever, arguments of key paths too: of each class what it declares.
  private static let known = Locked<[ObjectIdentifier: DependentKeys]>([:])

  /// The entries of a class, which is asked once.
  static func all(of type: any KeyValueObservable.Type) -> DependentKeys {
    if let known = known.withLock({ $0[ObjectIdentifier(type)] }) { return known }
    let keys = type.dependentKeys
    _ = known.withLock { $0.updateValue(keys, forKey: ObjectIdentifier(type)) }
    return keys
  }

  /// The entries of a class and of its superclass.
  public static func + (first: Self, second: Self) -> Self {
    var all = first
    unsafe all.dependencies.merge(second.dependencies) { $0 + $1 }
    return all
  }
}
