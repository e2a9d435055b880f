#if Database
internal import BlockRuntimeThreads
internal import CallMemoization
private import Dispatch

/// Reads results from a file, and writes them after the calls.
///
/// Results that are not written yet are found, too: a change counts as soon as it is made. No
/// client code, and no access to the file, runs under the lock.
final class Writer: Sendable {
  typealias Clearing = PendingChanges.Clearing

  /// The number of uses that are worth a transaction without other changes.
  private static let worthwhileUses = 64

  /// A hook's memory in front of the file.
  private final class Front: Sendable {
    let scope: ResultScope
    weak let memory: (any MemoMemory)?

    init(_ scope: ResultScope, _ memory: any MemoMemory) {
      self.scope = scope
      self.memory = memory
    }
  }

  private struct State {
    var pending = PendingChanges()

    /// Changes that are being written.
    var writing: PendingChanges?

    var isScheduled = false
    var statistics = MemoDatabaseStatistics()
    var hasReported = false
    var fronts: [Front] = []

    var removals = RemovalLog()

    /// The number of the removals of all processes, as it was read last.
    var allRemovals: Int64 = 0

    /// Counts a hit, with its use, or a miss, if there is no age.
    ///
    /// - Returns: Whether there are enough uses to be written.
    mutating func note(_ age: UInt64?, _ key: RowKey) -> Bool {
      guard age != nil else {
        statistics.misses += 1
        return false
      }
      statistics.hits += 1
      pending.use(key)
      return pending.uses.count >= Writer.worthwhileUses
    }

    /// The change of a row that is not in the file yet.
    func change(of key: RowKey) -> PendingChanges.Change? {
      pending.change(of: key) ?? writing?.change(of: key)
    }
  }

  private let file: ResultFile
  private let limits: MemoLimits

  /// The time by which rows age.
  let time: @Sendable () -> Int64

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

  /// Looks a row up, and notes its use if `isUse`.
  ///
  /// - Returns: The row with its age in nanoseconds, nil if there is none or it has expired; and a
  ///   ticket, by which later removals are known.
  func find(
    _ key: RowKey, isUse: Bool = true
  ) -> (found: (row: StoredRow, age: UInt64)?, ticket: MemoTicket) {
    let row: StoredRow?
    let (change, own) = state.withLock { ($0.change(of: key), $0.removals.ticket) }
    var removals: Int64?
    if let change {
      row = change.row
    } else {
      let found = read { () throws(MemoizationError) in try file.find(key) }
      row = found?.row.flatMap { checked($0, key) }
      removals = found?.removals
    }
    let age = row.flatMap { limits.age($0.written, at: time()) }
    let (isUseWorthwhile, all) = state.withLock { state in
      if let removals { state.allRemovals = max(state.allRemovals, removals) }
      return (isUse && state.note(age, key), removals ?? state.allRemovals)
    }
    if isUseWorthwhile { schedule() }
    let ticket = MemoTicket(own: own, all: all, isFound: row != nil)
    guard let row, let age else { return (nil, ticket) }
    return ((row, age), ticket)
  }

  /// Has a row written, unless it was removed since a ticket was given out; waits while too many
  /// other rows are not written yet.
  ///
  /// A row that is nil, because it cannot be stored, or that costs too much is skipped, and an
  /// earlier row is removed.
  func keep(_ key: RowKey, _ row: StoredRow?, since ticket: MemoTicket) {
    guard let row, row.cost <= limits.cost ?? .max else {
      if ticket.isFound { _ = remove([key]) }
      return skip()
    }
    while true {
      let isTaken = state.withLock { state in
        if state.removals.covers(key.hashValue, since: ticket.own) { return true }
        return state.pending.keep(
          row, of: key, since: ticket.all, isReplacing: ticket.isFound)
      }
      if isTaken { return schedule() }
      flush()
    }
  }

  /// Removes rows.
  ///
  /// - Returns: How many of the rows there were.
  func remove(_ keys: [RowKey]) -> Int {
    var count = 0
    for key in keys {
      if let change = state.withLock({ $0.change(of: key) }) {
        if change.row != nil { count += 1 }
      } else if read({ () throws(MemoizationError) in try file.find(key) })?.row != nil {
        count += 1
      }
    }
    state.withLock { state in
      for key in keys { state.removals.note(key.hashValue) }
      state.pending.remove(keys)
    }
    flush()
    return count
  }

  /// Removes many rows.
  func clear(_ clearing: Clearing) {
    state.withLock { state in
      state.removals.noteAll()
      state.pending.clear(clearing)
    }
    flush()
  }

  /// Waits until all earlier changes are written.
  func flush() { ReentrancyGuard.ignoringThread { queue.sync { write() } } }

  /// Counts a result that is not stored.
  func skip() { state.withLock { $0.statistics.skipped += 1 } }

  /// Counts a row whose bytes are not those that were written.
  func countDamage() { state.withLock { $0.statistics.damaged += 1 } }

  /// Counts a failure, and reports the first.
  func fail(_ error: MemoizationError) {
    let isFirst = state.withLock { state in
      state.statistics.failures += 1
      defer { state.hasReported = true }
      return !state.hasReported
    }
    // The client's closure runs on another queue than the writer's, so that it may use the
    // database.
    if isFirst {
      ReentrancyGuard.ignoringThread {
        DispatchQueue.global().async { [onFailure] in onFailure(error) }
      }
    }
  }

  /// The rows of a scope whose checksums fit, some at a time.
  func forEach(in scope: ResultScope, _ body: (RowKey, StoredRow) throws -> Void) rethrows {
    flush()
    var last: Int64 = 0
    while let page = read({ () throws(MemoizationError) in try file.rows(of: scope, after: last) }
    ),
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
  func scopes(named name: [UInt8]) -> Set<ResultScope> {
    let own = state.withLock { state in state.fronts.filter { $0.scope.name == name }.map(\.scope)
    }
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

  /// The memories in front of the results that are removed together.
  func memories(of clearing: Clearing) -> [any MemoMemory] {
    state.withLock { $0.fronts }.filter { clearing.contains($0.scope) }.compactMap(\.memory)
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
    do throws(MemoizationError) {
      return try ReentrancyGuard.ignoringThread { () throws(MemoizationError) in try body() }
    } catch {
      fail(error)
      return nil
    }
  }

  private func schedule() {
    let isFirst = state.withLock { state in
      defer { state.isScheduled = true }
      return !state.isScheduled
    }
    guard isFirst else { return }
    ReentrancyGuard.ignoringThread {
      queue.async { ReentrancyGuard.ignoringThread { self.write() } }
    }
  }

  /// Writes what is pending; on the queue.
  ///
  /// Neither a hook of every block nor hooks of the functions that SQLite calls see this, because
  /// their handlers may use the database.
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
        state.statistics.written += outcome.written
        state.statistics.skipped += batch.keptCount - outcome.written
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
#endif
