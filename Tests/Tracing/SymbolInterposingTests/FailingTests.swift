import BlockRuntime
import Dispatch
import Glibc
import SymbolInterposing
import TestSupport
import XCTest

/// Calls that fail and wait because a definition says so.
final class FailingTests: XCTestCase {
  func testAFunctionFailsByItsResultAndTheErrorNumber() throws {
    // SAFETY: the functions have these signatures.
    let (change, find) = unsafe (
      try ImportedFunction("chdir", signature: "ir*"),
      try ImportedFunction("getenv", signature: "*r*")
    )
    let hooks = [
      try change.install(.failing(with: EIO)), try find.install(.failing(with: EAGAIN)),
    ]
    errno = 0
    unsafe XCTAssertEqual(chdir("/"), -1)
    XCTAssertEqual(errno, EIO)
    XCTAssertNil(unsafe getenv("PATH"))
    XCTAssertEqual(errno, EAGAIN)
    for hook in hooks { hook.remove() }
    unsafe XCTAssertNotNil(getenv("PATH"))
  }

  func testAResultThatIsNoNumberOrPointerIsRefused() throws {
    let block = try Block(signature: "{P=dd}@?") { _ in }
    expectError(.typeMismatch) { try block.install(.failing(with: EIO)) }
    expectError(.cannotThrow) { try block.install(.failing(with: CancellationError())) }
    XCTAssertTrue(block.hooks.isEmpty)
  }

  func testACallWaitsAsLongAsTheTimerSays() throws {
    let clock = ManualClock()
    let times = Recorder<ManualClock.Instant>()
    let block = try Block(signature: "v@?") { _ in times.record(clock.now) }
    try block.install(.delaying(by: .seconds(5), timer: DelayTimer(clock: clock)))
    try block.hook(.before) { _ in times.record(clock.now) }
    let hasEnded = DispatchSemaphore(value: 0)
    let thread = ThreadGroup()
    thread.start {
      try? block.call()
      hasEnded.signal()
    }
    while hasEnded.wait(timeout: .now()) == .timedOut {
      clock.advance(by: .seconds(1))
      sched_yield()
    }
    thread.wait()
    let (begin, end) = (try XCTUnwrap(times.entries.first), try XCTUnwrap(times.entries.last))
    XCTAssertEqual(times.entries.count, 2)
    XCTAssertGreaterThanOrEqual(begin.duration(to: end), .seconds(5))
  }
}
