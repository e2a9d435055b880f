#if Database
internal import GRDB

/// The one row with the number and the cost of all results, and the numbers of uses and of
/// removals.
struct ResultTotals {
  let count: Int
  let cost: Int64

  /// The number of uses.
  let stamp: Int64

  /// The number of removals by clients, in all processes.
  let removals: Int64

  /// More uses, or removals, than there can be: a row with such a number is damaged.
  private static let useLimit: Int64 = 1 << 62

  /// Reads the row.
  ///
  /// - Throws: `SQLITE_CORRUPT` if the row is missing, and errors of SQLite.
  init(reading database: Database) throws {
    let statement = try database.cachedStatement(
      sql: "SELECT count, cost, stamp, removals FROM totals")
    guard let row = try Row.fetchOne(statement), let count = Int.fromDatabaseValue(row[0]),
      let cost = Double.fromDatabaseValue(row[1]), let stamp = Int64.fromDatabaseValue(row[2]),
      let removals = Int64.fromDatabaseValue(row[3])
    else { throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "the totals are missing") }
    self.count = count
    // SQLite makes a floating-point number of a sum that exceeds an integer.
    self.cost = Int64.fromDatabaseValue(row[1]) ?? Int64(exactly: cost) ?? .max
    self.stamp = stamp
    self.removals = removals
  }

  /// The number of removals; -1, which it never is, if the row is damaged.
  ///
  /// - Throws: Errors of SQLite.
  static func removals(_ database: Database) throws -> Int64 {
    let statement = try database.cachedStatement(sql: "SELECT removals FROM totals")
    return try DatabaseValue.fetchOne(statement).flatMap(Int64.fromDatabaseValue) ?? -1
  }

  /// Counts the results, in a transaction that writes, and writes the row anew.
  ///
  /// - Throws: Errors of SQLite.
  init(counting database: Database) throws {
    let row = try Row.fetchOne(
      database,
      sql: """
        SELECT COUNT(*), SUM(cost >> 32), SUM(cost & 4294967295), MAX(used),
          (SELECT MAX(stamp) FROM totals), (SELECT MAX(removals) FROM totals) FROM result
        """)
    func number(_ index: Int) -> Int64? {
      row.flatMap { Int64.fromDatabaseValue($0[index] as DatabaseValue) }
    }
    count = Int(number(0) ?? 0)
    // The sum of the costs may exceed an integer, which would be an error.
    cost = Int64(clamping: Int128(number(1) ?? 0) << 32 + Int128(number(2) ?? 0))
    var last = number(3) ?? 0
    if count > 0, number(3) == nil || last >= Self.useLimit {
      // The order of the uses is lost.
      try database.execute(sql: "UPDATE result SET used = 0")
      last = 0
    }
    let stamp = number(4) ?? 0
    self.stamp = max((0..<Self.useLimit).contains(stamp) ? stamp : 0, last + 1)
    let removals = number(5) ?? 0
    self.removals = (0..<Self.useLimit).contains(removals) ? removals : 0
    try database.execute(sql: "DELETE FROM totals")
    try database.execute(
      sql: "INSERT INTO totals VALUES (?, ?, ?, ?)",
      arguments: [count, cost, self.stamp, self.removals])
  }

  /// Reads the row, in a transaction that writes; counts anew if the row cannot be right.
  ///
  /// - Throws: Errors of SQLite.
  static func plausible(_ database: Database) throws -> ResultTotals {
    if let totals = try? ResultTotals(reading: database), totals.count >= 0, totals.cost >= 0,
      (0..<useLimit).contains(totals.stamp), (0..<useLimit).contains(totals.removals)
    {
      return totals
    }
    return try ResultTotals(counting: database)
  }
}
#endif
