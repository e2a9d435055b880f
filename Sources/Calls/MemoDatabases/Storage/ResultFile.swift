#if Database
private import BlockRuntimeThreads
internal import CallMemoization
private import Foundation
private import GRDB
private import Glibc

/// A row as it was found; `row` is nil if one of its columns has another type than it should.
struct FoundRow {
  let id: Int64
  let key: [UInt8]
  let row: StoredRow?
  let checksum: Int64
}

/// A file of results: an SQLite database with a write-ahead log.
///
/// Each row has the whole key, which SQLite compares byte by byte.
final class ResultFile: Sendable {
  /// The numbers of rows that a transaction has written, and has removed because of the limits.
  struct Outcome {
    var written = 0
    var evictions = 0
    var expirations = 0
  }

  /// The file's path, which is absolute.
  var path: String { pool.path }

  private let pool: DatabasePool

  /// The version of the tables that were compared last.
  private let schema = Locked<Int64?>(nil)

  /// The removals that were counted by this object.
  private let ownRemovals = Locked(OwnRemovals())

  /// Opens a file, or creates it, and checks that it can be written.
  ///
  /// - Throws: `databaseFailed`, `foreignDatabase`, `newerDatabase`.
  init(at path: String, patience seconds: Double) throws(MemoizationError) {
    let identity = try FileIdentity(path)
    // At the opening, the time is for all locks together; later, for each lock.
    let waiting = "PRAGMA busy_timeout = \(Int(seconds * 1000))"
    var configuration = Configuration()
    configuration.label = "BlockRuntime.MemoDatabase"
    configuration.busyMode = .immediateError
    configuration.prepareDatabase { database in
      try identity.check(database)
      // Only the tables are trusted, after their comparison.
      try database.execute(sql: "PRAGMA trusted_schema = OFF")
      // What was committed survives the process; what was not written through yet is lost in a
      // power failure, without damage to the file.
      try database.execute(sql: "PRAGMA synchronous = NORMAL")
      // GRDB lets readers wait for a time of its own.
      if database.configuration.readonly { try database.execute(sql: waiting) }
    }
    do {
      pool = try Self.insisting(for: .seconds(seconds)) {
        // In another program's file nothing may be changed, not even the mode of its journal.
        let queue = try DatabaseQueue(path: identity.path, configuration: configuration)
        try queue.inDatabase { try ResultSchema.prepare($0) }
        try queue.close()
        let pool = try DatabasePool(path: identity.path, configuration: configuration)
        try pool.write { database in
          try ResultSchema.compare(database)
          _ = try ResultTotals(counting: database)
        }
        try pool.writeWithoutTransaction { try $0.execute(sql: waiting) }
        return pool
      }
    } catch {
      throw Self.error(error, "cannot be opened", identity.path)
    }
  }

  deinit {
    // No hook of every block sees the end of the connections.
    ReentrancyGuard.ignoringThread { try? pool.close() }
  }

  /// Tries again, for some time, while another process has the file locked.
  private static func insisting<Result>(
    for time: Duration, _ body: () throws -> Result
  ) throws -> Result {
    let end = ContinuousClock.now + time
    while true {
      do { return try body() } catch let error as DatabaseError
        where [.SQLITE_BUSY, .SQLITE_LOCKED].contains(error.resultCode)
      {
        guard ContinuousClock.now < end else { throw error }
        usleep(1000)
      }
    }
  }

  /// Looks a row up by its key, with the number of the removals of all processes then.
  ///
  /// - Throws: `databaseFailed`.
  func find(
    _ key: RowKey
  ) throws(MemoizationError) -> (row: FoundRow?, removals: Int64) {
    try read { database in
      let statement = try database.cachedStatement(
        sql: """
          SELECT id, key, value, cost, written, checksum FROM result
          WHERE scope = (SELECT id FROM scope WHERE identity = ?) AND key = ?
          """)
      let row = try Row.fetchOne(
        statement, arguments: [Data(key.scope.identity), Data(key.key)])
      return (row.map(Self.found), try ResultTotals.removals(database))
    }
  }

  /// Some rows of a scope, those with the next greater numbers.
  ///
  /// - Throws: `databaseFailed`.
  func rows(of scope: ResultScope, after id: Int64) throws(MemoizationError) -> [FoundRow] {
    try read { database in
      try Row.fetchAll(
        database,
        sql: """
          SELECT id, key, value, cost, written, checksum FROM result
          WHERE scope = (SELECT id FROM scope WHERE identity = ?) AND id > ? ORDER BY id LIMIT 256
          """,
        arguments: [Data(scope.identity), id]
      ).map(Self.found)
    }
  }

  /// The scopes with a name.
  ///
  /// - Throws: `databaseFailed`.
  func scopes(named name: [UInt8]) throws(MemoizationError) -> [ResultScope] {
    try read { database in
      try DatabaseValue.fetchAll(
        database, sql: "SELECT identity FROM scope WHERE name = ?", arguments: [Data(name)]
      ).compactMap(Data.fromDatabaseValue).map { ResultScope(name: name, identity: [UInt8]($0)) }
    }
  }

  /// The number of all results, and their cost.
  ///
  /// - Throws: `databaseFailed`.
  func totals() throws(MemoizationError) -> (count: Int, cost: Int) {
    try read { database in
      let totals = try ResultTotals(reading: database)
      return (totals.count, Int(clamping: totals.cost))
    }
  }

  /// Writes changes in one transaction, in which the limits are applied, too.
  ///
  /// - Throws: `databaseFailed`; nothing is changed then.
  func write(
    _ changes: PendingChanges, _ limits: MemoLimits, at time: () -> Int64
  ) throws(MemoizationError) -> Outcome {
    do {
      let own = ownRemovals.withLock { $0 }
      let (outcome, removals) = try pool.write { database in
        try checkTables(database)
        let written = try ResultChanges(database).write(changes, own)
        // The time is read in the transaction, so no row of another process is from its future.
        var outcome = try ResultChanges(database).apply(limits, now: time())
        outcome.written = written
        return (outcome, try ResultTotals.removals(database))
      }
      if changes.removes { ownRemovals.withLock { $0.note(removals) } }
      return outcome
    } catch {
      throw Self.error(error, "cannot be written", pool.path)
    }
  }

  private func read<Result>(
    _ body: (Database) throws -> Result
  ) throws(MemoizationError) -> Result {
    do {
      return try pool.read { database in
        try checkTables(database)
        return try body(database)
      }
    } catch {
      throw Self.error(error, "cannot be read", pool.path)
    }
  }

  /// Checks, in a transaction, that nobody has exchanged the tables.
  private func checkTables(_ database: Database) throws {
    let earlier = schema.withLock { $0 }
    let version = try ResultSchema.compare(database, since: earlier)
    if version != earlier { schema.withLock { $0 = version } }
  }

  /// A row of the columns id, key, value, cost, written and checksum, of which none need be of the
  /// type it should be.
  private static func found(_ row: Row) -> FoundRow {
    func column<Value: DatabaseValueConvertible>(_ index: Int, _ type: Value.Type) -> Value? {
      let value: DatabaseValue = row[index]
      return Value.fromDatabaseValue(value)
    }
    var stored: StoredRow?
    if let value = column(2, Data.self), let cost = column(3, Int64.self),
      let written = column(4, Int64.self)
    {
      stored = StoredRow(value: [UInt8](value), cost: cost, written: written)
    }
    return FoundRow(
      id: column(0, Int64.self) ?? 0, key: [UInt8](column(1, Data.self) ?? Data()), row: stored,
      checksum: column(5, Int64.self) ?? 0)
  }

  /// An error of SQLite with its remedy, or one of this library.
  private static func error(
    _ error: any Error, _ what: String, _ path: String
  )
    -> MemoizationError
  {
    if let error = error as? MemoizationError { return error }
    let remedy: String
    switch (error as? DatabaseError)?.resultCode {
    case .SQLITE_NOTADB?:
      return MemoizationError(
        .foreignDatabase, "\(path) is no database; give another path, or remove the file",
        subject: path, underlying: error)
    case .SQLITE_CANTOPEN?:
      remedy = "give a path in a directory that exists and that this process may write"
    case .SQLITE_READONLY?, .SQLITE_PERM?, .SQLITE_AUTH?:
      remedy = "give this process the right to write the file and its directory"
    case .SQLITE_FULL?: remedy = "make room on the disk, or lower the limits"
    case .SQLITE_BUSY?, .SQLITE_LOCKED?:
      remedy = "another process has kept it locked; end that one"
    case .SQLITE_CORRUPT?, .SQLITE_ERROR?, .SQLITE_MISMATCH?, .SQLITE_CONSTRAINT?:
      remedy = "it is damaged: remove the file, and the results are computed again"
    default: remedy = "check the disk"
    }
    return MemoizationError(
      .databaseFailed, "\(path) \(what): \(error); \(remedy)", subject: path, underlying: error)
  }
}
#endif
