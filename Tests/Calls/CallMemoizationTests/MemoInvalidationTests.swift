import BlockABI
import BlockHooks
import CallMemoization
import DelayedBlocks
import Dispatch
import Invocations
import Synchronization
import TestSupport
import XCTest

final class MemoInvalidationTests: XCTestCase {
  func testResultsAreRemovedByArgumentsByPredicateAndAltogether() throws {
    let counted = try CountedBlock("q@?i") { call in
      try call.setResult(call.argument(1, as: Int.self) * 10)
    }
    let memo = try counted.block.install(.memoizing()).handle
    for value in 1...6 { _ = try counted.block.call(value) as Int }
    XCTAssertTrue(try memo.remove(arguments: [1]))
    XCTAssertFalse(try memo.remove(arguments: [1]))
    XCTAssertThrowsError(try memo.remove(arguments: [1, 2]))
    XCTAssertThrowsError(try memo.remove(arguments: ["text"]))
    XCTAssertEqual(memo.removeAll { $0.arguments == [2] || $0.result == 30 }, 2)
    XCTAssertEqual(memo.count, 3)
    memo.removeAll()
    XCTAssertEqual([memo.count, memo.statistics.totalCost], [0, 0])
    _ = try counted.block.call(6) as Int
    XCTAssertEqual([counted.count, memo.count], [7, 1])
  }

  func testTheCallersKeysDecideWhatIsTheSame() throws {
    let counted = try CountedBlock("i@?^ii") { call in
      try call.setResult(call.argument(2, as: Int32.self))
    }
    struct Odd: Error {}
    let errors = Recorder<String>()
    let memo = try counted.block.install(
      .memoizing(
        cost: { arguments, _ in arguments.count }, onError: { errors.record("\(type(of: $0))") },
        key: { call in
          let value = try call.argument(2, as: Int.self)
          guard value % 2 == 0 else { throw Odd() }
          return value / 10
        })
    ).handle
    for value in [10, 12, 20, 13, 11] {
      _ = try counted.block.call(values: [.pointer(0), .integer(Int128(value))])
    }
    XCTAssertEqual(
      [counted.count, memo.hits, memo.misses, memo.statistics.totalCost], [4, 1, 4, 4])
    XCTAssertEqual(errors.entries, ["Odd", "Odd"])
    XCTAssertThrowsError(try memo.remove(arguments: [.pointer(0), 10]))
    XCTAssertFalse(memo.remove(key: 10))
    XCTAssertFalse(memo.remove(key: "1"))
    XCTAssertTrue(memo.remove(key: 1))
    XCTAssertEqual(memo.removeAll { $0.key == AnyHashable(2) && $0.arguments.isEmpty }, 1)
  }

  func testTheCostOfAKeyedResultReadsNoText() throws {
    let counted = try CountedBlock("i@?r*{P=*i}") { call in try call.setResult(Int32(1)) }
    let seen = Recorder<String>()
    try counted.block.install(
      .memoizing(
        cost: { arguments, _ in
          seen.record("\(arguments.map { if case .pointer = $0 { "pointer" } else { "\($0)" } })")
          if case .structure(let parts)? = arguments.last, case .pointer? = parts.first {
            seen.record("inside too")
          }
          return 1
        },
        key: { _ in 1 }))
    _ = try counted.block.call(values: [
      .cString("text"), .structure([.cString("more"), .integer(2)]),
    ])
    XCTAssertEqual(seen.entries.count, 2)
    XCTAssertTrue(seen.entries.first?.hasPrefix("[\"pointer\"") == true, "\(seen.entries)")
  }

  func testResultsOfARemovedHookEndWithItsHandle() throws {
    let tracker = LifetimeTracker()
    let counted = try CountedBlock("@@?@") { call in try call.setResult(tracker.track()) }
    do {
      let memo = try counted.block.install(.memoizing())
      for _ in 0..<5 {
        _ = try counted.block.call(tracker.track(), returning: AnyObject.self)
      }
      memo.hook.remove()
      XCTAssertGreaterThanOrEqual(tracker.alive, 10)
      XCTAssertEqual(memo.handle.count, 5)
    }
    // The thread keeps the last object that was returned.
    XCTAssertLessThanOrEqual(tracker.alive, 1)
  }

  func testACallThatIsUnderWayKeepsNothingAfterTheRemoval() throws {
    let tracker = LifetimeTracker()
    let removing = Recorder<Memo>()
    let counted = try CountedBlock("i@?@") { call in
      for memo in removing.entries { memo.removeAll() }
      try call.setResult(Int32(1))
    }
    let memo = try counted.block.install(.memoizing()).handle
    removing.record(memo)
    XCTAssertEqual(try counted.block.call(tracker.track()), Int32(1))
    XCTAssertEqual([memo.count, memo.misses], [0, 1])
    tracker.expectNothingAlive()
  }

  func testResultsEndWithTheBlock() throws {
    let tracker = LifetimeTracker()
    let memo: Installed<Memo>
    do {
      let counted = try CountedBlock("i@?@") { call in try call.setResult(Int32(1)) }
      memo = try counted.block.install(.memoizing())
      _ = try counted.block.call(tracker.track()) as Int32
      XCTAssertEqual(tracker.alive, 1)
    }
    tracker.expectNothingAlive()
    XCTAssertEqual(memo.handle.count, 0)
    XCTAssertFalse(memo.hook.isInstalled)
  }

  func testWhatIsRemovedIsReleasedUnderNoLock() throws {
    final class Chatty: Sendable {
      let memo: Mutex<Memo?>
      let seen: Recorder<Int>
      init(_ memo: Memo, _ seen: Recorder<Int>) {
        self.memo = Mutex(memo)
        self.seen = seen
      }
      deinit { memo.withLock { if let memo = $0 { seen.record(memo.count) } } }
    }
    let counted = try CountedBlock("i@?@") { call in try call.setResult(Int32(1)) }
    let time = ManualClock()
    let installed = try counted.block.install(
      .memoizing(
        limits: MemoLimits(count: 2, age: .seconds(9)), clock: time))
    let memo = installed.handle
    let seen = Recorder<Int>()
    func call() throws { _ = try counted.block.call(Chatty(memo, seen)) as Int32 }
    for _ in 0..<4 { try call() }
    XCTAssertEqual(seen.entries, [2, 2])
    time.advance(by: .seconds(10))
    _ = memo.count
    XCTAssertEqual(seen.entries, [2, 2, 0, 0])
    for _ in 0..<2 { try call() }
    XCTAssertEqual(memo.removeAll { _ in true }, 2)
    for _ in 0..<2 { try call() }
    installed.hook.remove()
    memo.removeAll()
    XCTAssertEqual(seen.entries.count, 8)
  }

  func testCountsAreExactOnEightThreads() throws {
    let counted = try CountedBlock("q@?iq") { call in
      try call.setResult(call.argument(1, as: Int.self) * 1000 + call.argument(2, as: Int.self))
    }
    let text = try CountedBlock("*@?*") { call in try call.setResultValue(call.argumentValue(1)) }
    let numbers = try counted.block.install(.memoizing(limits: MemoLimits(count: 20))).handle
    let texts = try text.block.install(.memoizing(limits: MemoLimits(count: 20))).handle
    let (block, textBlock) = (counted.block, text.block)
    DispatchQueue.concurrentPerform(iterations: 8) { thread in
      var generator = SeededGenerator(seed: UInt64(thread))
      for round in 0..<500 {
        let (first, second) = (
          Int.random(in: 0..<6, using: &generator), Int.random(in: 0..<6, using: &generator)
        )
        let words = "text \(first) \(second)"
        XCTAssertEqual(try? block.call(first, second), first * 1000 + second)
        XCTAssertEqual(try? textBlock.call(words), words)
        if round % 100 == 0 { numbers.removeAll() }
      }
    }
    XCTAssertEqual(numbers.hits + numbers.misses, 4000)
    XCTAssertEqual(numbers.misses, counted.count)
    XCTAssertEqual(texts.hits + texts.misses, 4000)
    XCTAssertEqual(texts.misses, text.count)
    XCTAssertLessThanOrEqual(texts.count, 20)
  }
}
