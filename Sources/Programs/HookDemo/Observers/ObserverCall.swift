import BlockRuntime
import CommandOptionsAndResults

/// A call of an observer of `hook-demo observe`.
struct ObserverCall {
  let observer: String
  let kind: ChangeKind
  let isPrior: Bool
  let indexes: RangeSet<Int>?
  let old: String?
  let new: String?

  /// The kind of the change and its indexes, as text.
  var what: String {
    (isPrior ? "will: " : "") + "\(kind)" + (indexes.map { " at \($0.words)" } ?? "")
  }

  /// The call as a JSON document.
  var json: JSONValue {
    let places = indexes.map { indexes in
      JSONValue.array(
        indexes.ranges.map { .array([.integer($0.lowerBound), .integer($0.upperBound)]) })
    }
    return .object([
      ("observer", .string(observer)), ("kind", .string(kind.rawValue)), ("prior", .bool(isPrior)),
      ("indexes", places ?? .null), ("old", .optional(old)), ("new", .optional(new)),
    ])
  }
}

extension SceneLog<ObserverCall> {
  /// Notes a call.
  func note<Value>(_ observer: String, _ change: Change<Value>) {
    note(
      ObserverCall(
        observer: observer, kind: change.kind, isPrior: change.isPrior, indexes: change.indexes,
        old: change.old.map(Self.text), new: change.new.map(Self.text)))
  }

  /// A value as text, with the members of sets and dictionaries sorted.
  private static func text(_ value: some Any) -> String {
    switch value {
    case let set as Set<String>: "\(set.sorted())"
    case let entries as [String: Int]:
      "["
        + entries.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }
        .joined(separator: ", ") + "]"
    default: "\(value)"
    }
  }
}
