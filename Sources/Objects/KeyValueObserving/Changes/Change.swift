/// A change of an observed value.
///
/// The corresponding type of Foundation is `NSKeyValueObservedChange`, with these differences: the
/// values of an optional property are not doubly optional, and there is no `NSNull`.
public struct Change<Value> {
  /// The kind of the change: `NSKeyValueChangeKindKey`.
  public var kind: ChangeKind

  /// The value before the change, if asked for; for a removal or replacement, the removed members.
  ///
  /// It is also nil if an optional property was nil.
  public var old: Value?

  /// The value after the change, if asked for; for an insertion or replacement, the new members.
  ///
  /// It is also nil if an optional property is nil.
  public var new: Value?

  /// The indexes of an array's insertion, removal or replacement: `NSKeyValueChangeIndexesKey`.
  ///
  /// For a removal, they are indexes of the array before the change, otherwise after it.
  @inlinable
  public var indexes: RangeSet<Int>? {
    get { details?.indexes }
    set { details = ChangeDetails.of(newValue, details?.pair, details?.origin) }
  }

  /// The code that made the change, if asked for by the option `origin`.
  ///
  /// It is nil in a call with the value at the beginning, or for the changes that a suspended
  /// observer has missed. A call for several changes, as at the end of a transaction, has the last
  /// change's.
  public var origin: ChangeOrigin? { details?.origin }

  // A reference, because most changes have no details, and the size of a `RangeSet` is known only
  // at run time: stored inline, they would make every change slower.
  @usableFromInline var details: ChangeDetails?

  /// Whether this is a prior call, before the change: `NSKeyValueChangeNotificationIsPriorKey`.
  public var isPrior: Bool

  /// Creates a change, for tests of observers.
  @inlinable
  public init(
    kind: ChangeKind = .setting, old: Value? = nil, new: Value? = nil,
    indexes: RangeSet<Int>? = nil, isPrior: Bool = false
  ) {
    self.kind = kind
    self.old = old
    self.new = new
    details = indexes.map { ChangeDetails($0) }
    self.isPrior = isPrior
  }

  /// Creates a change from an outline.
  @inlinable
  init(_ outline: ChangeOutline, old: Value?, new: Value?, isPrior: Bool = false) {
    kind = outline.kind
    self.old = old
    self.new = new
    details = outline.details
    self.isPrior = isPrior
  }

  /// Creates a setting with a new value only, as most observers receive.
  @inlinable
  init(setting new: Value) {
    kind = .setting
    old = nil
    self.new = new
    details = nil
    isPrior = false
  }

  /// Converts the values of the change.
  ///
  /// - Parameter transform: Converts a value; a nil result removes the value.
  /// - Returns: The converted change.
  @inlinable
  public func compactMap<Other>(_ transform: (Value) -> Other?) -> Change<Other> {
    Change<Other>(
      ChangeOutline(kind, details), old: old.flatMap(transform), new: new.flatMap(transform),
      isPrior: isPrior)
  }

  /// Adds the pair of calls, before and after the change, and the code that makes the change.
  @usableFromInline
  mutating func add(_ pair: ChangePair?, _ origin: ChangeOrigin?) {
    details = ChangeDetails.of(indexes, pair, origin)
  }

  /// The change with only what an observer asks for.
  @inlinable
  func demanded(by options: ObservingOptions) -> Change {
    var change = self
    if details?.origin != nil, !options.contains(.origin) { change.add(details?.pair, nil) }
    if !options.contains(.old) { change.old = nil }
    if !options.contains(.new) { change.new = nil }
    return change
  }
}

extension Change: Sendable where Value: Sendable {}

extension Change: Equatable where Value: Equatable {
  /// Whether two changes have equal kinds, values and indexes, and are both prior calls or not;
  /// their origins are not compared.
  @inlinable
  public static func == (first: Change, second: Change) -> Bool {
    first.kind == second.kind && first.isPrior == second.isPrior && first.old == second.old
      && first.new == second.new && first.indexes == second.indexes
  }
}

extension Change: Hashable where Value: Hashable {
  /// Hashes what `==` compares.
  ///
  /// - Parameter hasher: The hasher.
  @inlinable
  public func hash(into hasher: inout Hasher) {
    hasher.combine(kind)
    hasher.combine(isPrior)
    hasher.combine(old)
    hasher.combine(new)
    hasher.combine(indexes)
  }
}

extension Change: CustomStringConvertible {
  /// The kind, the indexes and the values.
  public var description: String {
    var parts = [isPrior ? "will: \(kind)" : "\(kind)"]
    if let indexes {
      parts.append("at \(indexes.words)")
    }
    if let old { parts.append("old \(old)") }
    if let new { parts.append("new \(new)") }
    return parts.joined(separator: " ")
  }

  /// The indexes as text, such as `0, 3..<5`; nil if there are none.
  ///
  /// A `RangeSet` itself is printed as `[Range(0..<1), Range(3..<5)]`.
  public var indexText: String? { indexes?.words }
}

extension RangeSet<Int> {
  /// The ranges as text, those of one index as that index.
  package var words: String {
    ranges.map { $0.count == 1 ? "\($0.lowerBound)" : "\($0)" }.joined(separator: ", ")
  }
}

/// The properties that only some changes have.
@usableFromInline
final class ChangeDetails: Sendable {
  // An optional `RangeSet` would take hundreds of instructions more.
  private let places: RangeSet<Int>
  private let hasIndexes: Bool

  /// The pair of calls, before and after the change, if there are calls before it.
  @usableFromInline let pair: ChangePair?

  @usableFromInline let origin: ChangeOrigin?

  /// The indexes of a change of an array's members.
  @usableFromInline var indexes: RangeSet<Int>? { hasIndexes ? places : nil }

  /// Creates the details of a change with indexes.
  @usableFromInline
  init(_ indexes: RangeSet<Int>) {
    places = indexes
    hasIndexes = true
    pair = nil
    origin = nil
  }

  private init(_ indexes: RangeSet<Int>?, _ pair: ChangePair?, _ origin: ChangeOrigin?) {
    places = indexes ?? RangeSet()
    hasIndexes = indexes != nil
    self.pair = pair
    self.origin = origin
  }

  /// The details of a change; nil if there are none.
  @usableFromInline
  static func of(
    _ indexes: RangeSet<Int>?, _ pair: ChangePair?, _ origin: ChangeOrigin?
  ) -> ChangeDetails? {
    if indexes == nil, pair == nil, origin == nil { return nil }
    return ChangeDetails(indexes, pair, origin)
  }
}

/// The kind of a change: `NSKeyValueChange`.
public enum ChangeKind: String, Sendable, Hashable, CaseIterable, CustomStringConvertible {
  /// The value was set, or a property on the path to it.
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
