import BlockABI
import BlockHooks
import CFixtures
import DelayedBlocks
import Dispatch
import Foundation
import Invocations
import Synchronization
import TestSupport
import XCTest

/// A record, as C has it.
private struct Point: Equatable { var x: Double, y: Double }

final class InterceptionTests: XCTestCase {
  func testThePlaceholderMayBeARecord() throws {
    let make = try Block(signature: "{Point=dd}@?d") { call in
      try call.setResultValue(.structure([.double(call.argument(1)), .double(1)]))
    }
    let waiting = Mutex<[InterceptedCall]>([])
    let hook = try make.install(
      .intercepting(returning: Point(x: -1, y: -2)) { call in
        waiting.withLock { $0.append(call) }
      })
    XCTAssertEqual(try make.call(5.0), Point(x: -1, y: -2))
    for call in waiting.withLock({ $0 }) {
      try call.proceed()
      XCTAssertEqual(try call.result(), Point(x: 5, y: 1))
    }
    hook.remove()
    expectError(.invalidPlaceholder) {
      _ = try make.install(.intercepting(returning: Date()) { _ in })
    }
  }

  private typealias IntBlock = @convention(block) @Sendable (Int32) -> Int32

  /// Calls that wait for their decision.
  private final class Waiting: Sendable {
    private let calls = Mutex<[InterceptedCall]>([])

    func add(_ call: InterceptedCall) { calls.withLock { $0.append(call) } }

    func take() throws -> InterceptedCall {
      try XCTUnwrap(calls.withLock { $0.isEmpty ? nil : $0.removeFirst() })
    }
  }

  /// A block that records its argument, and how often it ran.
  private func recording(into runs: Recorder<Int32>) throws -> (IntBlock, Block) {
    let original: IntBlock = { number in
      runs.record(number)
      return number * 2
    }
    return (original, try Block(original))
  }

  private func code(of body: () throws -> Void) -> ErrorCode? {
    do { try body() } catch { return (error as? HookError)?.code }
    return nil
  }

  func testACallRunsLaterOnAnotherThreadAndItsCallerGetsThePlaceholderAtOnce() throws {
    let runs = Recorder<Int32>()
    let (original, block) = try recording(into: runs)
    let waiting = Waiting()
    let hook = try block.install(.intercepting(returning: -1) { waiting.add($0) })
    XCTAssertEqual(original(4), -1)
    XCTAssertEqual(runs.entries, [])
    let call = try waiting.take()
    XCTAssertEqual(call.state, .pending)
    XCTAssertEqual(call.arguments.description, "i32 4")
    XCTAssertThrowsError(try call.result(as: Int32.self))
    try call.setArgument(1, Int32(5))
    let done = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      do { try call.proceed() } catch { XCTFail("\(error)") }
      done.signal()
    }
    done.wait()
    XCTAssertEqual(runs.entries, [5])
    XCTAssertEqual(try call.result(as: Int32.self), 10)
    XCTAssertEqual(call.resultText, "i32 10")
    XCTAssertEqual(call.state, .finished)
    hook.remove()
    XCTAssertEqual(original(1), 2)
  }

  func testACallIsDecidedExactlyOnce() throws {
    let runs = Recorder<Int32>()
    let (original, block) = try recording(into: runs)
    let waiting = Waiting()
    try block.install(.intercepting { waiting.add($0) })
    for _ in 0..<2 { XCTAssertEqual(original(1), 0) }
    let first = try waiting.take()
    try first.proceed()
    XCTAssertEqual(code { try first.proceed() }, .interceptionDecided)
    XCTAssertEqual(code { try first.cancel() }, .interceptionDecided)
    XCTAssertThrowsError(try first.setArgument(1, Int32(9)))
    let second = try waiting.take()
    try second.cancel()
    XCTAssertEqual(code { try second.proceed() }, .interceptionDecided)
    XCTAssertEqual(code { try second.cancel() }, .interceptionDecided)
    XCTAssertThrowsError(try second.result(as: Int32.self))
    XCTAssertEqual(runs.entries, [1])
  }

  func testManyThreadsDecideAndOneOfThemIsHeard() throws {
    let runs = Recorder<Int32>()
    let (original, block) = try recording(into: runs)
    let waiting = Waiting()
    try block.install(.intercepting { waiting.add($0) })
    let heard = Atomic(0)
    for number in 0..<200 {
      _ = original(Int32(number))
      let call = try waiting.take()
      DispatchQueue.concurrentPerform(iterations: 4) { thread in
        do throws(HookError) {
          if thread % 2 == 0 { try call.proceed() } else { try call.cancel() }
          heard.add(1, ordering: .relaxed)
        } catch {
          XCTAssertEqual(error.code, .interceptionDecided)
        }
      }
      XCTAssertEqual(call.state == .finished ? 1 : 0, runs.entries.filter { $0 == number }.count)
    }
    XCTAssertEqual(heard.load(ordering: .relaxed), 200)
  }

  func testWhoDecidesBeforeTheInterceptorReturnsGivesTheCallerTheResult() throws {
    let runs = Recorder<Int32>()
    let (original, block) = try recording(into: runs)
    let hook = try block.install(
      .intercepting(returning: -1) { call in
        if try call.argument(1, as: Int32.self) == 0 { return try call.cancel() }
        try call.setArgument(1, call.argument(1, as: Int32.self) + 1)
        try call.proceed()
        try call.setResult(call.result(as: Int32.self) + 100)
      })
    XCTAssertEqual(original(4), 110)
    XCTAssertEqual(original(0), -1)
    XCTAssertEqual(runs.entries, [5])
    hook.remove()
  }

  func testADecisionOnAnotherThreadNeverChangesWhatTheCallerGets() throws {
    let (original, block) = try recording(into: Recorder<Int32>())
    try block.install(
      .intercepting(returning: -1) { call in
        let done = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
          do { try call.proceed() } catch { XCTFail("\(error)") }
          done.signal()
        }
        done.wait()
      })
    XCTAssertEqual(original(4), -1)
  }

  func testADroppedCallIsReportedAndNeverRuns() throws {
    let runs = Recorder<Int32>()
    let errors = Recorder<ErrorCode>()
    let (original, block) = try recording(into: runs)
    let hook = try block.install(
      .intercepting(returning: 7, onError: { ($0 as? HookError).map { errors.record($0.code) } }) {
        _ in
      })
    XCTAssertEqual(original(1), 7)
    XCTAssertEqual(errors.entries, [.interceptionDropped])
    XCTAssertEqual(runs.entries, [])
    hook.remove()
  }

  func testAnInterceptorThatThrowsIsPassedOver() throws {
    struct Refused: Error {}
    let runs = Recorder<Int32>()
    let errors = Recorder<String>()
    let (original, block) = try recording(into: runs)
    let waiting = Waiting()
    try block.install(
      .intercepting(returning: 7, onError: { errors.record("\(type(of: $0))") }) { call in
        waiting.add(call)
        if try call.argument(1, as: Int32.self) == 2 { try call.proceed() }
        throw Refused()
      })
    XCTAssertEqual(original(1), 2)
    XCTAssertEqual(try waiting.take().state, .passedOver)
    XCTAssertEqual(original(2), 4)
    XCTAssertEqual(runs.entries, [1, 2])
    XCTAssertEqual(errors.entries, ["Refused", "Refused"])
  }

  func testNobodyDecidesInTime() throws {
    let runs = Recorder<Int32>()
    let errors = Recorder<ErrorCode>()
    let (original, block) = try recording(into: runs)
    let waiting = Waiting()
    let clock = ManualClock()
    let timer = DelayTimer(clock: clock)
    for expiry in [InterceptedCall.Decision.cancel, .proceed] {
      let hook = try block.install(
        .intercepting(
          returning: 1, timeout: .seconds(3), timer: timer, onTimeout: expiry,
          onError: { ($0 as? HookError).map { errors.record($0.code) } }
        ) { waiting.add($0) })
      XCTAssertEqual(original(8), 1)
      XCTAssertEqual(original(9), 1)
      hook.remove()
    }
    let calls = try (0..<4).map { _ in try waiting.take() }
    clock.advance(by: .milliseconds(2999))
    XCTAssertEqual(calls.map(\.state), Array(repeating: .pending, count: 4))
    // What is decided in time lets go of its timer.
    try calls[1].proceed()
    try calls[3].cancel()
    XCTAssertEqual(timer.pendingCount, 2)
    clock.advance(by: .milliseconds(1))
    XCTAssertEqual(calls[0].state, .timedOut)
    XCTAssertEqual(code { try calls[0].proceed() }, .interceptionDecided)
    XCTAssertEqual(calls[1].state, .finished)
    XCTAssertEqual(calls[2].state, .finished)
    XCTAssertEqual(try calls[2].result(as: Int32.self), 16)
    XCTAssertEqual(calls[3].state, .cancelled)
    XCTAssertEqual(runs.entries, [9, 8])
    XCTAssertEqual(errors.entries, [.interceptionTimedOut, .interceptionTimedOut])
  }

  func testTheSystemsTimerEndsTheWait() throws {
    let runs = Recorder<Int32>()
    let (original, block) = try recording(into: runs)
    let waiting = Waiting()
    let reported = DispatchSemaphore(value: 0)
    try block.install(
      .intercepting(timeout: .milliseconds(1), onError: { _ in reported.signal() }) {
        waiting.add($0)
      })
    _ = original(1)
    XCTAssertEqual(reported.wait(timeout: .now() + 20), .success)
    XCTAssertEqual(try waiting.take().state, .timedOut)
    XCTAssertEqual(runs.entries, [])
  }

  func testATaskDecides() async throws {
    let runs = Recorder<Int32>()
    let (original, block) = try recording(into: runs)
    let (decided, continuation) = AsyncStream.makeStream(of: InterceptedCall.self)
    try block.install(
      .interceptingInTask(returning: 3) { call in
        await Task.yield()
        try call.proceed()
        continuation.yield(call)
      })
    XCTAssertEqual(original(6), 3)
    var calls = decided.makeAsyncIterator()
    let next = await calls.next()
    let call = try XCTUnwrap(next)
    let result: Int32 = try call.result()
    XCTAssertEqual(result, 12)
    XCTAssertEqual(runs.entries, [6])
  }

  func testATaskThatThrowsCancelsItsCall() async throws {
    struct Refused: Error {}
    let runs = Recorder<Int32>()
    let (original, block) = try recording(into: runs)
    let waiting = Waiting()
    let (errors, continuation) = AsyncStream.makeStream(of: String.self)
    try block.install(
      .interceptingInTask(onError: { continuation.yield("\(type(of: $0))") }) { call in
        waiting.add(call)
        throw Refused()
      })
    XCTAssertEqual(original(6), 0)
    var iterator = errors.makeAsyncIterator()
    let error = await iterator.next()
    XCTAssertEqual(error, "Refused")
    let call = try waiting.take()
    while call.state == .pending { await Task.yield() }
    XCTAssertEqual(call.state, .cancelled)
    XCTAssertEqual(runs.entries, [])
  }

  func testTextIsCopiedAndBlocksAndObjectsAreKept() throws {
    let tracker = LifetimeTracker()
    let seen = Recorder<String>()
    let waiting = Waiting()
    let block = try Block(signature: "v@?r*@?@{Pair=*@}") { call in
      seen.record(try call.argument(1, as: String.self))
      let inner: Block = try call.argument(2)
      seen.record("\(try inner.call(20) as Int32)")
      seen.record("\(type(of: try call.argument(3, as: AnyObject.self)))")
      guard case .structure(let members) = try call.argumentValue(4) else { return }
      seen.record("\(members.count) \(members[0])")
    }
    try block.install(.intercepting { waiting.add($0) })
    do {
      let text = unsafe strdup("origin")
      let member = unsafe strdup("member")
      let captured = tracker.track()
      let inner: IntBlock = { number in withExtendedLifetime(captured) { number + 1 } }
      let object = tracker.track()
      _ = try block.call(
        values: [
          .pointer(UInt(bitPattern: text)), .block(Block(inner)), .object(object),
          .structure([.pointer(UInt(bitPattern: member)), .object(object)]),
        ])
      unsafe try memset(XCTUnwrap(text), 0x58, 6)
      unsafe try memset(XCTUnwrap(member), 0x58, 6)
      unsafe free(text)
      unsafe free(member)
    }
    XCTAssertEqual(tracker.alive, 2)
    try waiting.take().proceed()
    XCTAssertEqual(seen.entries, ["origin", "21", "Tracked", "2 \"member\""])
    tracker.expectNothingAlive()
  }

  func testALargeStructureIsReadAndRewrittenAfterTheCall() throws {
    let block = unsafe Block(unsafePointer: try XCTUnwrap(fixture_large_block()))
    let waiting = Waiting()
    let value = fixture_large(a: 1, b: 2, c: 3, d: 4, e: 5, f: 6, g: 7)
    let plain: fixture_large = try block.call(value, Int32(5))
    let hook = try block.install(.intercepting { waiting.add($0) })
    let placeholder: fixture_large = try block.call(value, Int32(5))
    XCTAssertEqual([placeholder.a, placeholder.g], [0, 0])
    let call = try waiting.take()
    try call.proceed()
    var result: fixture_large = try call.result()
    XCTAssertEqual([result.a, result.g], [plain.a, plain.g])
    result.a = 99
    try call.setResult(result)
    XCTAssertEqual(try call.result(as: fixture_large.self).a, 99)
    hook.remove()
  }

  func testHooksBelowRunLaterAndHooksAboveAtOnce() throws {
    let steps = Recorder<String>()
    let waiting = Waiting()
    let original: IntBlock = { number in
      steps.record("original")
      return number
    }
    let block = try Block(original)
    func log(_ name: String) throws -> Hook {
      try block.hook([.before, .after], name: name) { call in
        steps.record("\(name) \(call.position) \(call.resultText ?? "")")
      }
    }
    let below = try log("below")
    let gone = try log("gone")
    try block.install(.intercepting(returning: 50) { waiting.add($0) })
    let above = try log("above")
    for _ in 0..<2 { XCTAssertEqual(original(1), 50) }
    XCTAssertEqual(
      steps.entries, ["above before ", "above after i32 50", "above before ", "above after i32 50"])
    try waiting.take().proceed()
    XCTAssertEqual(
      Array(steps.entries.dropFirst(4)),
      [
        "gone before ", "below before ", "original", "below after i32 1", "gone after i32 1",
      ])
    // A hook that is removed meanwhile is passed by; one that is installed now is not part of it.
    gone.remove()
    let late = try block.hook(.before, priority: -5) { _ in steps.record("late") }
    try waiting.take().proceed()
    XCTAssertEqual(
      Array(steps.entries.dropFirst(9)), ["below before ", "original", "below after i32 1"])
    for hook in [below, above, late] { hook.remove() }
  }

  func testAPendingCallKeepsItsBlockAndOutlivesItsHook() throws {
    let tracker = LifetimeTracker()
    let waiting = Waiting()
    let runs = Recorder<Int32>()
    do {
      let captured = tracker.track()
      let original: IntBlock = { number in
        runs.record(number)
        return withExtendedLifetime(captured) { number }
      }
      let block = try Block(original)
      let hook = try block.install(.intercepting { waiting.add($0) })
      for number in [1, 2] { _ = original(Int32(number)) }
      hook.removeAndWait()
      XCTAssertEqual(original(3), 3)
    }
    XCTAssertEqual(tracker.alive, 1)
    try waiting.take().proceed()
    XCTAssertEqual(tracker.alive, 1)
    try waiting.take().cancel()
    tracker.expectNothingAlive()
    XCTAssertEqual(runs.entries, [3, 1])
  }

  func testADecidedCallKeepsNeitherHooksNorWhatIsNotItsOwn() throws {
    let tracker = LifetimeTracker()
    let kept = Waiting()
    for decision in [InterceptedCall.Decision.proceed, .cancel] {
      do {
        let captured = tracker.track()
        let original: IntBlock = { $0 }
        let block = try Block(original)
        let below = try block.hook { call in
          withExtendedLifetime(captured) {}
          try call.proceed()
        }
        let hook = try block.install(
          .intercepting { call in
            kept.add(call)
            if decision == .proceed { try call.proceed() } else { try call.cancel() }
          })
        XCTAssertEqual(original(1), decision == .proceed ? 1 : 0)
        hook.removeAndWait()
        below.removeAndWait()
      }
      XCTAssertEqual(tracker.alive, 0, "\(decision)")
    }
  }

  func testAResultThatIsANumberKeepsNothing() throws {
    let tracker = LifetimeTracker()
    do {
      let captured = tracker.track()
      let original: IntBlock = { number in withExtendedLifetime(captured) { number } }
      let block = try Block(original)
      let hook = try block.install(.intercepting { try $0.proceed() })
      XCTAssertEqual(original(1), 1)
      hook.removeAndWait()
    }
    tracker.expectNothingAlive()
  }

  func testAnArgumentThatIsReplacedGoesUnderNoLock() throws {
    let block = try Block(signature: "v@?@") { _ in }
    let waiting = Mutex<InterceptedCall?>(nil)
    try block.install(.intercepting { call in waiting.withLock { $0 = call } })
    let states = Recorder<InterceptedCall.State>()
    do {
      let object = Finaliser {
        guard let call = waiting.withLock({ $0 }) else { return }
        states.record(call.state)
      }
      try block.call(object)
    }
    let call = try XCTUnwrap(waiting.withLock { $0 })
    try call.setArgument(1, NSObject())
    XCTAssertEqual(states.entries, [.pending])
    try call.cancel()
    waiting.withLock { $0 = nil }
  }

  func testManyTimeoutsNeedNoThreads() throws {
    let (original, block) = try recording(into: Recorder<Int32>())
    let hook = try block.install(.intercepting(timeout: .seconds(300)) { try $0.proceed() })
    for _ in 0..<2000 { _ = original(1) }
    hook.remove()
    let threads = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")
    XCTAssertLessThan(threads.count, 100)
  }

  func testAPlaceholderThatIsNoResultIsRefused() throws {
    let original: IntBlock = { $0 }
    let nothing: @convention(block) () -> Void = {}
    let rows: [(Block, CValue)] = [
      (try Block(original), "text"), (try Block(original), .integer(1 << 40)),
      (try Block(nothing), 1),
    ]
    for (block, placeholder) in rows {
      XCTAssertEqual(
        code { try block.install(.intercepting(returning: placeholder) { try $0.proceed() }) },
        .invalidPlaceholder)
      XCTAssertTrue(block.hooks.isEmpty)
    }
  }

  func testTextIsAPlaceholder() throws {
    let block = unsafe Block(unsafePointer: try XCTUnwrap(fixture_global_greeter()))
    let hook = try block.install(
      .intercepting(returning: "later") { call in
        try? call.cancel()
      })
    XCTAssertEqual(try block.call("now"), "later")
    hook.remove()
    XCTAssertEqual(try block.call("now"), "now")
  }

  func testConditionsSayWhichCallsAreIntercepted() throws {
    let runs = Recorder<Int32>()
    let (original, block) = try recording(into: runs)
    try block.install(
      .intercepting(returning: -1, when: .where { try $0.argument(1, as: Int32.self) > 5 }) {
        try $0.cancel()
      })
    XCTAssertEqual([4, 5, 6].map { original($0) }, [8, 10, -1])
  }
}
