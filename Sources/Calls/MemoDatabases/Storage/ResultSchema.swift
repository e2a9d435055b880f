#if Database
internal import CallMemoization
internal import GRDB

/// The tables of a file of results.
enum ResultSchema {
  /// The number by which this library's files are known: "MEMO".
  private static let application: Int64 = 0x4D45_4D4F

  private static let version: Int64 = 1

  /// Creates the tables in an empty file, and checks that another file is this library's.
  ///
  /// - Throws: `foreignDatabase`, `newerDatabase`, and errors of SQLite.
  static func prepare(_ database: Database) throws {
    if try isOwn(database) { return }
    try database.inTransaction(.immediate) {
      // Another process may have created them meanwhile.
      if try !isOwn(database) {
        for statement in statements { try database.execute(sql: statement) }
        try database.execute(
          sql: """
            INSERT INTO totals VALUES (0, 0, 0, 0);
            PRAGMA application_id = \(application);
            PRAGMA user_version = \(version);
            """)
      }
      return .commit
    }
  }

  /// Checks that the file has the tables, indexes and triggers of this library, and nothing else: a
  /// view or a trigger may run for ever.
  ///
  /// - Parameters:
  ///   - database: The connection, in a transaction.
  ///   - earlier: The version of the tables at the last comparison; nil before the first.
  /// - Returns: SQLite's version of the tables, which any change of them changes.
  /// - Throws: `foreignDatabase`, and errors of SQLite.
  @discardableResult
  static func compare(_ database: Database, since earlier: Int64? = nil) throws -> Int64? {
    let version = try Int64.fetchOne(
      database.cachedStatement(sql: "PRAGMA schema_version"))
    if let version, version == earlier { return version }
    let found = try Row.fetchAll(database, sql: "SELECT sql, name FROM sqlite_master")
      .map { row -> String in row[0] ?? row[1] ?? "" }
    guard found.sorted() == (statements + ownIndexes).sorted() else {
      throw MemoizationError(
        .foreignDatabase,
        "the file has other tables than this library makes; give another path, or remove the file"
      )
    }
    return version
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

  /// The statements that create the tables.
  ///
  /// The numbers of scopes are looked up in each transaction, and not remembered. Triggers keep the
  /// totals for all processes.
  private static let statements = [
    "CREATE TABLE scope (id INTEGER PRIMARY KEY, name BLOB NOT NULL, identity BLOB NOT NULL UNIQUE)",
    "CREATE INDEX scopeByName ON scope (name)",
    """
    CREATE TABLE result (
      id INTEGER PRIMARY KEY, scope INTEGER NOT NULL, key BLOB NOT NULL, value BLOB NOT NULL,
      cost INTEGER NOT NULL, written INTEGER NOT NULL, used INTEGER NOT NULL,
      checksum INTEGER NOT NULL, UNIQUE (scope, key))
    """,
    // The index has the cost, so that neither counting nor choosing rows to remove reads the
    // results.
    "CREATE INDEX resultByUse ON result (used, cost)",
    "CREATE INDEX resultByTime ON result (written)",
    """
    CREATE TABLE totals (
      count INTEGER NOT NULL, cost INTEGER NOT NULL, stamp INTEGER NOT NULL,
      removals INTEGER NOT NULL)
    """,
    """
    CREATE TRIGGER resultAdded AFTER INSERT ON result BEGIN
      UPDATE totals SET count = count + 1, cost = cost + new.cost; END
    """,
    """
    CREATE TRIGGER resultRemoved AFTER DELETE ON result BEGIN
      UPDATE totals SET count = count - 1, cost = cost - old.cost; END
    """,
    """
    CREATE TRIGGER resultChanged AFTER UPDATE OF cost ON result BEGIN
      UPDATE totals SET cost = cost + new.cost - old.cost; END
    """,
  ]

  /// The indexes that SQLite makes by itself.
  private static let ownIndexes = ["sqlite_autoindex_scope_1", "sqlite_autoindex_result_1"]
}
#endif
