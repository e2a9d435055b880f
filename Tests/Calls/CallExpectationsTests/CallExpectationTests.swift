import BlockABI
import BlockHooks
import CallExpectations
import DelayedBlocks
import Dispatch
import Invocations
import MessageForwarding
import Synchronization
import TestSupport
import XCTest

final class CallExpectationTests: XCTestCase {
  private typealias Done = @convention(block) (Int32) -> Void

  private final class Loader: MessageReceiver, Sendable {
    static var methods: MethodTable {
      MethodTable(Loader.self) { Method("load:") { (_: Loader, _: Int32) in } }
    }
  }

  /// Receives problems.
  private final class Problems: Sendable {
    private let all = Mutex<[HookError?]>([])
    var codes: [String] { all.withLock { $0.map { $0?.code.rawValue ?? "another error" } } }
    var lastMessage: String { all.withLock { $0.last??.message ?? "" } }
    func add(_ error: any Error) { all.withLock { $0.append(error as? HookError) } }
  }

  private let clock = ManualClock()
  private var timer: DelayTimer { DelayTimer(clock: clock) }
  private let problems = Problems()

  private func expecting(_ expected: ExpectedCalls) -> HandleDefinition<CallExpectation> {
    let problems = problems
    return .expecting(expected, within: .seconds(2), timer: timer) { problems.add($0) }
  }

  func testOneCallInTimeFulfilsTheExpectationAtOnce() async throws {
    let done: Done = { _ in }
    let expectation = try Block(done).install(expecting(.exactlyOnce)).handle
    done(3)
    try await expectation.fulfilled()
    clock.advance(by: .seconds(3))
    try expectation.verify()
    XCTAssertEqual(expectation.callCount, 1)
    XCTAssertEqual(problems.codes, [])
  }

  func testTheWaitLastsUntilTheCall() async throws {
    let done: Done = { _ in }
    let expectation = try Block(done).install(expecting(.exactlyOnce)).handle
    async let outcome: Void = expectation.fulfilled()
    done(3)
    try await outcome
  }

  func testAMissingCallIsToldAtTheTimeLimitWithThePlaceOfTheBlockAndTheTest() async throws {
    let done: Done = { _ in }
    let block = try Block(done)
    let expectation = try block.install(expecting(.exactlyOnce)).handle
    clock.advance(by: .seconds(2))
    await assertProblem(
      .missingCall, of: expectation, "was never called within 2.0 seconds", "exactly 1 call",
      "CallExpectationTests.swift:", try XCTUnwrap(block.implementation?.name))
    XCTAssertEqual(problems.codes, ["missingCall"])
  }

  func testASecondCallIsToldWhenItIsMade() async throws {
    let done: Done = { _ in }
    let expectation = try Block(done).install(expecting(.exactlyOnce)).handle
    done(1)
    try await expectation.fulfilled()
    done(2)
    XCTAssertEqual(problems.codes, ["unexpectedCall"])
    await assertProblem(.unexpectedCall, of: expectation, "was called twice")
  }

  func testACallAfterTheTimeLimitIsToldWithItsDelay() async throws {
    let done: Done = { _ in }
    let expectation = try Block(done).install(expecting(.exactlyOnce)).handle
    clock.advance(by: .milliseconds(2500))
    done(1)
    XCTAssertEqual(problems.codes, ["missingCall", "lateCall"])
    let message = "was called 0.5 seconds after the time limit of 2.0 seconds"
    XCTAssertTrue(problems.lastMessage.contains(message), problems.lastMessage)
    // The first problem is the one that is thrown.
    await assertProblem(.missingCall, of: expectation)
  }

  func testTheDeathOfABlockThatWasNotCalledIsToldAtOnce() async throws {
    let expectation = try { () throws -> CallExpectation in
      let number = clock.now.nanoseconds
      let done: Done = { _ in _ = number }
      return try Block(done).copied().install(expecting(.exactlyOnce)).handle
    }()
    await assertProblem(.missingCall, of: expectation, "before it was released")
    XCTAssertEqual(problems.codes, ["missingCall"])
    clock.advance(by: .seconds(3))
    XCTAssertEqual(problems.codes, ["missingCall"])
  }

  func testAMissingCallIsToldOnceThoughTheBlockIsReleasedLater() throws {
    do {
      let number = clock.now.nanoseconds
      let done: Done = { _ in _ = number }
      let block = try Block(done).copied()
      try block.install(expecting(.exactlyOnce))
      clock.advance(by: .seconds(3))
      withExtendedLifetime(block) {}
    }
    XCTAssertEqual(problems.codes, ["missingCall"])
  }

  func testNumbersOfCallsAreSaidInWords() {
    let expected: [(ExpectedCalls, String)] = [
      (.never, "no call"), (.exactlyOnce, "exactly 1 call"), (.exactly(2), "exactly 2 calls"),
      (.atLeast(2), "at least 2 calls"), (.atLeast(-1), "at least 0 calls"),
      (.atMost(1), "at most 1 call"), (.exactly(-2), "no call"),
    ]
    for (calls, words) in expected { XCTAssertEqual("\(calls)", words) }
  }

  func testEachNumberOfCallsIsJudgedByItsRange() async throws {
    let cases: [(ExpectedCalls, Set<Int>)] = [
      (.never, [0]), (.exactlyOnce, [1]), (.exactly(2), [2]), (.atLeast(2), [2, 3, 4]),
      (.atMost(2), [0, 1, 2]), (.exactly(-1), [0]), (.atLeast(-1), [0, 1, 2, 3, 4]),
      (.atMost(-3), [0]),
    ]
    for (expected, right) in cases {
      for count in 0...4 {
        let done: Done = { _ in }
        let expectation = try Block(done).install(expecting(expected))
        for _ in 0..<count { done(1) }
        clock.advance(by: .seconds(2))
        do {
          try await expectation.handle.fulfilled()
          XCTAssertTrue(right.contains(count), "\(expected) accepts \(count)")
        } catch {
          XCTAssertFalse(right.contains(count), "\(error)")
        }
        expectation.hook.remove()
      }
    }
  }

  func testCallsOfAMethodAreExpectedByTheShortForm() async throws {
    let target = Loader.target("load:")
    let problems = problems
    let expectation = try target.expectCalls(.exactly(2), within: .seconds(2), timer: timer) {
      problems.add($0)
    }
    let loader = Loader()
    try loader.send("load:", Int32(1))
    XCTAssertThrowsError(try expectation.verify()) { error in
      XCTAssertEqual((error as? HookError)?.code, .missingCall)
      XCTAssertTrue("\(error)".contains("Loader.load: was called once"), "\(error)")
    }
    try loader.send("load:", Int32(2))
    try await expectation.fulfilled()
    XCTAssertEqual(target.removeHooks(named: "expecting"), 1)
    try loader.send("load:", Int32(3))
    XCTAssertEqual(expectation.callCount, 2)
    XCTAssertEqual(problems.codes, [])
  }

  func testAnExpectationThatCannotBeInstalledTellsNothing() throws {
    let problems = problems
    XCTAssertThrowsError(
      try Loader.target("loads:").expectCalls(.exactlyOnce, within: .seconds(2), timer: timer) {
        problems.add($0)
      })
    clock.advance(by: .seconds(3))
    XCTAssertEqual(problems.codes, [])
  }

  func testARemovedExpectationThatNobodyHoldsTellsNothing() throws {
    let done: Done = { _ in }
    let hook = try Block(done).install(expecting(.exactlyOnce)).hook
    hook.remove()
    clock.advance(by: .seconds(3))
    XCTAssertEqual(problems.codes, [])
  }

  func testCancellingTheTaskEndsItsWait() async throws {
    let done: Done = { _ in }
    let expectation = try Block(done).install(expecting(.exactlyOnce)).handle
    let wait = Task { try await expectation.fulfilled() }
    wait.cancel()
    let result = await wait.result
    XCTAssertThrowsError(try result.get())
  }

  func testCallsFromManyThreadsAreAllCounted() async throws {
    let done: Done = { _ in }
    let expectation = try Block(done).install(expecting(.exactly(4_000))).handle
    // SAFETY: the block has no state.
    nonisolated(unsafe) let call = done
    DispatchQueue.concurrentPerform(iterations: 4) { _ in
      for _ in 0..<1_000 { unsafe call(1) }
    }
    try await expectation.fulfilled()
    done(1)
    XCTAssertEqual(problems.codes, ["unexpectedCall"])
  }

  private func assertProblem(
    _ code: ErrorCode, of expectation: CallExpectation, _ parts: String..., line: UInt = #line
  ) async {
    do {
      try await expectation.fulfilled()
      XCTFail("nothing was thrown", line: line)
    } catch {
      XCTAssertEqual(error.code, code, line: line)
      for part in parts { XCTAssertTrue(error.message.contains(part), error.message, line: line) }
    }
  }
}
