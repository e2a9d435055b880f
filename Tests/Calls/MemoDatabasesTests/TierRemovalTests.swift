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

/// Removals, which reach both tiers.
final class TierRemovalTests: XCTestCase {
  func testARemovalReachesBothTiers() throws {
    let files = try DatabaseFiles(self)
    let block = try CountedBlock.squares()
    let database = try files.open()
    let memo = try block.block.install(
      .memoizing(in: database, named: "block", limits: MemoLimits(count: 2))
    ).handle
    func call() throws {
      for value in 1...4 { XCTAssertEqual(try block.square(value), value * value) }
    }
    try call()
    // 1 and 2 are in the file only.
    XCTAssertTrue(try memo.remove(arguments: [.integer(1)]))
    XCTAssertTrue(try memo.remove(arguments: [.integer(4)]))
    XCTAssertFalse(try memo.remove(arguments: [.integer(4)]))
    XCTAssertEqual([database.statistics.count, memo.count], [2, 1])
    try call()
    XCTAssertEqual(block.count, 6)
    let seen = Recorder<String>()
    let count = memo.removeAll { call in
      seen.record("\(call.arguments) \(call.result)")
      return call.arguments != [.integer(2)]
    }
    XCTAssertEqual(count, 3)
    XCTAssertEqual(Set(seen.entries).count, 4)
    XCTAssertEqual(seen.entries.count, 4)
    XCTAssertEqual(database.statistics.count, 1)
    try call()
    XCTAssertEqual(block.count, 9)
    memo.removeAll()
    XCTAssertEqual([database.statistics.count, memo.count], [0, 0])
    try call()
    XCTAssertEqual(block.count, 13)
  }

  func testAPredicateThatThrowsRemovesNothing() throws {
    struct Stop: Error {}
    let files = try DatabaseFiles(self)
    let block = try CountedBlock.squares()
    try files.with(block) { database, memo in
      for value in 1...4 { _ = try block.square(value) }
      database.flush()
      XCTAssertThrowsError(
        try memo.removeAll { call in
          guard call.arguments == [.integer(1)] else { throw Stop() }
          return true
        })
      XCTAssertEqual([memo.count, database.statistics.count], [4, 4])
    }
  }

  func testARemovalFromTheDatabaseReachesTheMemoryOfItsHooks() throws {
    let files = try DatabaseFiles(self)
    let database = try files.open()
    let (first, second) = (try CountedBlock.squares(), try CountedBlock.squares())
    let key: @Sendable (inout CallFrame) throws -> Int = { try $0.argument(1) }
    try first.block.install(.memoizing(in: database, named: "first", key: key))
    try second.block.install(.memoizing(in: database, named: "second", key: key))
    func call() throws {
      for value in 1...3 {
        XCTAssertEqual(try first.square(value), value * value)
        XCTAssertEqual(try second.square(value), value * value)
      }
    }
    try call()
    XCTAssertTrue(database.remove(key: 2, named: "first"))
    XCTAssertFalse(database.remove(key: 2, named: "first"))
    XCTAssertFalse(database.remove(key: "2", named: "first"))
    try call()
    XCTAssertEqual([first.count, second.count], [4, 3])
    database.removeAll(named: "second")
    try call()
    XCTAssertEqual([first.count, second.count], [4, 6])
    database.removeAll()
    XCTAssertEqual(database.statistics.count, 0)
    try call()
    XCTAssertEqual([first.count, second.count], [7, 9])
  }

  func testAResultThatIsRemovedDuringItsCallIsNotStored() throws {
    let files = try DatabaseFiles(self)
    let memo = Recorded<Memo?>(nil)
    let block = try CountedBlock("q@?q") { call in
      let value: Int = try call.argument(1)
      try memo.value?.remove(arguments: [.integer(Int128(value))])
      try call.setResult(value)
    }
    let database = try files.open()
    memo.value = try block.block.install(.memoizing(in: database, named: "block")).handle
    _ = try block.square(1)
    database.flush()
    XCTAssertEqual([memo.value?.count, database.statistics.count], [0, 0])
    block.block.removeHooks()
    memo.value = nil
  }

  func testARemovalThatCannotBeWrittenCountsAndIsWrittenLater() throws {
    let files = try DatabaseFiles(self)
    let block = try CountedBlock.squares()
    let database = try files.open(patience: 0)
    let memo = try block.block.install(.memoizing(in: database, named: "block")).handle
    _ = try block.square(1)
    _ = try block.square(2)
    database.flush()
    var configuration = Configuration()
    configuration.allowsUnsafeTransactions = true
    let other = try DatabaseQueue(path: files.path, configuration: configuration)
    try other.inDatabase { try $0.execute(sql: "BEGIN IMMEDIATE") }
    XCTAssertTrue(try memo.remove(arguments: [.integer(1)]))
    XCTAssertEqual(database.statistics.failures, 1)
    XCTAssertEqual(database.statistics.count, 2)
    // It is not found, though it is in the file.
    XCTAssertEqual(memo.removeAll { _ in false }, 0)
    XCTAssertEqual(try block.square(1), 1)
    XCTAssertEqual(block.count, 3)
    memo.removeAll()
    XCTAssertEqual(try block.square(2), 4)
    XCTAssertEqual(block.count, 4)
    memo.removeAll()
    try other.inDatabase { try $0.execute(sql: "ROLLBACK") }
    database.flush()
    XCTAssertEqual(database.statistics.count, 0)
    XCTAssertTrue(expectToEnd { while files.reports.entries.isEmpty { sched_yield() } })
    XCTAssertEqual(files.reports.entries.map(\.code), [.databaseFailed])
  }

  func testRemovalsThatCannotBeWrittenAreBoundedAndNoneIsForgotten() throws {
    let scopes = (0..<3).map { ResultScope(name: "block\($0)", version: 1, parts: []) }
    let row = StoredRow(value: [1], cost: 1, written: 0)
    var pending = PendingChanges()
    for number in 0..<5000 {
      let key = RowKey(scope: scopes[number % 2], key: Array("\(number)".utf8))
      pending.remove([key])
      if number % 500 == 0 {
        XCTAssertTrue(pending.keep(row, of: RowKey(scope: scopes[2], key: [1]), since: 0))
      }
      // The file cannot be written.
      guard number % 20 == 0 else { continue }
      let failed = pending
      pending = PendingChanges()
      pending.takeRemovals(of: failed)
      XCTAssertLessThanOrEqual(pending.waiting, 2 * PendingChanges.removalCapacity)
    }
    for number in 0..<5000 {
      let key = RowKey(scope: scopes[number % 2], key: Array("\(number)".utf8))
      XCTAssertEqual(pending.change(of: key)?.isRemoved, true)
    }
    XCTAssertNil(pending.change(of: RowKey(scope: scopes[2], key: [1])))
    for number in 0..<2500 {
      pending.clear(.name(Array("\(number)".utf8)))
      guard number % 20 == 0 else { continue }
      let failed = pending
      pending = PendingChanges()
      pending.takeRemovals(of: failed)
    }
    XCTAssertLessThanOrEqual(pending.waiting, 2 * PendingChanges.removalCapacity)
    let last = ResultScope(name: "17", version: 1, parts: [])
    XCTAssertEqual(pending.change(of: RowKey(scope: last, key: [1]))?.isRemoved, true)
  }
}
#endif
