#if Database
internal import CallMemoization
private import Foundation
internal import GRDB

/// Makes changes in a file of results, in a transaction.
struct ResultChanges {
  private let database: Database

  init(_ database: Database) { self.database = database }

  /// Writes changes, but for rows that were missing before another process removed results.
  ///
  /// - Returns: How many rows were written.
  /// - Throws: Errors of SQLite, as all functions here do.
  func write(_ changes: PendingChanges, _ own: OwnRemovals) throws -> Int {
    for clearing in changes.clearings { try clear(clearing) }
    if !changes.clearings.isEmpty {
      try execute("DELETE FROM scope WHERE id NOT IN (SELECT scope FROM result)")
    }
    // In a damaged file the number of removals may be anything.
    let totals = try ResultTotals.plausible(database)
    let stamp = totals.stamp
    var written = 0
    for (key, change) in changes.changes {
      if let row = change.row, own.areAll(since: change.removals, until: totals.removals) {
        written += 1
        try keep(key, row, used: stamp &+ Int64(changes.uses[key] ?? 0))
      } else if change.isRemoved {
        try execute("DELETE FROM result WHERE \(Self.isRow)", Self.arguments(key))
      }
    }
    for (key, place) in changes.uses where changes.changes[key] == nil {
      try execute(
        "UPDATE result SET used = ? WHERE \(Self.isRow)",
        [stamp &+ Int64(place)] + Self.arguments(key))
    }
    try execute(
      "UPDATE totals SET stamp = ?, removals = ?",
      [stamp &+ Int64(changes.useCount), totals.removals + (changes.removes ? 1 : 0)])
    return written
  }

  /// Removes the results that exceed limits: the expired ones, and then the least recently used.
  func apply(_ limits: MemoLimits, now: Int64) throws -> ResultFile.Outcome {
    var outcome = ResultFile.Outcome()
    if let age = limits.ageInNanoseconds {
      let (oldest, isOverflow) = now.subtractingReportingOverflow(Int64(clamping: age))
      try execute(
        "DELETE FROM result WHERE written <= ? OR written > ?", [isOverflow ? .min : oldest, now])
      outcome.expirations = database.changesCount
    }
    let totals = try ResultTotals.plausible(database)
    if let limit = limits.count, totals.count > limit {
      try execute(
        "DELETE FROM result WHERE id IN (SELECT id FROM result ORDER BY used, id LIMIT ?)",
        [totals.count - limit])
      outcome.evictions += database.changesCount
    }
    if let limit = limits.cost { outcome.evictions += try lowerCost(to: limit) }
    return outcome
  }

  private func lowerCost(to limit: Int) throws -> Int {
    var excess = Int128(try ResultTotals.plausible(database).cost) - Int128(limit)
    guard excess > 0 else { return 0 }
    var removed: [Int64] = []
    let rows = try Row.fetchCursor(database, sql: "SELECT id, cost FROM result ORDER BY used, id")
    while excess > 0, let row = try rows.next() {
      removed.append(Int64.fromDatabaseValue(row[0]) ?? 0)
      excess -= Int128(Int64.fromDatabaseValue(row[1]) ?? 0)
    }
    for id in removed { try execute("DELETE FROM result WHERE id = ?", [id]) }
    return removed.count
  }

  private func keep(_ key: RowKey, _ row: StoredRow, used: Int64) throws {
    try execute(
      "INSERT OR IGNORE INTO scope (name, identity) VALUES (?, ?)",
      [Data(key.scope.name), Data(key.scope.identity)])
    try execute(
      """
      INSERT INTO result (scope, key, value, cost, written, used, checksum)
      VALUES ((SELECT id FROM scope WHERE identity = ?), ?, ?, ?, ?, ?, ?)
      ON CONFLICT (scope, key) DO UPDATE SET value = excluded.value, cost = excluded.cost,
        written = excluded.written, used = excluded.used, checksum = excluded.checksum
      """,
      Self.arguments(key) + [Data(row.value), row.cost, row.written, used, row.checksum(key)])
  }

  private func clear(_ clearing: PendingChanges.Clearing) throws {
    switch clearing {
    case .everything: try execute("DELETE FROM result")
    case .name(let name):
      try execute(
        "DELETE FROM result WHERE scope IN (SELECT id FROM scope WHERE name = ?)",
        [Data(name)])
    case .scope(let scope):
      try execute(
        "DELETE FROM result WHERE scope = (SELECT id FROM scope WHERE identity = ?)",
        [Data(scope.identity)])
    }
  }

  private static let isRow = "scope = (SELECT id FROM scope WHERE identity = ?) AND key = ?"

  private static func arguments(_ key: RowKey) -> StatementArguments {
    [Data(key.scope.identity), Data(key.key)]
  }

  private func execute(
    _ sql: String, _ arguments: StatementArguments = StatementArguments()
  )
    throws
  {
    try database.cachedStatement(sql: sql).execute(arguments: arguments)
  }
}
#endif
