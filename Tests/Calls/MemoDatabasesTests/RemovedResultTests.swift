#if Database
import BlockHooks
import BlockABI
import CallMemoization
import Foundation
import Invocations
import MemoDatabases
import Synchronization
import TestSupport
import XCTest

/// Removed results, which never come back, whatever is written, and by whom.
final class RemovedResultTests: XCTestCase {
  private func returning(
    _ version: Recorded<Int>, _ signature: String = "q@?q"
  ) throws
    -> CountedBlock
  {
    try CountedBlock(signature) { try $0.setResult(version.value) }
  }

  func testARemovalThatCouldNotBeWrittenSurvivesAResultThatCouldNotBeEither() throws {
    let removals: [@Sendable (Memo, MemoDatabase) throws -> Void] = [
      { memo, _ in XCTAssertTrue(try memo.remove(arguments: [1])) },
      { memo, _ in memo.removeAll() },
      { memo, _ in XCTAssertEqual(memo.removeAll { $0.arguments == [1] }, 1) },
      { _, database in database.removeAll(named: "block") },
    ]
    for remove in removals {
      let files = try DatabaseFiles(self)
      let version = Recorded(1)
      let block = try returning(version)
      let database = try files.open(patience: 0)
      let memo = try block.block.install(
        .memoizing(
          in: database, named: "block", limits: MemoLimits(count: 1))
      ).handle
      XCTAssertEqual(try block.square(1), 1)
      database.flush()
      try files.locked {
        try remove(memo, database)
        version.value = 2
        XCTAssertEqual(try block.square(1), 2)
        database.flush()
      }
      // The memory has room for one.
      _ = try block.square(5)
      database.flush()
      XCTAssertEqual(try block.square(1), 2)
      XCTAssertGreaterThan(database.statistics.failures, 1)
    }
  }

  func testNamesAreComparedByTheirBytes() throws {
    let names = ["caf\u{E9}", "cafe\u{301}", "a", "a\0", "a\0b", "a\0c", ""]
    for name in names {
      let files = try DatabaseFiles(self)
      let version = Recorded(1)
      let blocks = try names.map { _ in try returning(version) }
      let database = try files.open()
      func call() throws -> [Int] { try blocks.map { try $0.square(1) } }
      for (block, name) in zip(blocks, names) {
        // A result of each that is not in memory, and one that is.
        try block.block.install(.memoizing(in: database, named: name, limits: MemoLimits(count: 1)))
        XCTAssertEqual([try block.square(2), try block.square(1)], [1, 1])
      }
      database.flush()
      XCTAssertEqual(blocks.map(\.count), names.map { _ in 2 })
      version.value = 2
      database.removeAll(named: name)
      for value in [1, 2] {
        XCTAssertEqual(
          try blocks.map { try $0.square(value) },
          names.map { Array($0.utf8) == Array(name.utf8) ? 2 : 1 }, name.debugDescription)
      }
    }
  }

  func testKeysAreComparedByTheirBytesInBothTiers() throws {
    struct Pair: Codable, Hashable {
      var text: String
      var number: Double
    }
    func check<Key: Codable & Hashable & Sendable>(_ keys: [Key]) throws {
      let files = try DatabaseFiles(self)
      let version = Recorded(1)
      let block = try returning(version)
      let database = try files.open()
      for limit in [1, 10] {
        let installed = try block.block.install(
          .memoizing(
            in: database, named: "block", limits: MemoLimits(count: limit),
            key: { keys[try $0.argument(1)] }))
        let memo = installed.handle
        for (index, key) in keys.enumerated() {
          version.value = 1
          memo.removeAll()
          let count = block.count
          for _ in 0..<2 { for place in keys.indices { _ = try block.square(place) } }
          XCTAssertEqual(block.count - count, keys.count, "\(keys)")
          version.value = 2
          if index % 2 == 0 {
            XCTAssertTrue(memo.remove(key: key))
          } else {
            XCTAssertTrue(database.remove(key: key, named: "block"))
          }
          XCTAssertFalse(memo.remove(key: key))
          for place in keys.indices {
            XCTAssertEqual(try block.square(place), place == index ? 2 : 1, "\(keys) \(index)")
          }
        }
        installed.hook.remove()
      }
    }
    try check(["\u{E9}", "e\u{301}", "e", "e\0"])
    try check([0.0, -0.0, 1])
    try check([Pair(text: "\u{E9}", number: 0), Pair(text: "e\u{301}", number: -0.0)])
    try check([1, 2, Int.min, Int.max])
    try check([["\u{E9}"], ["e\u{301}"]])
    try check([UUID(), UUID()])
  }

  func testKeysOfOtherTypesWithTheSameBytesStay() throws {
    let files = try DatabaseFiles(self)
    let database = try files.open()
    func memoize<Key: Codable & Hashable & Sendable>(
      _ key: @escaping @Sendable (Int) -> Key
    ) throws -> CountedBlock {
      let block = try CountedBlock.squares()
      try block.block.install(
        .memoizing(in: database, named: "block", key: { key(try $0.argument(1)) }))
      return block
    }
    let blocks = [
      try memoize { $0 }, try memoize { "\($0)" }, try memoize { UInt8($0) },
      try memoize { Double($0) }, try memoize { Optional($0) },
    ]
    func call() throws -> [Int] {
      for block in blocks { XCTAssertEqual(try block.square(3), 9) }
      database.flush()
      return blocks.map(\.count)
    }
    XCTAssertEqual(try call(), [1, 1, 1, 1, 1])
    XCTAssertTrue(database.remove(key: "3", named: "block"))
    XCTAssertFalse(database.remove(key: Int16(3), named: "block"))
    XCTAssertEqual(database.statistics.count, 4)
    XCTAssertTrue(database.remove(key: 3, named: "block"))
    XCTAssertEqual(database.statistics.count, 3)
    XCTAssertEqual(try call(), [2, 2, 1, 1, 1])
    XCTAssertTrue(database.remove(key: 3 as Int?, named: "block"))
    XCTAssertEqual(try call(), [2, 2, 1, 1, 2])
  }

  func testEqualNumbersInObjectsAreOneInBothTiers() throws {
    let files = try DatabaseFiles(self)
    let version = Recorded(1)
    let block = try returning(version, "q@?@")
    let database = try files.open()
    let memo = try block.block.install(
      .memoizing(
        in: database, named: "block", limits: MemoLimits(count: 1))
    ).handle
    func call(_ number: NSNumber) throws -> Int { try block.block.call(number as AnyObject) }
    let ones = [NSNumber(value: 1), NSNumber(value: 1.0), NSNumber(value: UInt8(1))]
    let others = [
      NSNumber(value: true), NSNumber(value: 0.0), NSNumber(value: -0.0), NSNumber(value: 1.5),
      NSNumber(value: UInt64.max), NSNumber(value: Double.nan),
    ]
    for _ in 0..<2 { for number in ones + others { XCTAssertEqual(try call(number), 1) } }
    XCTAssertEqual(block.count, 1 + others.count)
    version.value = 2
    XCTAssertTrue(try memo.remove(arguments: [.object(ones[1])]))
    XCTAssertEqual(try ones.map(call), [2, 2, 2])
    XCTAssertEqual(try others.map(call), others.map { _ in 1 })
  }

  func testAResultThatAnotherProcessRemovesBeforeItIsWrittenIsNotWritten() throws {
    // The other database is as that of another process.
    let removals: [@Sendable (Memo, MemoDatabase) throws -> Void] = [
      { memo, _ in _ = memo.remove(key: 1) }, { memo, _ in memo.removeAll() },
      { memo, _ in memo.removeAll { $0.key == AnyHashable(1) } },
      { _, other in other.remove(key: 1, named: "block") }, { _, other in other.removeAll() },
      { _, other in other.removeAll(named: "block") },
    ]
    for (index, remove) in removals.enumerated() {
      let files = try DatabaseFiles(self)
      let (database, other) = (try files.open(), try files.open())
      let key: @Sendable (inout CallFrame) throws -> Int = { try $0.argument(1) }
      let others = try CountedBlock.squares().block.install(
        .memoizing(
          in: other, named: "block", key: key)
      ).handle
      let isFirst = Atomic(true)
      let block = try CountedBlock("q@?q") { call in
        if isFirst.exchange(false, ordering: .relaxed) { try remove(others, other) }
        try call.setResult(call.argument(1, as: Int.self))
      }
      for _ in 0..<2 {
        let installed = try block.block.install(.memoizing(in: database, named: "block", key: key))
        XCTAssertEqual(try block.square(1), 1)
        database.flush()
        installed.hook.remove()
      }
      XCTAssertEqual(block.count, 2, "removal \(index)")
      // What came after it is written.
      let installed = try block.block.install(.memoizing(in: database, named: "block", key: key))
      XCTAssertEqual([try block.square(1), block.count], [1, 2], "removal \(index)")
      installed.hook.remove()
    }
  }

  func testAnOwnRemovalOfOthersLeavesAResultThatIsBeingComputed() throws {
    let files = try DatabaseFiles(self)
    let database = try files.open()
    let token = Recorded<Memo?>(nil)
    let block = try CountedBlock("q@?q") { call in
      for other in 2..<9 { try token.value?.remove(arguments: [.integer(Int128(other))]) }
      try call.setResult(call.argument(1, as: Int.self))
    }
    for _ in 0..<2 {
      token.value = try block.block.install(.memoizing(in: database, named: "block")).handle
      XCTAssertEqual(try block.square(1), 1)
      database.flush()
      block.block.removeHooks()
    }
    token.value = nil
    XCTAssertEqual(block.count, 1)
  }

  /// A clock that goes back once.
  private final class Unsteady: Clock {
    struct Instant: InstantProtocol {
      let offset: Duration
      func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
      func duration(to other: Instant) -> Duration { other.offset - offset }
      static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
    }

    private let readings = Atomic(0)
    private let turn: Int

    init(turn: Int) { self.turn = turn }

    // It stands at 0 when it is first read, then at 100 s, and after the turn at 1 s.
    var now: Instant {
      let number = readings.add(1, ordering: .relaxed).newValue
      return Instant(offset: .seconds(number == 1 ? 0 : number <= turn ? 100 : 1))
    }

    var minimumResolution: Duration { .nanoseconds(1) }
    func sleep(until deadline: Instant, tolerance: Duration?) async throws {}
  }

  func testAClockThatGoesBackEndsNoProcess() throws {
    for turn in 1...8 {
      let files = try DatabaseFiles(self)
      let block = try CountedBlock.squares()
      try files.with(block) { _, _ in _ = try block.square(3) }
      files.time.value += 2_000_000_000
      let database = try files.open(MemoLimits(age: .seconds(1000)))
      try block.block.install(
        .memoizing(
          in: database, named: "block", limits: MemoLimits(age: .seconds(1000)),
          clock: Unsteady(turn: turn)))
      for _ in 0..<4 {
        XCTAssertEqual(try block.square(3), 9)
        files.time.value -= 500_000_000
      }
    }
  }
}
#endif
