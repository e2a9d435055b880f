/// What happened to an observed value.
///
/// The corresponding type of Foundation is `NSKeyValueObservedChange`, with these differences: the
/// values of an optional property are not doubly optional, and there is no `NSNull`.
public struct Change<Value> {
  /// What was done: `NSKeyValueChangeKindKey`.
  public var kind: ChangeKind

  /// The value before the change, if asked for; of a removal or replacement what was removed.
  ///
  /// Nil also where an optional property was nil.
  public var old: Value?

  /// The value after the change, if asked for; of an insertion or replacement what was inserted.
  ///
  /// Nil also where an optional property is nil.
  public var new: Value?

  /// The places of an array's insertion, removal or replacement: `NSKeyValueChangeIndexesKey`.
  ///
  /// Of a removal those before the change, otherwise those after it.
  @inlinable
  public var indexes: RangeSet<Int>? {
    get { places?.indexes }
    set { places = newValue.map { ChangePlaces($0) } }
  }

  // By reference: the size of a `RangeSet` is known at run time only, which a change of each set
  // would pay for.
  @usableFromInline var places: ChangePlaces?

  /// Whether the change is still to come: `NSKeyValueChangeNotificationIsPriorKey`.
  public var isPrior: Bool

  /// Makes a change, for tests of observers.
  @inlinable
  public init(
    kind: ChangeKind = .setting, old: Value? = nil, new: Value? = nil,
    indexes: RangeSet<Int>? = nil, isPrior: Bool = false
  ) {
    self.kind = kind
    self.old = old
    self.new = new
    places = indexes.map { ChangePlaces($0) }
    self.isPrior = isPrior
  }

  /// Makes a change of an outline.
  @inlinable
  init(_ outline: ChangeOutline, old: Value?, new: Value?, isPrior: Bool = false) {
    kind = outline.kind
    self.old = old
    self.new = new
    places = outline.places
    self.isPrior = isPrior
  }

  /// Makes what most observers get.
  @inlinable
  init(setting new: Value) {
    kind = .setting
    old = nil
    self.new = new
    places = nil
    isPrior = false
  }

  /// The change with its values converted.
  ///
  /// - Parameter transform: Converts a value; nil where there is none.
  /// - Returns: The converted change.
  @inlinable
  public func compactMap<Other>(_ transform: (Value) -> Other?) -> Change<Other> {
    Change<Other>(
      kind: kind, old: old.flatMap(transform), new: new.flatMap(transform), indexes: indexes,
      isPrior: isPrior)
  }

  /// The change with those values that an observer asks for.
  @inlinable
  func demanded(by options: ObservingOptions) -> Change {
    var change = self
    if !options.contains(.old) { change.old = nil }
    if !options.contains(.new) { change.new = nil }
    return change
  }
}

extension Change: Sendable where Value: Sendable {}
extension Change: Equatable where Value: Equatable {}
extension Change: Hashable where Value: Hashable {}

extension Change: CustomStringConvertible {
  /// The kind, the indexes and the values.
  public var description: String {
    var parts = [isPrior ? "will: \(kind)" : "\(kind)"]
    if let indexes {
      parts.append("at " + indexes.ranges.map(Self.describe).joined(separator: ", "))
    }
    if let old { parts.append("old \(old)") }
    if let new { parts.append("new \(new)") }
    return parts.joined(separator: " ")
  }

  private static func describe(_ range: Range<Int>) -> String {
    range.count == 1 ? "\(range.lowerBound)" : "\(range.lowerBound)..<\(range.upperBound)"
  }
}

/// The indexes of a change.
@usableFromInline
final class ChangePlaces: Sendable, Hashable {
  @usableFromInline let indexes: RangeSet<Int>

  @usableFromInline
  init(_ indexes: RangeSet<Int>) { self.indexes = indexes }

  @usableFromInline
  static func == (first: ChangePlaces, second: ChangePlaces) -> Bool {
    first.indexes == second.indexes
  }

  @usableFromInline
  func hash(into hasher: inout Hasher) { hasher.combine(indexes) }
}

/// The kinds of change: `NSKeyValueChange`.
public enum ChangeKind: String, Sendable, Hashable, CaseIterable, CustomStringConvertible {
  /// The value was set, or something on the way to it.
  case setting
  /// Members were inserted into a collection.
  case insertion
  /// Members were removed from a collection.
  case removal
  /// Members of a collection were replaced.
  case replacement

  /// The name.
  public var description: String { rawValue }
}
