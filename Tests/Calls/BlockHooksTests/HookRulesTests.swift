import BlockABI
import BlockHooks
import CFixtures
import Dispatch
import Invocations
import Synchronization
import TestSupport
import XCTest

final class HookRulesTests: XCTestCase {
  func testAStoredHandlerNeedsNoLabelAndNoPosition() throws {
    let handler: HookDefinition.Handler = { call in
      try call.proceed()
      try call.setResult(call.result(as: Int32.self) + 1)
    }
    let block = try Block(signature: "i@?") { call in try call.setResult(Int32(1)) }
    let hook = try block.hook(.instead, handler)
    try block.install(HookDefinition(handler))
    XCTAssertEqual(try block.call(), 3 as Int32)
    XCTAssertEqual(hook.positions, .instead)
    try block.hook(.instead, handler)
    try block.hook(priority: 1, handler)
    try block.hook { call in try handler(&call) }
    XCTAssertEqual(try block.call(), 6 as Int32)
  }

  private typealias IntBlock = @convention(block) (Int32) -> Int32
  private struct Refusal: Error {}

  func testAnInsteadThatThrowsBeforeProceedingIsPassedOver() throws {
    let errors = Recorder<String>()
    let original: IntBlock = { $0 * 2 }
    try Block(original).hook(onError: { errors.record("\(type(of: $0))") }) { _ in throw Refusal() }
    XCTAssertEqual(original(4), 8)
    XCTAssertEqual(errors.entries, ["Refusal"])
  }

  func testAnInsteadThatThrowsAfterProceedingKeepsTheResult() throws {
    let errors = Recorder<String>()
    let calls = Recorder<Int>()
    let original: IntBlock = { value in
      calls.record(1)
      return value * 2
    }
    try Block(original).hook(onError: { errors.record("\(type(of: $0))") }) { call in
      try call.proceed()
      try call.setResult(100)
      throw Refusal()
    }
    XCTAssertEqual(original(4), 100)
    XCTAssertEqual(errors.entries.count, 1)
    XCTAssertEqual(calls.entries.count, 1)
  }

  func testBeforeAndAfterThatThrowChangeNothingMore() throws {
    let errors = Recorder<String>()
    let original: IntBlock = { $0 * 2 }
    try Block(original).hook([.before, .after], onError: { _ in errors.record("error") }) { call in
      if call.position == .before { try call.setArgument(1, 10) }
      throw Refusal()
    }
    XCTAssertEqual(original(4), 20)
    XCTAssertEqual(errors.entries.count, 2)
  }

  func testAnInsteadThatSetsNothingReturnsZero() throws {
    let original: IntBlock = { $0 * 2 }
    try Block(original).hook { _ in }
    XCTAssertEqual(original(4), 0)
  }

  func testOtherSignaturesInBetweenDoNotMakeAConflict() throws {
    let original: IntBlock = { $0 * 2 }
    let block = try Block(original)
    try block.hook(.before) { call in try call.setArgument(1, call.argument(1, as: Int.self) + 1) }
    for index in 0..<1500 { _ = try Block(signature: "v@?{R\(index)=i}") { _ in } }
    let code = unsafe block.invokeAddress
    try block.hook(.before) { call in try call.setArgument(1, call.argument(1, as: Int.self) + 1) }
    XCTAssertEqual(original(1), 6)
    unsafe XCTAssertEqual(unsafe block.invokeAddress, unsafe code)
    let same = unsafe try block.assuming(signature: "i@?i")
    try same.hook(.before) { call in try call.setArgument(1, 0) }
    XCTAssertEqual(original(1), 4)
  }

  func testAThousandHooksRunAndMoreAreRefused() throws {
    let original: IntBlock = { $0 }
    let block = try Block(original)
    for index in 0..<1000 {
      try block.hook(index < 250 ? .instead : .before) { call in
        try call.setArgument(1, call.argument(1, as: Int.self) + 1)
        if call.position == .instead { try call.proceed() }
      }
      if index == 249 { expectError(.tooManyHooks) { try block.hook { _ in } } }
    }
    XCTAssertEqual(try block.call(0) as Int, 1000)
    expectError(.tooManyHooks) { try block.hook(.after) { _ in } }
    for hook in block.hooks { hook.remove() }
    XCTAssertEqual(original(5), 5)
  }

  func testABlockWithoutSignatureButALargeResultTakesAGivenOne() throws {
    let pointer = unsafe try XCTUnwrap(fixture_large_maker_without_signature())
    let block = unsafe try Block(unsafePointer: pointer).assuming(
      signature: "{fixture_large=qqqqqqq}@?i")
    let result: fixture_large = try block.call(7)
    XCTAssertEqual([result.a, result.g], [7, 14])
    let hook = try block.hook(.before) { call in try call.setArgument(1, 8) }
    XCTAssertEqual((try block.call(7) as fixture_large).g, 16)
    hook.remove()
  }

  func testACaptureThatLooksLikeLibdispatchsIsNoDispatchBlock() throws {
    let pointer = unsafe try XCTUnwrap(fixture_block_that_captures_magic())
    defer { unsafe fixture_release(pointer) }
    let block = unsafe Block(unsafePointer: pointer)
    XCTAssertNil(block.dispatchedBlock)
    try block.hook { call in try call.proceed() }
    unsafe fixture_call_void(pointer)
  }

  func testARecursiveBlockRunsItsHooksAtEveryLevel() throws {
    let depths = Recorder<Int32>()
    let itself = Mutex<Block?>(nil)
    let factorial: @convention(block) (Int32) -> Int32 = { value in
      guard value > 1, let block = itself.withLock({ $0 }) else { return 1 }
      let below: Int32? = try? block.call(value - 1)
      return value * (below ?? 0)
    }
    let block = try Block(factorial)
    itself.withLock { $0 = block }
    try block.hook { call in
      depths.record(try call.argument(1))
      try call.proceed()
    }
    XCTAssertEqual(factorial(5), 120)
    XCTAssertEqual(depths.entries, [5, 4, 3, 2, 1])
    itself.withLock { $0 = nil }
  }

  func testAHandlerThatCallsItsBlockStartsANewCall() throws {
    let calls = Recorder<Int32>()
    let original: IntBlock = { $0 * 2 }
    let block = try Block(original)
    let hook = try block.hook { call in
      let value: Int32 = try call.argument(1)
      calls.record(value)
      try call.proceed()
      if value > 0 { try call.setResult(call.argument(0, as: Block.self).call(value - 1) as Int32) }
    }
    XCTAssertEqual(original(3), 0)
    XCTAssertEqual(calls.entries, [3, 2, 1, 0])
    hook.remove()
  }

  func testADispatchBlockIsHookedWhereLibdispatchCallsIt() throws {
    var counter: Int32 = 0
    let calls = Recorder<Int>()
    let pointer = unsafe try XCTUnwrap(fixture_dispatch_block(&counter))
    defer { unsafe fixture_release(pointer) }
    let block = unsafe Block(unsafePointer: pointer)
    let hook = try block.hook { call in
      calls.record(1)
      try call.proceed()
      try call.proceed()
    }
    unsafe fixture_dispatch_async_and_wait(pointer)
    XCTAssertEqual(calls.entries, [1])
    XCTAssertEqual(counter, 2)
    XCTAssertEqual(block.hooks.count, 1)
    hook.remove()
    unsafe fixture_call_void(pointer)
    XCTAssertEqual(counter, 3)
  }

  func testBlocksOnQueuesAreHooked() throws {
    let calls = Recorder<String>()
    let work: @Sendable @convention(block) () -> Void = { calls.record("work") }
    try Block(work).hook(.before) { _ in calls.record("before") }
    let queue = DispatchQueue(label: "hooked")
    queue.async(execute: work)
    queue.sync {}
    XCTAssertEqual(calls.entries, ["before", "work"])
  }

  func testABlockArgumentIsCalledByTheHandler() throws {
    let pointer = unsafe try XCTUnwrap(fixture_applier())
    defer { unsafe fixture_release(pointer) }
    let block = unsafe Block(unsafePointer: pointer)
    try block.hook(.before) { call in
      let function: Block = try call.argument(1)
      let doubled = try Block(signature: "i@?i") { inner in
        try inner.setResult(function.call(inner.argument(1, as: Int32.self)) as Int * 2)
      }
      try call.setArgument(1, doubled)
    }
    let add: IntBlock = { $0 + 1 }
    XCTAssertEqual(try block.call(Block(add), 20) as Int, 43)
  }

  func testManyThreadsCallAHookedBlockAndTheCountsAddUp() throws {
    let handled = Atomic(0)
    let ran = Atomic(0)
    let work: @convention(block) () -> Void = { ran.add(1, ordering: .relaxed) }
    let block = try Block(work)
    try block.hook([.before, .instead, .after]) { call in
      handled.add(1, ordering: .relaxed)
      if call.position == .instead { try call.proceed() }
    }
    DispatchQueue.concurrentPerform(iterations: 1000) { _ in try? block.call() }
    XCTAssertEqual(ran.load(ordering: .relaxed), 1000)
    XCTAssertEqual(handled.load(ordering: .relaxed), 3000)
  }

  func testManyBlocksAreHookedAndDropped() throws {
    let tracker = LifetimeTracker()
    DispatchQueue.concurrentPerform(iterations: 500) { index in
      let tracked = tracker.track()
      let original: IntBlock = { $0 }
      do {
        let block = try Block(original)
        let hook = try block.hook { call in
          withExtendedLifetime(tracked) {}
          try call.proceed()
          try call.setResult(call.result(as: Int.self) + 1)
        }
        XCTAssertEqual(try block.call(index) as Int, index + 1)
        if index.isMultiple(of: 2) { hook.remove() }
      } catch {
        XCTFail("\(error)")
      }
    }
    tracker.expectNothingAlive()
  }
}
