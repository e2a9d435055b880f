#if Database
internal import BlockRuntimeThreads
internal import CallMemoization
private import Dispatch

/// Reads results from a file, and writes them behind the calls.
///
/// What is not written yet is found, too: a change counts from where it is made. No client code, and
/// no access to the file, runs under the lock.
final class Writer: Sendable {
  typealias Clearing = PendingChanges.Clearing

  /// The largest number of changes that wait, and of those in one transaction.
  static let capacity = 256

  /// The number of uses that are written without a change.
  private static let worthwhileUses = 64

  /// A hook's memory in front of the file.
  private final class Front: Sendable {
    let scope: ResultScope
    private let reference: WeakMemory

    init(_ scope: ResultScope, _ memory: any MemoMemory) {
      self.scope = scope
      reference = WeakMemory(memory: memory)
    }

    var memory: (any MemoMemory)? { reference.memory }

    private struct WeakMemory: Sendable { weak let memory: (any MemoMemory)? }
  }

  private struct State {
    var pending = PendingChanges()

    /// Changes that are being written.
    var writing: PendingChanges?

    var isScheduled = false
    var statistics = MemoDatabaseStatistics()
    var hasReported = false
    var fronts: [Front] = []

    /// Numbers of removals; those of single rows are shared by all rows with the same hash.
    var removals = [UInt64](repeating: 0, count: 64)

    func ticket(_ key: RowKey) -> UInt64 { removals[place(key)] }

    mutating func countRemoval(of key: RowKey) { removals[place(key)] += 1 }

    mutating func countRemovals() { for place in removals.indices { removals[place] += 1 } }

    private func place(_ key: RowKey) -> Int {
      Int(UInt(bitPattern: key.hashValue) % UInt(removals.count))
    }

    /// The change of a row that is not in the file yet.
    func change(of key: RowKey) -> PendingChanges.Change? {
      pending.change(of: key) ?? writing?.change(of: key)
    }
  }

  private let file: ResultFile
  private let limits: MemoLimits
  private let time: @Sendable () -> Int64
  private let onFailure: @Sendable (MemoizationError) -> Void
  private let queue = DispatchQueue(label: "BlockRuntime.MemoDatabase")
  private let state = Locked(State())

  init(
    _ file: ResultFile, _ limits: MemoLimits, _ time: @escaping @Sendable () -> Int64,
    _ onFailure: @escaping @Sendable (MemoizationError) -> Void
  ) {
    self.file = file
    self.limits = limits
    self.time = time
    self.onFailure = onFailure
  }

  /// Looks a row up.
  ///
  /// - Returns: The row with its age in nanoseconds; nil if there is none, or it has expired.
  func find(_ key: RowKey) -> (row: StoredRow, age: UInt64)? {
    let row: StoredRow?
    switch state.withLock({ $0.change(of: key) }) {
    case .keep(let pending): row = pending
    case .remove: row = nil
    case nil:
      row = read { () throws(MemoizationError) in try file.find(key) }.flatMap { checked($0, key) }
    }
    let age = row.flatMap { limits.age($0.written, at: time()) }
    let isUseWorthwhile = state.withLock { state in
      guard age != nil else {
        state.statistics.misses += 1
        return false
      }
      state.statistics.hits += 1
      state.pending.use(key)
      return state.pending.uses.count >= Self.worthwhileUses
    }
    if isUseWorthwhile { schedule() }
    guard let row, let age else { return nil }
    return (row, age)
  }

  /// What says which removals of a row come later.
  func ticket(_ key: RowKey) -> UInt64 { state.withLock { $0.ticket(key) } }

  /// Has a row written, unless it was removed since a ticket was given out; waits while too many
  /// others are not written yet.
  func keep(_ key: RowKey, _ value: [UInt8], cost: Int, since ticket: UInt64) {
    if let limit = limits.cost, cost > limit { return skip() }
    let row = StoredRow(value: value, cost: Int64(cost), written: time())
    while true {
      let isTaken = state.withLock { state in
        guard state.ticket(key) == ticket else { return true }
        guard state.pending.keptCount < Self.capacity else { return false }
        state.pending.set(.keep(row), of: key)
        return true
      }
      if isTaken { return schedule() }
      flush()
    }
  }

  /// Removes rows.
  ///
  /// - Returns: How many there were.
  func remove(_ keys: [RowKey]) -> Int {
    var count = 0
    for key in keys {
      switch state.withLock({ $0.change(of: key) }) {
      case .keep: count += 1
      case .remove: break
      case nil:
        let row = read { () throws(MemoizationError) in try file.find(key) }
        if row != nil { count += 1 }
      }
    }
    state.withLock { state in
      for key in keys {
        state.countRemoval(of: key)
        state.pending.set(.remove, of: key)
      }
    }
    flush()
    return count
  }

  /// Removes many rows.
  func clear(_ clearing: Clearing) {
    state.withLock { state in
      state.countRemovals()
      state.pending.clear(clearing)
    }
    flush()
  }

  /// Waits until everything is written that was changed before.
  func flush() { queue.sync { write() } }

  /// Counts a result that is not stored.
  func skip() { state.withLock { $0.statistics.skipped += 1 } }

  /// Counts a row that is not what was written.
  func countDamage() { state.withLock { $0.statistics.damaged += 1 } }

  /// Counts a failure, and reports the first.
  func fail(_ error: MemoizationError) {
    let isFirst = state.withLock { state in
      state.statistics.failures += 1
      defer { state.hasReported = true }
      return !state.hasReported
    }
    // On another queue than the writer's, so that it may use the database.
    if isFirst { DispatchQueue.global().async { [onFailure] in onFailure(error) } }
  }

  /// The rows of a scope whose checksums fit, some at a time.
  func forEach(in scope: ResultScope, _ body: (RowKey, StoredRow) throws -> Void) rethrows {
    flush()
    var last: Int64 = 0
    while let page = read({ () throws(MemoizationError) in try file.rows(of: scope, after: last) }),
      let end = page.last?.id
    {
      last = end
      for found in page {
        let key = RowKey(scope: scope, key: found.key)
        // A removal that could not be written counts all the same.
        guard state.withLock({ $0.change(of: key) }) == nil, let row = checked(found, key),
          limits.age(row.written, at: time()) != nil
        else { continue }
        try body(key, row)
      }
    }
  }

  /// The scopes of a name, in the file and in this process.
  func scopes(named name: String) -> Set<ResultScope> {
    let own = state.withLock { state in state.fronts.filter { $0.scope.name == name }.map(\.scope) }
    let stored = read { () throws(MemoizationError) in try file.scopes(named: name) } ?? []
    return Set(own + stored)
  }

  /// Notes a hook's memory in front of the file.
  func attach(_ memory: any MemoMemory, of scope: ResultScope) {
    // No memory is released under the lock.
    let gone = state.withLock { $0.fronts }.filter { $0.memory == nil }
    let front = Front(scope, memory)
    state.withLock { state in
      state.fronts.removeAll { front in gone.contains { $0 === front } }
      state.fronts.append(front)
    }
  }

  /// The memories in front of the file, of all blocks or of those with a name.
  func memories(named name: String?) -> [any MemoMemory] {
    state.withLock { $0.fronts }.filter { name == nil || name == $0.scope.name }
      .compactMap(\.memory)
  }

  var statistics: MemoDatabaseStatistics {
    var statistics = state.withLock { $0.statistics }
    if let totals = read({ () throws(MemoizationError) in try file.totals() }) {
      (statistics.count, statistics.totalCost) = totals
    }
    return statistics
  }

  /// A row whose checksum fits.
  private func checked(_ found: FoundRow, _ key: RowKey) -> StoredRow? {
    if let row = found.row, row.checksum(key) == found.checksum { return row }
    countDamage()
    return nil
  }

  private func read<Result>(_ body: () throws(MemoizationError) -> Result?) -> Result? {
    do throws(MemoizationError) { return try body() } catch {
      fail(error)
      return nil
    }
  }

  private func schedule() {
    let isFirst = state.withLock { state in
      defer { state.isScheduled = true }
      return !state.isScheduled
    }
    if isFirst { queue.async { self.write() } }
  }

  /// Writes what is pending; on the queue.
  private func write() {
    let batch = state.withLock { state in
      state.isScheduled = false
      let batch = state.pending
      state.pending = PendingChanges()
      state.writing = batch
      return batch
    }
    var outcome: ResultFile.Outcome?
    var failure: MemoizationError?
    if !batch.isEmpty {
      do throws(MemoizationError) { outcome = try file.write(batch, limits, at: time) } catch {
        failure = error
      }
    }
    state.withLock { state in
      state.writing = nil
      if let outcome {
        state.statistics.written += batch.keptCount
        state.statistics.evictions += outcome.evictions
        state.statistics.expirations += outcome.expirations
      } else if failure != nil {
        state.statistics.skipped += batch.keptCount
        state.pending.takeRemovals(of: batch)
      }
    }
    if let failure { fail(failure) }
  }
}

extension MemoLimits {
  /// The age of a row in nanoseconds; nil if it has expired.
  ///
  /// A row from the future has: its age is not known. Without a limit it counts as new.
  func age(_ written: Int64, at now: Int64) -> UInt64? {
    let age = now.subtractingReportingOverflow(written)
    guard let limit = ageInNanoseconds else {
      return age.overflow || age.partialValue < 0 ? 0 : UInt64(age.partialValue)
    }
    guard !age.overflow, age.partialValue >= 0, UInt64(age.partialValue) < limit else { return nil }
    return UInt64(age.partialValue)
  }
}
#endif
