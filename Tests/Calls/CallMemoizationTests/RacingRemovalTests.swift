import BlockABI
import BlockHooks
import CallMemoization
import DelayedBlocks
import Dispatch
import Invocations
import Synchronization
import TestSupport
import XCTest

/// Removals while the result that they cover is being computed.
final class RacingRemovalTests: XCTestCase {
  private typealias Removal = @Sendable (Memo) throws -> Void

  /// A block that calls a closure once, during its first call.
  private func block(_ meanwhile: @escaping @Sendable () throws -> Void) throws -> CountedBlock {
    let isFirst = Atomic(true)
    return try CountedBlock("q@?q") { call in
      if isFirst.exchange(false, ordering: .relaxed) { try meanwhile() }
      try call.setResult(call.argument(1, as: Int.self))
    }
  }

  private let removals: [(String, Removal)] = [
    ("all", { $0.removeAll() }), ("by arguments", { try $0.remove(arguments: [1]) }),
    ("by a predicate", { $0.removeAll { _ in true } }),
    ("by a predicate, chosen none", { $0.removeAll { _ in false } }),
  ]

  func testAResultThatIsRemovedWithinItsCallIsNotStored() throws {
    for (name, remove) in removals {
      let token = Mutex<Memo?>(nil)
      let counted = try block { try token.withLock { $0 }.map(remove) }
      let memo = try counted.block.install(.memoizing()).handle
      token.withLock { $0 = memo }
      XCTAssertEqual(try counted.block.call(1), 1)
      XCTAssertEqual(memo.count, 0, name)
      XCTAssertEqual(try counted.block.call(1), 1)
      XCTAssertEqual(counted.count, 2, name)
      token.withLock { $0 = nil }
    }
  }

  func testAResultThatIsRemovedByItsKeyWithinItsCallIsNotStored() throws {
    let token = Mutex<Memo?>(nil)
    let counted = try block { _ = token.withLock { $0 }?.remove(key: "1") }
    let memo = try counted.block.install(.memoizing(key: { "\(try $0.argument(1, as: Int.self))" }))
      .handle
    token.withLock { $0 = memo }
    XCTAssertEqual(try counted.block.call(1), 1)
    XCTAssertEqual(memo.count, 0)
    token.withLock { $0 = nil }
  }

  func testAResultThatAnotherThreadRemovesDuringItsCallIsNotStored() throws {
    for (name, remove) in removals {
      let (begun, removed) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
      let counted = try block {
        begun.signal()
        removed.wait()
      }
      let memo = try counted.block.install(.memoizing()).handle
      let block = counted.block
      let threads = ThreadGroup()
      threads.start { XCTAssertEqual(try? block.call(1), 1) }
      begun.wait()
      try remove(memo)
      removed.signal()
      threads.wait()
      XCTAssertEqual(memo.count, 0, name)
    }
  }

  func testARemovalOfOthersLeavesAResultThatIsBeingComputed() throws {
    let token = Mutex<Memo?>(nil)
    let counted = try block {
      for value in 2..<500 {
        _ = try token.withLock { $0 }?.remove(arguments: [.integer(Int128(value))])
      }
    }
    let memo = try counted.block.install(.memoizing()).handle
    token.withLock { $0 = memo }
    XCTAssertEqual(try counted.block.call(1), 1)
    XCTAssertEqual(memo.count, 1)
    token.withLock { $0 = nil }
  }

  func testMoreRemovalsThanAreKnownDropWhatIsBeingComputed() throws {
    let token = Mutex<Memo?>(nil)
    let counted = try block {
      // The key of this call is not among them.
      for value in 2..<5000 {
        _ = try token.withLock { $0 }?.remove(arguments: [.integer(Int128(value))])
      }
    }
    let memo = try counted.block.install(.memoizing()).handle
    token.withLock { $0 = memo }
    XCTAssertEqual(try counted.block.call(1), 1)
    XCTAssertEqual(memo.count, 0)
    token.withLock { $0 = nil }
  }

  func testAResultThatIsOlderThanOneThatHasExpiredIsNotStored() throws {
    let time = ManualClock()
    let own = Mutex<Block?>(nil)
    let counted = try block {
      // A later call of the same arguments returns earlier, and its result expires.
      guard let block = own.withLock({ $0 }) else { return }
      XCTAssertEqual(try block.call(1), 1)
      time.advance(by: .seconds(9))
    }
    own.withLock { $0 = counted.block }
    let memo = try counted.block.install(
      .memoizing(limits: MemoLimits(age: .seconds(9)), clock: time)
    ).handle
    XCTAssertEqual(try counted.block.call(1), 1)
    XCTAssertEqual([memo.count, memo.statistics.expirations], [0, 1])
    XCTAssertEqual(try counted.block.call(1), 1)
    XCTAssertEqual([memo.count, counted.count], [1, 3])
    own.withLock { $0 = nil }
  }

  func testAResultThatIsOlderThanOneThatWasFoundExpiredIsNotStored() throws {
    let time = ManualClock()
    let own = Mutex<Block?>(nil)
    let calls = Recorder<Void>()
    let block = try Block(signature: "q@?q") { call in
      guard let block = own.withLock({ $0 }) else { return }
      calls.record(())
      switch calls.entries.count {
      case 1:
        // The second call stores a result, and the third finds it expired, and stores none.
        _ = try block.call(values: [1])
        time.advance(by: .seconds(9))
        _ = try block.call(values: [1])
        try call.setResult(1)
      case 2: try call.setResult(2)
      default: XCTFail("the third call ran")
      }
    }
    own.withLock { $0 = block }
    try block.hook(.instead, name: "silent") { call in
      if calls.entries.count == 2 { calls.record(()) } else { try call.proceed() }
    }
    let memo = try block.install(
      .memoizing(limits: MemoLimits(age: .seconds(9)), clock: time)
    ).handle
    XCTAssertEqual(try block.call(1), 1)
    XCTAssertEqual([calls.entries.count, memo.count, memo.misses], [3, 0, 3])
    own.withLock { $0 = nil }
  }

  func testAgesBeginWithTheReturnOfTheCallHoweverLongItsCostTakes() throws {
    let time = ManualClock()
    let counted = try block {}
    let memo = try counted.block.install(
      .memoizing(
        limits: MemoLimits(age: .seconds(10)), clock: time,
        cost: { _, _ in
          time.advance(by: .seconds(9))
          return 1
        })
    ).handle
    XCTAssertEqual(try counted.block.call(1), 1)
    time.advance(by: .seconds(2))
    XCTAssertEqual(try counted.block.call(1), 1)
    XCTAssertEqual([counted.count, memo.hits], [2, 0])
  }

  /// A tier without results, which calls a closure when it learns of a hook's memory.
  private struct EmptyTier: MemoTier {
    let meanwhile: @Sendable () -> Void
    let finds = Recorder<Void>()
    var time: Int64 { 0 }

    func code(arguments: [CValue]) -> [UInt8]? { [] }
    func find(_ key: [UInt8]) -> (answer: MemoAnswer?, ticket: MemoTicket) {
      finds.record(())
      return (nil, ticket(of: key))
    }
    func ticket(of key: [UInt8]) -> MemoTicket { MemoTicket(own: 0, all: 0, isFound: false) }
    func keep(
      _ key: [UInt8], _ result: CValue, cost: Int, at time: Int64, since ticket: MemoTicket
    ) {}
    func remove(_ keys: [[UInt8]]) -> Int { 0 }
    func removeAll() {}
    func forEach(_ body: ([UInt8], MemoizedCall) throws -> Void) rethrows {}
    func attach(_ memory: any MemoMemory) { meanwhile() }
  }

  func testATierKnowsAHooksMemoryBeforeResultsAreInIt() throws {
    let counted = try block {}
    let block = counted.block
    let tier = EmptyTier { XCTAssertEqual(try? block.call(1), 1) }
    let memo = try block.install(
      .memoizing(
        MemoSettings(
          HookDefinition(name: "memo", onError: { _ in }) { _ in }, limits: MemoLimits(),
          clock: ManualClock(), sharesMisses: false, cost: nil, tier: { _ in tier }),
        coding: nil, key: NoKey.none)
    ).handle
    XCTAssertEqual(tier.finds.entries.count, 0)
    XCTAssertEqual(try block.call(1), 1)
    XCTAssertEqual([tier.finds.entries.count, memo.count], [1, 1])
  }
}
