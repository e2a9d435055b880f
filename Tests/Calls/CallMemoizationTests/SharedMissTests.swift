import BlockABI
import BlockHooks
import CallMemoization
import Glibc
import Invocations
import Synchronization
import TestSupport
import XCTest

/// Calls that miss a result which another call computes.
final class SharedMissTests: XCTestCase {
  func testSixteenThreadsRunTheOriginalOnce() throws {
    final class Thing: Sendable {}
    let thing = Thing()
    for signature in ["q@?q", "@@?@"] {
      let asking = Atomic(0)
      let counted = try CountedBlock(signature) { call in
        while asking.load(ordering: .relaxed) < 16 { sched_yield() }
        try call.setResultValue(call.argumentValue(1))
      }
      let memo = try counted.block.install(.memoizing(sharesMisses: true)).handle
      let block = counted.block
      let threads = ThreadGroup()
      for _ in 0..<16 {
        threads.start {
          asking.wrappingAdd(1, ordering: .relaxed)
          let argument: CValue = signature == "q@?q" ? 5 : .object(thing)
          XCTAssertEqual(try? block.call(values: [argument]), argument)
        }
      }
      threads.wait()
      XCTAssertEqual([counted.count, memo.hits, memo.misses], [1, 15, 1], signature)
      memo.removeAll()
    }
  }

  func testABlockThatCallsItselfRuns() throws {
    let own = Mutex<Block?>(nil)
    let depth = Atomic(0)
    let counted = try CountedBlock("q@?q") { call in
      let number = try call.argument(1, as: Int.self)
      if depth.wrappingAdd(1, ordering: .relaxed).newValue < 4, let block = own.withLock({ $0 }) {
        _ = try block.call(number) as Int
      }
      try call.setResult(number)
    }
    own.withLock { $0 = counted.block }
    try counted.block.install(.memoizing(sharesMisses: true))
    XCTAssertEqual(try counted.block.call(3), 3)
    XCTAssertEqual(counted.count, 4)
    own.withLock { $0 = nil }
  }

  func testWithoutAResultEachCallRuns() throws {
    let counted = try CountedBlock("q@?q") { try $0.setResult(1) }
    let silent = Recorder<Void>()
    try counted.block.hook { call in
      if try call.argument(1, as: Int.self) > 0 { return try call.proceed() }
      silent.record(())
    }
    let memo = try counted.block.install(.memoizing(sharesMisses: true)).handle
    for number in [0, 0, 1, 1] { _ = try counted.block.call(values: [.integer(Int128(number))]) }
    XCTAssertEqual([silent.entries.count, counted.count, memo.count], [2, 1, 1])
  }
}
