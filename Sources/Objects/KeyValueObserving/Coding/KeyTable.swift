private import BlockRuntimeSuggestions
internal import BlockRuntimeThreads

/// The keys of a class: names for its properties.
///
/// ```swift
/// class Person: KeyValueCoding {
///   @Observed var name = ""
///   @Observed var address: Address?
///   class var keys: KeyTable { ["name": \Person.name, "address": \Person.address] }
/// }
/// ```
///
/// A key may name any key path that begins at the class: an observable or other stored property, a
/// computed property, a property of a superclass. It can be set if the key path is writable.
public struct KeyTable: ExpressibleByDictionaryLiteral, Sendable {
  // SAFETY: key paths are immutable. By contract, the arguments that they capture are thread-safe:
  // usually there are none, or literals.
  private nonisolated(unsafe) var keyPaths: [String: AnyKeyPath]

  /// Creates a table of keys with their key paths; of several entries for one key, the last counts.
  public init(dictionaryLiteral elements: (String, AnyKeyPath)...) {
    unsafe keyPaths = [:]
    for (key, keyPath) in elements { unsafe keyPaths[key] = keyPath }
  }

  /// The keys in alphabetical order.
  public var names: [String] { unsafe keyPaths.keys.sorted() }

  /// The key path of a key, if it is listed.
  public subscript(key: String) -> AnyKeyPath? { unsafe keyPaths[key] }

  /// The key of a property.
  ///
  /// - Parameter keyPath: The property, as the class lists it.
  /// - Returns: The key, the first in alphabetical order if there are several; nil if the class
  ///   does not list the property.
  public static func name<Root: KeyValueCoding>(of keyPath: PartialKeyPath<Root>) -> String? {
    let table = table(of: Root.self)
    return table.names.first { table[$0] == keyPath }
  }

  /// The keys of two tables; for keys that both have, the second table's entries count.
  public static func + (first: Self, second: Self) -> Self {
    var all = first
    unsafe all.keyPaths.merge(second.keyPaths) { $1 }
    return all
  }
}

extension KeyTable {
  // The tables of classes, stored for ever, with the arguments of their key paths.
  private static let tables = Locked<[ObjectIdentifier: KeyTable]>([:])

  /// The keys of a class; read from the class once.
  static func table(of type: any KeyValueCoding.Type) -> KeyTable {
    tables.value(for: ObjectIdentifier(type)) { type.keys }
  }

  /// The hint for a key that is not listed: the keys that are, and the most similar one.
  func hint(for key: String) -> String {
    let names = names
    guard !names.isEmpty else { return "it lists no keys" }
    var hint = "its keys are " + names.prefix(30).map { "\"\($0)\"" }.joined(separator: ", ")
    if names.count > 30 { hint += " and \(names.count - 30) more" }
    if let nearest = Suggestion.nearest(to: key, in: names) {
      hint += "; did you mean \"\(nearest)\"?"
    }
    return hint
  }
}
