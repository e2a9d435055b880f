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

/// Files that cannot be used, and rows that are not what was written.
final class DamagedFileTests: XCTestCase {
  /// Changes a file with SQLite itself.
  private func change(_ files: DatabaseFiles, _ sql: String) throws {
    try DatabaseQueue(path: files.path).write { try $0.execute(sql: sql) }
  }

  private func fill(_ files: DatabaseFiles, _ count: Int = 20) throws {
    let block = try CountedBlock.squares()
    try files.with(block) { _, _ in for value in 0..<count { _ = try block.square(value) } }
  }

  func testAFileThatIsNoDatabaseIsRefusedAndKept() throws {
    let files = try DatabaseFiles(self)
    let text = Data(String(repeating: "This is a letter. ", count: 500).utf8)
    try text.write(to: URL(fileURLWithPath: files.path))
    expectError(.foreignDatabase, "another path") { _ = try files.open() }
    XCTAssertEqual(try Data(contentsOf: URL(fileURLWithPath: files.path)), text)
  }

  func testADatabaseOfAnotherProgramIsRefusedAndKept() throws {
    for sql in [
      "CREATE TABLE letter (text)", "PRAGMA user_version = 7", "PRAGMA application_id = 7",
    ] {
      let files = try DatabaseFiles(self)
      try change(files, sql)
      let content = try Data(contentsOf: URL(fileURLWithPath: files.path))
      expectError(.foreignDatabase, "another program") { _ = try files.open() }
      XCTAssertEqual(try Data(contentsOf: URL(fileURLWithPath: files.path)), content)
    }
  }

  func testAFileOfANewerVersionIsRefused() throws {
    let files = try DatabaseFiles(self)
    try fill(files)
    try change(files, "PRAGMA user_version = 2")
    expectError(.newerDatabase, "version 2") { _ = try files.open() }
  }

  func testPathsThatNameNoFileAreRefused() throws {
    let files = try DatabaseFiles(self)
    for path in [
      "", ":memory:", "file:results?mode=memory", "a\0b", files.directory,
      files.directory + "/none/results", "/dev/null", "/proc/results",
    ] {
      expectError(.databaseFailed) { _ = try MemoDatabase(at: path) }
    }
    expectError(.invalidLimit) { _ = try files.open(MemoLimits(count: 0)) }
    XCTAssertEqual(try FileManager.default.contentsOfDirectory(atPath: files.directory), [])
  }

  func testADirectoryThatMayNotBeWrittenIsRefused() throws {
    let files = try DatabaseFiles(self)
    try fill(files)
    func setMode(_ mode: Int, _ path: String) {
      try? FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
    }
    for name in ["", "-wal", "-shm"] { setMode(0o444, files.path + name) }
    setMode(0o555, files.directory)
    defer { setMode(0o755, files.directory) }
    let outcome = try files.run("open", "nobody")
    XCTAssertEqual([outcome.output, "\(outcome.status)"], ["databaseFailed\n", "2"])
    XCTAssertEqual(outcome.errors, "")
  }

  func testADiskWithoutRoomIsRefused() throws {
    let outcome = try DatabaseFiles(self).run("open", "small")
    XCTAssertEqual([outcome.output, "\(outcome.status)"], ["databaseFailed\n", "2"])
  }

  func testADiskThatFillsUpLaterFailsNoCall() throws {
    let outcome = try DatabaseFiles(self).run("full")
    XCTAssertEqual(outcome.status, 0)
    let words = outcome.output.split(whereSeparator: \.isWhitespace)
    XCTAssertEqual(words.prefix(3), ["reported", "databaseFailed", "failures"])
    XCTAssertEqual(words.suffix(2), ["skipped", "10"])
    // The results were written in some transactions, of which each failed.
    XCTAssert((1...10).contains(words.dropFirst(3).first.flatMap { Int($0) } ?? 0), outcome.output)
  }

  func testARowThatIsNotWhatWasWrittenIsAMiss() throws {
    let changes = [
      "UPDATE result SET value = X'00'", "UPDATE result SET value = zeroblob(length(value))",
      "UPDATE result SET value = 'text'", "UPDATE result SET cost = 'text'",
      "UPDATE result SET cost = 3", "UPDATE result SET written = written + 1",
      "UPDATE result SET written = 'text'", "UPDATE result SET checksum = 0",
      "UPDATE result SET checksum = X'FF'", "UPDATE result SET checksum = 1.5",
      "UPDATE result SET key = CAST(key AS TEXT)",
      // The rows of one key are those of another.
      "UPDATE result SET value = (SELECT value FROM result WHERE id = 5)",
    ]
    for sql in changes {
      let files = try DatabaseFiles(self)
      try fill(files)
      try change(files, sql)
      let block = try CountedBlock.squares()
      try files.with(block) { database, memo in
        for value in 0..<20 { XCTAssertEqual(try block.square(value), value * value, sql) }
        XCTAssertGreaterThanOrEqual(block.count, 19, sql)
        database.flush()
        // It is written anew.
        block.block.removeHooks()
        try block.block.install(.memoizing(in: database, named: "block"))
        let count = block.count
        for value in 0..<20 { XCTAssertEqual(try block.square(value), value * value, sql) }
        XCTAssertEqual(block.count, count, sql)
      }
    }
  }

  func testDamagedTotalsGiveNoWrongResultAndEndNoProcess() throws {
    for change in [
      "stamp = 9223372036854775806", "stamp = -9223372036854775808", "cost = 9e18", "cost = -1",
      "cost = 9223372036854775807", "count = 9223372036854775807", "count = -9223372036854775808",
    ] {
      let files = try DatabaseFiles(self)
      try fill(files)
      try self.change(files, "UPDATE totals SET \(change)")
      let block = try CountedBlock.squares()
      try files.with(block, limits: MemoLimits(count: 100, cost: 1000)) { database, _ in
        for value in 0..<40 { XCTAssertEqual(try block.square(value), value * value, change) }
        database.flush()
        for value in 0..<40 { XCTAssertEqual(try block.square(value), value * value, change) }
        XCTAssertEqual(database.statistics.damaged, 0, change)
      }
    }
  }

  func testARowOfAnotherBlockIsAMiss() throws {
    let files = try DatabaseFiles(self)
    let cubes = try CountedBlock("q@?q") { call in
      let value: Int = try call.argument(1)
      try call.setResult(value * value * value)
    }
    try files.with(cubes, named: "other") { _, _ in _ = try cubes.square(3) }
    try change(
      files,
      """
      UPDATE scope SET name = CAST('block' AS BLOB),
        identity = CAST(replace(CAST(identity AS TEXT), 'other', 'block') AS BLOB)
      """)
    let block = try CountedBlock.squares()
    try files.with(block) { database, _ in
      XCTAssertEqual(try block.square(3), 9)
      XCTAssertEqual([database.statistics.damaged, block.count], [1, 1])
    }
  }

  func testNoDamageOfAFileGivesAWrongResultOrEndsTheProcess() throws {
    let files = try DatabaseFiles(self)
    try fill(files, 300)
    let whole = try Data(contentsOf: URL(fileURLWithPath: files.path))
    var generator = SeededGenerator(seed: 3)
    var (refused, recomputed) = (0, 0)
    for round in 0..<shortened(150) {
      var content = whole
      if round % 3 == 0 {
        content = content.prefix(Int.random(in: 1..<content.count, using: &generator))
      } else {
        for _ in 0..<(round % 3 == 1 ? 1 : 200) {
          content[Int.random(in: 0..<content.count, using: &generator)] =
            UInt8.random(in: 0...255, using: &generator)
        }
      }
      for name in ["-wal", "-shm", "-journal"] {
        try? FileManager.default.removeItem(atPath: files.path + name)
      }
      try content.write(to: URL(fileURLWithPath: files.path))
      let block = try CountedBlock.squares()
      do {
        try files.with(block) { _, _ in
          for value in 0..<300 { XCTAssertEqual(try block.square(value), value * value) }
        }
        if block.count > 0 { recomputed += 1 }
      } catch is MemoizationError {
        refused += 1
      }
    }
    XCTAssertGreaterThan(refused, 0)
    XCTAssertGreaterThan(recomputed, 0)
    files.reports.take().forEach { XCTAssertEqual($0.code, .databaseFailed) }
  }
}
#endif
