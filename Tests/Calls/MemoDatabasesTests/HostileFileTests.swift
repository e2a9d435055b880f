#if Database
import BlockHooks
import BlockABI
import CallMemoization
import Foundation
import GRDB
import Glibc
import MemoDatabases
import TestSupport
import XCTest

/// What somebody else puts in the place of a file, or into it.
final class HostileFileTests: XCTestCase {
  func testWhatIsNoFileIsRefused() throws {
    let files = try DatabaseFiles(self)
    let pipe = files.directory + "/pipe"
    // SAFETY: the path is a C string for the time of the call.
    XCTAssertEqual(unsafe mkfifo(pipe, 0o600), 0)
    for path in [pipe, "/dev/zero", "/dev/null", files.directory] {
      expectToEnd(path) {
        do throws(MemoizationError) {
          _ = try MemoDatabase(at: path)
          XCTFail("\(path) was opened")
        } catch {
          XCTAssertEqual(error.code, .databaseFailed, path)
          XCTAssertTrue(error.message.contains("no regular file"), error.message)
        }
      }
    }
    XCTAssertEqual(
      try FileManager.default.contentsOfDirectory(atPath: files.directory), ["pipe"])
  }

  func testAFileOfTwoNamesIsRefused() throws {
    let files = try DatabaseFiles(self)
    let block = try CountedBlock.squares()
    try files.with(block) { _, _ in _ = try block.square(1) }
    let other = files.directory + "/other.sqlite"
    try FileManager.default.linkItem(atPath: files.path, toPath: other)
    // Each name would have a log of its own.
    for path in [files.path, other] {
      expectError(.databaseFailed, "another name") { _ = try MemoDatabase(at: path) }
    }
    try FileManager.default.removeItem(atPath: other)
    try files.with(block) { _, _ in XCTAssertEqual(try block.square(1), 1) }
    XCTAssertEqual(block.count, 1)
  }

  func testTablesThatAreExchangedWhileAFileIsOpenAreNotUsed() throws {
    let endless = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n)"
    let columns = "x AS id, 1 AS scope, 1 AS key, 1 AS value, 1 AS cost, 1 AS written"
    for sql in [
      "DROP TABLE result; CREATE VIEW result AS \(endless) SELECT \(columns), 1 AS used, "
        + "1 AS checksum FROM n WHERE x < 0",
      "CREATE TRIGGER more AFTER INSERT ON result BEGIN DELETE FROM scope WHERE id IN "
        + "(\(endless) SELECT x FROM n WHERE x < 0); END",
    ] {
      let files = try DatabaseFiles(self)
      let database = try files.open()
      let block = try CountedBlock.squares()
      try block.block.install(.memoizing(in: database, named: "block"))
      XCTAssertEqual(try block.square(1), 1)
      database.flush()
      // It changes the version of the schema, and not the tables.
      try DatabaseQueue(path: files.path).vacuum()
      XCTAssertEqual(try block.square(2), 4)
      database.flush()
      XCTAssertEqual([database.statistics.failures, database.statistics.count], [0, 2])
      try DatabaseQueue(path: files.path).write { try $0.execute(sql: sql) }
      expectToEnd(sql) {
        XCTAssertEqual(try? block.square(3), 9)
        database.flush()
        _ = database.statistics
      }
      XCTAssertGreaterThan(database.statistics.failures, 1)
      XCTAssertTrue(expectToEnd { while files.reports.entries.isEmpty { sched_yield() } })
      XCTAssertEqual(files.reports.entries.map(\.code), [.foreignDatabase])
    }
  }

  func testAgesBeginWithTheReturnOfTheCallHoweverLongItsCostTakes() throws {
    let files = try DatabaseFiles(self)
    let block = try CountedBlock.squares()
    let database = try files.open(MemoLimits(age: .seconds(10)))
    let installed = try block.block.install(
      .memoizing(
        in: database, named: "block",
        cost: { _, _ in
          files.time.value += 9_000_000_000
          return 1
        }))
    XCTAssertEqual(try block.square(1), 1)
    database.flush()
    installed.hook.remove()
    files.time.value += 2_000_000_000
    try block.block.install(.memoizing(in: database, named: "block"))
    XCTAssertEqual([try block.square(1), block.count], [1, 2])
  }
}
#endif
