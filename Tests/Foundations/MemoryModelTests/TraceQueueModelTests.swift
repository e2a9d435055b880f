import TestSupport
import XCTest

/// The ring of a tracer's queue under Arm's memory model.
///
/// The programs follow the functions of TraceRing.c; the ring has room for one call, of a mark and a
/// body.
final class TraceQueueModelTests: XCTestCase {
  override func setUpWithError() throws {
    try XCTSkipIf(isEmulated, "the model is the same on every processor")
  }

  private func isPossible(_ threads: LitmusProgram) -> Bool { Executions(threads).areAnyPossible }

  /// `cbr_trace_ring_reserve`, the call, and `cbr_trace_ring_commit` up to its mark.
  private static func write(
    lap: Int, tail: Order = .acquirePC, mark: Order = .release
  ) -> (inout LitmusThread) -> Void {
    { thread in
      thread.branch(on: thread.load("tail", finding: lap, tail))
      thread.exchange("head", finding: lap, storing: lap + 1, .acquire, .release)
      thread.store(lap + 1, in: "body")
      thread.store(lap + 1, in: "mark", mark)
    }
  }

  /// `cbr_trace_ring_next`, a look at the call, and `cbr_trace_ring_give_back`.
  private static func take(
    _ thread: inout LitmusThread, body: Int, mark: Order = .acquirePC, tail: Order = .release
  ) {
    thread.branch(on: thread.load("mark", finding: 1, mark))
    thread.load("body", finding: body)
    thread.store(1, in: "tail", tail)
  }

  func testTheReaderSeesAllOfACall() {
    func program(writing: Order, reading: Order) -> LitmusProgram {
      LitmusProgram(
        Self.write(lap: 0, mark: writing), { Self.take(&$0, body: 0, mark: reading) })
    }
    XCTAssertFalse(isPossible(program(writing: .release, reading: .acquirePC)))
    XCTAssertTrue(isPossible(program(writing: .plain, reading: .acquirePC)))
    XCTAssertTrue(isPossible(program(writing: .release, reading: .plain)))
  }

  func testTheReaderIsDoneWithACallBeforeItsPlaceIsReused() {
    func program(tail: Order) -> LitmusProgram {
      LitmusProgram(
        Self.write(lap: 0), { Self.take(&$0, body: 2, tail: tail) }, Self.write(lap: 1))
    }
    XCTAssertFalse(isPossible(program(tail: .release)))
    XCTAssertTrue(isPossible(program(tail: .plain)))
  }

  func testTheReaderDoesNotSleepBesideACallThatDoesNotWakeIt() {
    // `cbr_trace_ring_may_sleep` finds no call, and the call that nobody has to be woken.
    func program(_ store: Order, _ head: Order, _ awaited: Order) -> LitmusProgram {
      LitmusProgram(
        { thread in
          Self.write(lap: 0)(&thread)
          thread.load("awaited", finding: 0, awaited)
        },
        { thread in
          thread.store(1, in: "awaited", store)
          thread.load("head", finding: 0, head)
        })
    }
    XCTAssertFalse(isPossible(program(.release, .acquire, .acquire)))
    XCTAssertTrue(isPossible(program(.plain, .acquire, .acquire)))
    XCTAssertTrue(isPossible(program(.release, .acquirePC, .acquire)))
    XCTAssertTrue(isPossible(program(.release, .acquire, .plain)))
  }
}
