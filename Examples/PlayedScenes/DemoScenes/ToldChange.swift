package import BlockRuntime

/// A change as an observer was told of it, with its values as text.
package struct ToldChange: Sendable {
  package let kind: ChangeKind

  /// Whether the change was still to come.
  package let isPrior: Bool

  /// The places in a collection; nil if the value is not one.
  package let indexes: RangeSet<Int>?

  package let old: String?
  package let new: String?

  /// The kind of the change and its places.
  package let summary: String

  init<Value>(_ change: Change<Value>) {
    (kind, isPrior, indexes) = (change.kind, change.isPrior, change.indexes)
    (old, new) = (change.old.map(Self.text), change.new.map(Self.text))
    summary =
      (change.isPrior ? "will: " : "") + "\(change.kind)"
      + (change.indexText.map { " at \($0)" } ?? "")
  }

  /// A value as text, with the members of sets and dictionaries sorted.
  private static func text(_ value: some Any) -> String {
    switch value {
    case let set as Set<String>: return "\(set.sorted())"
    case let entries as [String: Int]:
      let members = entries.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }
      return "[\(members.joined(separator: ", "))]"
    default: return "\(value)"
    }
  }
}
