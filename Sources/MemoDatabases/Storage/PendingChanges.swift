#if Database
/// Changes that are not written yet: removals of many results come before all others.
struct PendingChanges: Sendable {
  /// What happens to a row.
  enum Change: Sendable {
    case keep(StoredRow)
    case remove
  }

  /// Results that are removed together.
  enum Clearing: Hashable, Sendable {
    case scope(ResultScope)
    case name(String)
    case everything

    func contains(_ scope: ResultScope) -> Bool {
      switch self {
      case .scope(let own): own == scope
      case .name(let name): name == scope.name
      case .everything: true
      }
    }
  }

  private(set) var clearings: Set<Clearing> = []
  private(set) var changes: [RowKey: Change] = [:]

  /// The places of rows in the order of their last uses; their writing is one.
  private(set) var uses: [RowKey: Int] = [:]

  /// How many uses there were, each of which takes a place.
  private(set) var useCount = 0

  var isEmpty: Bool { clearings.isEmpty && changes.isEmpty && uses.isEmpty }

  /// How many results there are to be written.
  private(set) var keptCount = 0

  /// The change of a row; nil if what is in the file counts.
  func change(of key: RowKey) -> Change? {
    if let change = changes[key] { return change }
    return clearings.contains { $0.contains(key.scope) } ? .remove : nil
  }

  mutating func set(_ change: Change, of key: RowKey) {
    if case .keep? = changes.updateValue(change, forKey: key) { keptCount -= 1 }
    guard case .keep = change else { return }
    keptCount += 1
    use(key)
  }

  mutating func use(_ key: RowKey) {
    uses[key] = useCount
    useCount += 1
  }

  mutating func clear(_ clearing: Clearing) {
    changes = changes.filter { !clearing.contains($0.key.scope) }
    keptCount = changes.values.count { change in if case .keep = change { true } else { false } }
    clearings.insert(clearing)
  }

  /// Takes up the removals of earlier changes that could not be written.
  mutating func takeRemovals(of earlier: PendingChanges) {
    // Removals of single rows cover what is older than they are, as do the clearings.
    for (key, change) in earlier.changes where self.change(of: key) == nil {
      if case .remove = change { changes[key] = .remove }
    }
    clearings.formUnion(earlier.clearings)
  }
}
#endif
