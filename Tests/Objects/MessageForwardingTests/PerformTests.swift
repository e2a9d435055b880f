import DelayedBlocks
import Invocations
import MessageForwarding
import TestSupport
import XCTest

final class PerformTests: XCTestCase {
  private let clock = ManualClock()
  private lazy var timer = DelayTimer(clock: clock)
  private let tracker = LifetimeTracker()

  private func receiver() -> Later { Later(tracker.track()) { 1 } }

  func testAMessageIsSentAfterItsDelay() throws {
    let receiver = receiver()
    let token = try receiver.perform("add:", 3, after: .seconds(1), timer: timer)
    clock.advance(by: .milliseconds(999))
    XCTAssertEqual(receiver.calls.entries, [])
    clock.advance(by: .milliseconds(1))
    XCTAssertEqual(receiver.calls.entries, [3])
    XCTAssertEqual(token.state, .finished)
  }

  func testTheReceiverIsKeptUntilTheMessageIsSent() throws {
    try receiver().perform("add:", 3, after: .seconds(1), timer: timer)
    XCTAssertEqual(tracker.alive, 1)
    clock.advance(by: .seconds(1))
    tracker.expectNothingAlive()
  }

  func testCancellingFreesReceiverAndArguments() throws {
    let token = try receiver().perform("take:", tracker.track(), after: .seconds(1), timer: timer)
    XCTAssertEqual(tracker.alive, 2)
    XCTAssertTrue(token.cancel())
    tracker.expectNothingAlive()
    XCTAssertFalse(token.cancel())
  }

  func testAReceiverThatIsNotKeptTakesItsMessageWithIt() throws {
    var receiver: Later? = receiver()
    let token = try receiver?.perform(
      "take:", tracker.track(), after: .seconds(1), keepsReceiver: false, timer: timer)
    XCTAssertEqual(tracker.alive, 2)
    receiver = nil
    tracker.expectNothingAlive()
    XCTAssertEqual(token?.state, .cancelled)
  }

  func testMessagesAreCancelledByReceiverAndName() throws {
    let receivers = [receiver(), receiver()]
    for receiver in receivers {
      try receiver.perform("add:", 1, after: .seconds(1), timer: timer)
      try receiver.perform("add:", 2, after: .seconds(2), timer: timer)
      try receiver.perform("take:", tracker.track(), after: .seconds(1), timer: timer)
    }
    timer.perform(after: .seconds(1), for: receivers[0], name: "add:") { $0.calls.record(9) }
    XCTAssertEqual(receivers[0].cancelPreviousPerforms(of: "add:"), 2)
    XCTAssertEqual(receivers[0].cancelPreviousPerforms(of: "add:"), 0)
    XCTAssertEqual(receivers[1].cancelPreviousPerforms(), 3)
    clock.advance(by: .seconds(3))
    XCTAssertEqual(receivers.map(\.calls.entries), [[0, 9], []])
  }

  func testAMessageIsCheckedWhenItIsScheduled() {
    let receiver = receiver()
    let cases: [(ErrorCode, () throws -> Void)] = [
      (.unrecognizedSelector, { try receiver.perform("noSuch", after: .zero) }),
      (.argumentCount, { try receiver.perform("add:", 1, 2, after: .zero) }),
      (.typeMismatch, { try receiver.perform("add:", "1", after: .zero) }),
    ]
    for (code, body) in cases {
      XCTAssertThrowsError(try body()) { error in
        XCTAssertEqual((error as? MessageError)?.code, code)
      }
    }
    XCTAssertEqual(DelayedBlock.count(of: receiver), 0)
  }

  func testWhatTheMethodThrowsIsReported() throws {
    let errors = Recorder<MessageError>()
    let receiver = receiver()
    try receiver.perform("fail", after: .zero, timer: timer) { errors.record($0) }
    clock.advance(by: .zero)
    XCTAssertEqual(errors.entries.map(\.code), [.thrown])
    XCTAssertTrue(errors.entries.first?.underlyingError is Later.Failure)
  }

  func testATokenSendsItsMessageNow() throws {
    let receiver = receiver()
    let token = try receiver.perform("add:", 3, after: .seconds(1), timer: timer)
    XCTAssertTrue(token.runNow())
    clock.advance(by: .seconds(1))
    XCTAssertEqual(receiver.calls.entries, [3])
  }
}
