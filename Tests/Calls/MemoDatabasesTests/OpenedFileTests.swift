#if Database
import BlockHooks
import BlockABI
import CallMemoization
import Foundation
import GRDB
import Invocations
import MemoDatabases
import TestSupport
import XCTest

/// Which file is opened, with which rights, how long that takes, and what is in it.
final class OpenedFileTests: XCTestCase {
  private func returning(_ version: Recorded<Int>) throws -> CountedBlock {
    try CountedBlock("q@?q") { try $0.setResult(version.value) }
  }

  func testARelativePathIsThatOfTheOpening() throws {
    let files = try DatabaseFiles(self)
    let (first, second) = (files.directory + "/first", files.directory + "/second")
    let before = FileManager.default.currentDirectoryPath
    defer { _ = FileManager.default.changeCurrentDirectoryPath(before) }
    let version = Recorded(2)
    let block = try returning(version)
    for directory in [second, first] {
      try FileManager.default.createDirectory(
        atPath: directory, withIntermediateDirectories: true)
      XCTAssertTrue(FileManager.default.changeCurrentDirectoryPath(directory))
      let database = try MemoDatabase(at: "results.sqlite")
      XCTAssertEqual(database.path, directory + "/results.sqlite")
      // The first file has no result, and the second is in the directory when it is looked for.
      if directory == first { _ = FileManager.default.changeCurrentDirectoryPath(second) }
      let installed = try block.block.install(.memoizing(in: database, named: "block"))
      XCTAssertEqual(try block.square(1), version.value)
      database.flush()
      XCTAssertEqual([database.statistics.failures, database.statistics.count], [0, 1])
      installed.hook.remove()
      version.value = 1
    }
  }

  func testAFileInItsPlaceIsNotRead() throws {
    let (files, others) = (try DatabaseFiles(self), try DatabaseFiles(self))
    let version = Recorded(2)
    let block = try returning(version)
    try others.with(block) { _, _ in XCTAssertEqual(try block.square(1), 2) }
    version.value = 1
    let database = try files.open()
    let installed = try block.block.install(
      .memoizing(
        in: database, named: "block", limits: MemoLimits(count: 1)))
    for name in ["", "-wal", "-shm"] {
      if FileManager.default.fileExists(atPath: others.path + name) {
        XCTAssertEqual(unsafe rename(others.path + name, files.path + name), 0)
      }
    }
    for value in [1, 2, 1] { XCTAssertEqual(try block.square(value), 1) }
    database.flush()
    XCTAssertGreaterThan(database.statistics.failures, 0)
    XCTAssertTrue(expectToEnd { while files.reports.entries.isEmpty { sched_yield() } })
    XCTAssertTrue(
      files.reports.entries.first?.message.contains("another file") == true,
      "\(files.reports.entries)")
    installed.hook.remove()
    // The file in its place is whole, and has what it had.
    version.value = 3
    try files.with(block) { _, _ in XCTAssertEqual(try block.square(1), 2) }
  }

  func testFilesMayBeReadByTheirOwnerOnly() throws {
    let files = try DatabaseFiles(self)
    let block = try CountedBlock.squares()
    try files.with(block) { database, _ in
      _ = try block.square(1)
      database.flush()
      let names = try FileManager.default.contentsOfDirectory(atPath: files.directory)
      XCTAssertEqual(names.count, 3)
      for name in names {
        let mode = try FileManager.default.attributesOfItem(
          atPath: files.directory + "/" + name)[.posixPermissions]
        XCTAssertEqual(mode as? Int, 0o600, name)
      }
    }
  }

  func testOpeningALockedFileTakesThePatienceOnce() throws {
    let files = try DatabaseFiles(self)
    _ = try files.open()
    try files.locked {
      expectToEnd("the opening") {
        do throws(MemoizationError) {
          _ = try files.open(patience: 1)
          XCTFail("it was opened")
        } catch {
          XCTAssertEqual(error.code, .databaseFailed)
          XCTAssertTrue(error.message.contains("another process"), error.message)
        }
      }
    }
    _ = try files.open()
  }

  func testAFileWithOtherTablesIsRefusedUnread() throws {
    let columns = "x AS id, 1 AS scope, 1 AS key, 1 AS value, 1 AS cost, 1 AS written, "
    let endless = """
      CREATE VIEW result AS WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n)
      SELECT \(columns) 1 AS used, 1 AS checksum FROM n WHERE x < 0
      """
    for sql in [
      "DROP TABLE result; \(endless)", "CREATE TABLE other (text)", "DROP INDEX resultByUse",
      "CREATE TRIGGER more AFTER INSERT ON result BEGIN DELETE FROM scope; END",
      "ALTER TABLE totals ADD COLUMN more", "DROP TRIGGER resultAdded", "DROP TABLE totals",
    ] {
      let files = try DatabaseFiles(self)
      _ = try files.open()
      try DatabaseQueue(path: files.path).write { try $0.execute(sql: sql) }
      expectToEnd(sql) {
        do throws(MemoizationError) {
          _ = try files.open()
          XCTFail("it was opened: \(sql)")
        } catch {
          XCTAssertEqual(error.code, .foreignDatabase, sql)
        }
      }
    }
  }

  func testDamagedTotalsAreCountedAnewAtTheOpeningAndWhenTheyAreNegative() throws {
    let limits = MemoLimits(count: 5, cost: 1000)
    for isOpen in [false, true] {
      let damages =
        isOpen
        ? ["count = -1000", "cost = -5", "count = 'text'"]
        : [
          "count = -1000", "count = 1000", "count = 0", "cost = 'text'", "cost = 7",
          "cost = 1e300", "stamp = 'text'", "stamp = -5", "stamp = 9223372036854775800",
        ]
      for damage in damages {
        let files = try DatabaseFiles(self)
        let block = try CountedBlock.squares()
        var database = try files.open(limits)
        func damageTotals() throws {
          try DatabaseQueue(path: files.path).write {
            try $0.execute(sql: "UPDATE totals SET \(damage)")
          }
        }
        func call(_ values: Range<Int>) throws {
          let installed = try block.block.install(.memoizing(in: database, named: "block"))
          for value in values { XCTAssertEqual(try block.square(value), value * value) }
          database.flush()
          installed.hook.remove()
        }
        try call(0..<3)
        if !isOpen { database = try files.open(limits) }
        try damageTotals()
        if !isOpen { database = try files.open(limits) }
        XCTAssertEqual(isOpen ? 3 : database.statistics.count, 3, damage)
        try call(3..<30)
        try DatabaseQueue(path: files.path).read { file in
          XCTAssertEqual(try Int.fetchOne(file, sql: "SELECT count(*) FROM result"), 5, damage)
        }
        XCTAssertEqual(
          [
            database.statistics.count, database.statistics.totalCost,
            database.statistics.failures,
          ], [5, 5, 0], damage)
        // The order of uses is right.
        let count = block.count
        try call(25..<30)
        XCTAssertEqual(block.count, count, damage)
      }
    }
  }
}
#endif
