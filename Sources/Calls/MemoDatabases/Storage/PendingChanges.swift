#if Database
/// Changes that are not written yet: removals of many results come before all others.
package struct PendingChanges: Sendable {
  /// A change of a row: its removal, a new row in its place, or both.
  package struct Change: Sendable {
    package var isRemoved: Bool
    var row: StoredRow?

    /// The number of the removals of all processes when the row was missing.
    var removals: Int64 = 0
  }

  /// A removal of many results together.
  package enum Clearing: Hashable, Sendable {
    case scope(ResultScope)
    case name([UInt8])
    case everything

    func contains(_ scope: ResultScope) -> Bool {
      switch self {
      case .scope(let own): own == scope
      case .name(let name): name == scope.name
      case .everything: true
      }
    }
  }

  /// The largest number of rows that wait to be written together, and the largest number of their
  /// bytes, which a single row may exceed.
  package static let capacity = 256
  package static let byteCapacity = 32 << 20

  /// The largest number of removals that wait, of single results and of many.
  package static let removalCapacity = 1024

  /// The largest number of uses that wait; further uses are not noted.
  private static let useCapacity = 1024

  private(set) var clearings: Set<Clearing> = []
  private(set) var changes: [RowKey: Change] = [:]

  /// The places of rows in the order of their last uses; writing a row counts as a use.
  private(set) var uses: [RowKey: Int] = [:]

  /// How many uses there were, each of which takes a place.
  private(set) var useCount = 0

  /// Whether results are removed, in this file or by other processes that are about to write them.
  private(set) var removes = false

  var isEmpty: Bool { !removes && changes.isEmpty && uses.isEmpty }

  /// How many rows wait to be written, and how many bytes they and their keys have.
  package private(set) var keptCount = 0
  private var keptBytes = 0

  /// How many changes wait.
  package var waiting: Int { changes.count + clearings.count }

  package init() {}

  /// The change of a row; nil if the file has the current state.
  package func change(of key: RowKey) -> Change? {
    if let change = changes[key] { return change }
    return clearings.contains { $0.contains(key.scope) } ? Change(isRemoved: true) : nil
  }

  /// Has a row written, unless another process has removed results since the given number of
  /// removals; an earlier row is removed even if this one is not written.
  ///
  /// - Returns: False if the row has to wait until others are written; then nothing is changed.
  package mutating func keep(
    _ row: StoredRow, of key: RowKey, since removals: Int64, isReplacing: Bool = false
  ) -> Bool {
    let size = key.size(with: row)
    guard keptCount == 0 || keptCount < Self.capacity && keptBytes + size <= Self.byteCapacity
    else { return false }
    let isRemoved = take(key)?.isRemoved ?? false || isReplacing
    changes[key] = Change(isRemoved: isRemoved, row: row, removals: removals)
    keptCount += 1
    keptBytes += size
    note(key)
    return true
  }

  /// Has rows removed; even if they do not exist, other processes must not write such rows that
  /// they have computed.
  package mutating func remove(_ keys: [RowKey]) {
    removes = true
    for key in keys {
      _ = take(key)
      changes[key] = Change(isRemoved: true)
    }
  }

  /// Notes the use of a row.
  mutating func use(_ key: RowKey) {
    if uses.count < Self.useCapacity || uses[key] != nil { note(key) }
  }

  package mutating func clear(_ clearing: Clearing) {
    removes = true
    for key in changes.keys where clearing.contains(key.scope) { _ = take(key) }
    clearings.insert(clearing)
  }

  /// Takes up the removals of earlier changes that could not be written.
  package mutating func takeRemovals(of earlier: PendingChanges) {
    // Clearings remove older rows, and not the rows that come after them.
    for (key, change) in earlier.changes where change.isRemoved {
      guard !clearings.contains(where: { $0.contains(key.scope) }) else { continue }
      changes[key, default: Change(isRemoved: true)].isRemoved = true
    }
    clearings.formUnion(earlier.clearings)
    removes = removes || earlier.removes
    boundRemovals()
  }

  /// Removes more than was asked for instead of remembering more removals than have room.
  private mutating func boundRemovals() {
    if changes.count > Self.removalCapacity {
      for key in changes.keys { clearings.insert(.scope(key.scope)) }
      // Rows come after all clearings.
      changes = changes.filter { $0.value.row != nil }
    }
    if clearings.count > Self.removalCapacity { clearings = [.everything] }
  }

  private mutating func note(_ key: RowKey) {
    uses[key] = useCount
    useCount += 1
  }

  /// Forgets the change of a row.
  private mutating func take(_ key: RowKey) -> Change? {
    guard let change = changes.removeValue(forKey: key) else { return nil }
    if let row = change.row {
      keptCount -= 1
      keptBytes -= key.size(with: row)
    }
    return change
  }
}
#endif
