#if Database
internal import CallMemoization
internal import GRDB

/// The tables of a file of results.
enum ResultSchema {
  /// The number that says whose file it is: "MEMO".
  private static let application: Int64 = 0x4D45_4D4F

  private static let version: Int64 = 1

  /// Creates the tables in an empty file, and checks whose file it is.
  ///
  /// - Throws: `foreignDatabase`, `newerDatabase`, and errors of SQLite.
  static func prepare(_ database: Database) throws {
    if try isOwn(database) { return }
    try database.inTransaction(.immediate) {
      // Another process may have created them meanwhile.
      if try !isOwn(database) { try database.execute(sql: tables) }
      return .commit
    }
  }

  /// Checks, in a transaction that writes, that the tables are there.
  ///
  /// - Throws: Errors of SQLite.
  static func check(_ database: Database) throws {
    try database.execute(sql: "UPDATE totals SET stamp = stamp + 1")
    _ = try ResultTotals(database)
    _ = try Row.fetchOne(
      database,
      sql: """
        SELECT scope.name, scope.identity, result.id, result.key, value, cost, written, used, checksum
        FROM result JOIN scope ON scope.id = result.scope
        """)
  }

  /// Whether the file has the tables; false if it is empty.
  private static func isOwn(_ database: Database) throws -> Bool {
    let application = try Int64.fetchOne(database, sql: "PRAGMA application_id") ?? 0
    let version = try Int64.fetchOne(database, sql: "PRAGMA user_version") ?? 0
    if application == Self.application {
      guard version == Self.version else {
        throw MemoizationError(
          .newerDatabase,
          "the file has version \(version) of the tables, and this library knows \(Self.version): use the "
            + "newer library, or give another path")
      }
      return true
    }
    let tables = try Int64.fetchOne(database, sql: "SELECT COUNT(*) FROM sqlite_master") ?? 0
    guard application == 0, version == 0, tables == 0 else {
      throw MemoizationError(
        .foreignDatabase, "the file is a database of another program; give another path")
    }
    return false
  }

  /// What creates the tables.
  ///
  /// The numbers of scopes are looked up in each transaction: none is remembered. What triggers add
  /// up holds for all processes.
  private static let tables = """
    CREATE TABLE scope (
      id INTEGER PRIMARY KEY, name TEXT NOT NULL, identity TEXT NOT NULL UNIQUE);
    CREATE INDEX scopeByName ON scope (name);
    CREATE TABLE result (
      id INTEGER PRIMARY KEY, scope INTEGER NOT NULL, key BLOB NOT NULL, value BLOB NOT NULL,
      cost INTEGER NOT NULL, written INTEGER NOT NULL, used INTEGER NOT NULL,
      checksum INTEGER NOT NULL, UNIQUE (scope, key));
    CREATE INDEX resultByUse ON result (used);
    CREATE INDEX resultByTime ON result (written);
    CREATE TABLE totals (count INTEGER NOT NULL, cost INTEGER NOT NULL, stamp INTEGER NOT NULL);
    INSERT INTO totals VALUES (0, 0, 0);
    CREATE TRIGGER resultAdded AFTER INSERT ON result BEGIN
      UPDATE totals SET count = count + 1, cost = cost + new.cost; END;
    CREATE TRIGGER resultRemoved AFTER DELETE ON result BEGIN
      UPDATE totals SET count = count - 1, cost = cost - old.cost; END;
    CREATE TRIGGER resultChanged AFTER UPDATE OF cost ON result BEGIN
      UPDATE totals SET cost = cost + new.cost - old.cost; END;
    PRAGMA application_id = \(application);
    PRAGMA user_version = \(version);
    """
}

/// The one row that says what all results are together, and when the last was used.
struct ResultTotals {
  let count: Int
  let cost: Int64

  /// The number of uses.
  let stamp: Int64

  /// - Throws: `SQLITE_CORRUPT` if it is not there, and errors of SQLite.
  init(_ database: Database) throws {
    let statement = try database.cachedStatement(sql: "SELECT count, cost, stamp FROM totals")
    guard let row = try Row.fetchOne(statement), let count = Int.fromDatabaseValue(row[0]),
      let cost = Double.fromDatabaseValue(row[1]), let stamp = Int64.fromDatabaseValue(row[2])
    else { throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "the totals are missing") }
    self.count = count
    // Of more than an integer holds SQLite makes a floating-point number.
    self.cost = Int64.fromDatabaseValue(row[1]) ?? Int64(exactly: cost) ?? .max
    self.stamp = stamp
  }
}
#endif
