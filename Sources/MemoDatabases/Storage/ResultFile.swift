#if Database
internal import CallMemoization
private import Foundation
private import GRDB
private import Glibc

/// A row as it was found: nil for one whose columns are of other types than they should be.
struct FoundRow {
  let id: Int64
  let key: [UInt8]
  let row: StoredRow?
  let checksum: Int64
}

/// A file of results: an SQLite database with a write-ahead log.
///
/// Each row has the whole key, which SQLite compares byte by byte.
struct ResultFile: Sendable {
  /// What a transaction has removed because of the limits.
  struct Outcome {
    var evictions = 0
    var expirations = 0
  }

  private let pool: DatabasePool

  /// Opens a file, or creates it, and checks that it can be written.
  ///
  /// - Throws: `databaseFailed`, `foreignDatabase`, `newerDatabase`.
  init(at path: String, patience: Double) throws(MemoizationError) {
    // SQLite has other meanings for these.
    guard !path.isEmpty, !path.hasPrefix(":"), !path.hasPrefix("file:"), !path.utf8.contains(0)
    else {
      throw MemoizationError(
        .databaseFailed, "\(path.debugDescription) is no path of a file; give one", subject: path)
    }
    var configuration = Configuration()
    configuration.label = "BlockRuntime.MemoDatabase"
    configuration.busyMode = .timeout(patience)
    configuration.prepareDatabase { database in
      // What was committed survives the process; what was not written through yet is lost in a power
      // failure, without damage to the file.
      try database.execute(sql: "PRAGMA synchronous = NORMAL")
    }
    do {
      pool = try Self.insisting(patience) {
        // In a file of others nothing may be changed, not even the mode of its journal.
        let queue = try DatabaseQueue(path: path, configuration: configuration)
        try queue.inDatabase { try ResultSchema.prepare($0) }
        try queue.close()
        let pool = try DatabasePool(path: path, configuration: configuration)
        try pool.write { try ResultSchema.check($0) }
        return pool
      }
    } catch let error as MemoizationError {
      throw error
    } catch {
      throw Self.error(error, "cannot be opened", path)
    }
  }

  /// Another process that creates the file at the same time may have it locked without a time to wait
  /// for it.
  private static func insisting<Result>(
    _ patience: Double, _ body: () throws -> Result
  ) throws -> Result {
    for _ in 0..<Int(patience * 100) {
      do { return try body() } catch let error as DatabaseError
        where [.SQLITE_BUSY, .SQLITE_LOCKED].contains(error.resultCode)
      { usleep(10_000) }
    }
    return try body()
  }

  /// Looks a row up by its key.
  ///
  /// - Throws: `databaseFailed`.
  func find(_ key: RowKey) throws(MemoizationError) -> FoundRow? {
    try read { database in
      let statement = try database.cachedStatement(
        sql: """
          SELECT id, key, value, cost, written, checksum FROM result
          WHERE scope = (SELECT id FROM scope WHERE identity = ?) AND key = ?
          """)
      return try Row.fetchOne(statement, arguments: [key.scope.identity, Data(key.key)])
        .map(Self.found)
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
        arguments: [scope.identity, id]
      ).map(Self.found)
    }
  }

  /// The scopes with a name.
  ///
  /// - Throws: `databaseFailed`.
  func scopes(named name: String) throws(MemoizationError) -> [ResultScope] {
    try read { database in
      try DatabaseValue.fetchAll(
        database, sql: "SELECT identity FROM scope WHERE name = ?", arguments: [name]
      ).compactMap(String.fromDatabaseValue).map { ResultScope(name: name, identity: $0) }
    }
  }

  /// The number of all results, and their cost.
  ///
  /// - Throws: `databaseFailed`.
  func totals() throws(MemoizationError) -> (count: Int, cost: Int) {
    try read { database in
      let totals = try ResultTotals(database)
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
      return try pool.write { database in
        try ResultChanges(database).write(changes)
        // Nothing that others have written is from the future of this time.
        return try ResultChanges(database).apply(limits, now: time())
      }
    } catch {
      throw Self.error(error, "cannot be written", pool.path)
    }
  }

  private func read<Result>(
    _ body: (Database) throws -> Result
  ) throws(MemoizationError) -> Result {
    do { return try pool.read(body) } catch { throw Self.error(error, "cannot be read", pool.path) }
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

  /// An error of SQLite with its remedy.
  private static func error(_ error: any Error, _ what: String, _ path: String) -> MemoizationError
  {
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
    case .SQLITE_BUSY?, .SQLITE_LOCKED?: remedy = "another process has kept it locked; end that one"
    case .SQLITE_CORRUPT?, .SQLITE_ERROR?, .SQLITE_MISMATCH?, .SQLITE_CONSTRAINT?:
      remedy = "it is damaged: remove the file, and the results are computed again"
    default: remedy = "check the disk"
    }
    return MemoizationError(
      .databaseFailed, "\(path) \(what): \(error); \(remedy)", subject: path, underlying: error)
  }
}
#endif
