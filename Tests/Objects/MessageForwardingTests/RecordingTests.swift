import DelayedBlocks
import Dispatch
import Invocations
import MessageForwarding
import TestSupport
import TypeEncodings
import XCTest

final class RecordingTests: XCTestCase {
  func testADyingReceiversMessageCannotBeRecorded() throws {
    final class Dying: MessageReceiver {
      static var methods: MethodTable {
        MethodTable(Dying.self) { Method("run") { (_: Dying) in } }
      }
      deinit {
        XCTAssertNoThrow(try send("run"))
        expectError(.deadReceiver, "dies") { _ = try record { try $0.send("run") } }
      }
    }
    _ = Dying()
  }

  private func code(_ body: () throws -> Void) -> ErrorCode? {
    do { try body() } catch { return (error as? MessageError)?.code }
    return nil
  }

  func testARecordedMessageIsNotSentUntilItIsReplayed() throws {
    let page = Page()
    let invocation = try page.record { try $0.send("didLoad:", 3) }
    XCTAssertEqual(page.loads, [])
    XCTAssertEqual(invocation.selector, "didLoad:")
    XCTAssertIdentical(invocation.receiver, page)
    try invocation.send()
    try invocation.send()
    XCTAssertEqual(page.loads, [3, 3])
  }

  func testItIsReplayedOnOtherReceiversWithOtherArguments() throws {
    let other = Page()
    let invocation = try Page().record { try $0.send("add:to:", 1, 2.5) }
    try invocation.send(to: other)
    XCTAssertEqual(try invocation.result(as: Double.self), 3.5)
    try invocation.setArgument(2, Int32(10))
    try invocation.send()
    XCTAssertEqual(try invocation.result(as: Double.self), 12.5)
    XCTAssertIdentical(invocation.receiver, other)
  }

  func testTheAnswerOfTheRecorderIsZero() throws {
    _ = try Page().record { recorder in
      XCTAssertEqual(try recorder.send("name", returning: String.self), "")
    }
    _ = try Page().record { recorder in
      XCTAssertEqual(code { _ = try recorder.send("name", returning: Page.self) }, .recorded)
    }
  }

  func testAMessageWhoseAnswerHasNoZeroIsRecorded() throws {
    struct Named { var name: String, owner: AnyObject }
    final class Registry: MessageReceiver {
      static var methods: MethodTable {
        MethodTable(Registry.self) {
          Method("named:") { (itself: Registry, name: String) -> Named in
            Named(name: name, owner: itself)
          }
        }
      }
    }
    let registry = Registry()
    let invocation = try registry.record { recorder in
      _ = try recorder.send("named:", "first", returning: Named.self)
    }
    try invocation.send()
    let answer: Named = try invocation.result()
    XCTAssertEqual(answer.name, "first")
    XCTAssertTrue(answer.owner === registry)
    var refusal: MessageError?
    _ = try registry.record { recorder in
      do { _ = try recorder.send("named:", "second", returning: Named.self) } catch {
        refusal = error as? MessageError
      }
    }
    XCTAssertEqual(refusal?.code, .recorded)
  }

  func testAMessageOfArgumentsDescribedAtRunTimeIsRecorded() throws {
    let page = Page()
    let invocation = try page.record { try $0.send("didLoad:", values: [7]) }
    try invocation.send()
    XCTAssertEqual(page.loads, [7])
  }

  func testARecordingTakesExactlyOneMessage() {
    let page = Page()
    XCTAssertEqual(code { _ = try page.record { _ in } }, .notOneMessage)
    for passesOn in [true, false] {
      XCTAssertEqual(
        code {
          _ = try page.record { recorder in
            try recorder.send("didLoad:", 1)
            do { try recorder.send("didLoad:", 2) } catch { if passesOn { throw error } }
          }
        }, .notOneMessage)
    }
    XCTAssertEqual(page.loads, [])
  }

  func testWhatIsRecordedIsChecked() {
    struct Failure: Error {}
    let page = Page()
    let cases: [(ErrorCode, (MessageRecorder) throws -> Void)] = [
      (.unrecognizedSelector, { try $0.send("noSuch") }),
      (.argumentCount, { try $0.send("didLoad:") }),
      (.typeMismatch, { try $0.send("didLoad:", "three") }),
      (.valueOutOfRange, { try $0.send("didLoad:", Int.max) }),
      (.typeMismatch, { _ = try? $0.send("didLoad:", "three") }),
      (.thrown, { _ in throw Failure() }),
    ]
    for (index, (expected, body)) in cases.enumerated() {
      XCTAssertEqual(code { _ = try page.record(body) }, expected, "case \(index)")
    }
  }

  func testARecorderThatIsKeptTakesNothingMore() throws {
    var kept: MessageRecorder?
    let page = Page()
    let invocation = try page.record {
      kept = $0
      try $0.send("didLoad:", 1)
    }
    XCTAssertEqual(code { try kept?.send("didLoad:", 2) }, .notOneMessage)
    try invocation.send()
    XCTAssertEqual(page.loads, [1])
  }

  func testARecorderAnswersWhatItsReceiverAnswers() throws {
    _ = try Page().record { recorder in
      XCTAssertTrue(recorder.responds(to: "didLoad:"))
      XCTAssertFalse(recorder.responds(to: "noSuch"))
      XCTAssertEqual(recorder.methodSignature(for: "add:to:")?.description, "d@:id")
      try recorder.send("name")
    }
  }

  func testTheInvocationKeepsReceiverAndArguments() throws {
    final class Box: MessageReceiver {
      let tracked: LifetimeTracker.Tracked
      init(_ tracked: LifetimeTracker.Tracked) { self.tracked = tracked }
      static var methods: MethodTable {
        MethodTable(Box.self) { Method("same:") { (self: Box, other: Box) in self === other } }
      }
    }
    let tracker = LifetimeTracker()
    var invocation: Invocation? = try Box(tracker.track()).record {
      try $0.send("same:", Box(tracker.track()))
    }
    XCTAssertEqual(tracker.alive, 2)
    try invocation?.send()
    XCTAssertEqual(try invocation?.result(as: Bool.self), false)
    invocation = nil
    tracker.expectNothingAlive()
  }

  func testAnInvocationIsSentOnAnotherQueue() throws {
    let queue = DispatchQueue(label: "later")
    let key = DispatchSpecificKey<Bool>()
    queue.setSpecific(key: key, value: true)
    let receiver = Later { DispatchQueue.getSpecific(key: key) == true ? 1 : 0 }
    let invocation = try receiver.record { try $0.send("add:", 40) }
    let value = try invocation.perform(returning: Int.self, on: .queue(queue))
    try invocation.setArgument(2, 0)
    XCTAssertEqual(value.wait(), .ran)
    XCTAssertEqual(try value.resultIfFinished?.get(), 41)
  }

  func testAnInvocationIsSentAfterADelay() throws {
    let clock = ManualClock()
    let timer = DelayTimer(clock: clock)
    let receiver = Later { 1 }
    let invocation = try receiver.record { try $0.send("add:", 1) }
    let sent = try invocation.perform(after: .seconds(1), timer: timer)
    let cancelled = try invocation.perform(after: .seconds(1), timer: timer)
    let failing = try receiver.record { try $0.send("fail") }
      .perform(after: .seconds(1), timer: timer)
    clock.advance(by: .milliseconds(999))
    XCTAssertEqual(receiver.calls.entries, [])
    XCTAssertTrue(cancelled.cancel())
    clock.advance(by: .milliseconds(1))
    XCTAssertEqual(receiver.calls.entries, [1])
    XCTAssertNoThrow(try sent.resultIfFinished?.get())
    expectError(.thrown) { _ = try failing.resultIfFinished?.get() }
  }

  func testAnInvocationThatIsNotCompleteIsNotSentLater() throws {
    let invocation = try Invocation(message: "add:", signature: "q@:q")
    XCTAssertEqual(code { try invocation.perform() }, .deadReceiver)
    try invocation.setArgument(0, Later { 1 })
    XCTAssertEqual(code { try invocation.perform() }, .missingArgument)
  }
}
