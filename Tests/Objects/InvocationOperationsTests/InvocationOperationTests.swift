import BlockABI
import Foundation
import InvocationOperations
import Invocations
import MessageForwarding
import TestSupport
import XCTest

private final class Counter: MessageReceiver, Sendable {
  struct Overflow: Error {}

  let calls = Recorder<String>()

  func add(_ a: Int, _ b: Int) throws -> Int {
    calls.record("\(a) + \(b)")
    let (sum, overflows) = a.addingReportingOverflow(b)
    if overflows { throw Overflow() }
    return sum
  }

  func note(_ text: String) { calls.record(text) }

  static var methods: MethodTable {
    MethodTable(Counter.self) {
      Method("add:to:", Counter.add)
      Method("note:", Counter.note)
    }
  }
}

final class InvocationOperationTests: XCTestCase {
  private let counter = Counter()

  private func addition(_ a: Int, _ b: Int) throws -> InvocationOperation {
    InvocationOperation(try counter.record { try $0.send("add:to:", a, b) })
  }

  private func code(_ operation: InvocationOperation) -> ErrorCode? {
    do throws(MessageError) {
      _ = try operation.result(as: Int.self)
      return nil
    } catch {
      return error.code
    }
  }

  func testTheResultIsThatOfTheMessage() throws {
    let operation = try addition(1, 2)
    XCTAssertNil(try operation.result(as: Int.self))
    OperationQueue().addOperations([operation], waitUntilFinished: true)
    XCTAssertEqual(try operation.result(as: Int.self), 3)
    XCTAssertEqual(code(operation), nil)
  }

  func testTheOperationHasTheInvocation() throws {
    let invocation = try counter.record { try $0.send("note:", "a") }
    XCTAssertIdentical(InvocationOperation(invocation).invocation, invocation)
  }

  func testAMessageThatReturnsNothingHasNoResult() throws {
    let operation = InvocationOperation(try counter.record { try $0.send("note:", "a") })
    operation.start()
    XCTAssertEqual(code(operation), .noResult)
    XCTAssertEqual(counter.calls.entries, ["a"])
  }

  func testACancelledOperationMakesNoCallAndHasNoResult() throws {
    let operation = try addition(1, 2)
    operation.cancel()
    XCTAssertEqual(code(operation), .cancelled)
    operation.start()
    XCTAssertTrue(operation.isFinished)
    XCTAssertEqual(code(operation), .cancelled)
    XCTAssertEqual(counter.calls.entries, [])
  }

  func testCancellingAFinishedOperationChangesNothing() throws {
    let operation = try addition(1, 2)
    operation.start()
    operation.cancel()
    XCTAssertEqual(try operation.result(as: Int.self), 3)
  }

  func testWhatTheMethodThrowsIsThrownWithTheResult() throws {
    let operation = try addition(.max, 1)
    operation.start()
    XCTAssertEqual(code(operation), .thrown)
    XCTAssertThrowsError(try operation.result(as: Int.self)) { error in
      XCTAssertTrue((error as? MessageError)?.underlyingError is Counter.Overflow)
    }
  }

  func testAWrongResultTypeIsAnError() throws {
    let operation = try addition(1, 2)
    operation.start()
    XCTAssertThrowsError(try operation.result(as: Double.self))
  }

  func testAnInvocationWithoutAReceiverFails() throws {
    let operation = InvocationOperation(
      try Invocation(message: "add:to:", signature: "q@:qq"))
    operation.start()
    XCTAssertEqual(code(operation), .deadReceiver)
  }

  func testAnOperationWaitsForThoseThatItDependsOn() throws {
    let first = try addition(1, 2)
    let second = InvocationOperation(try counter.record { try $0.send("note:", "second") })
    second.addDependency(first)
    let queue = OperationQueue()
    queue.maxConcurrentOperationCount = 2
    queue.addOperations([second, first], waitUntilFinished: true)
    XCTAssertEqual(counter.calls.entries, ["1 + 2", "second"])
  }

  func testACallOfABlockIsAnOperationToo() throws {
    let double: @convention(block) (Int32) -> Int32 = { $0 * 2 }
    let invocation = try Invocation(try Block(double))
    try invocation.setArgument(1, Int32(21))
    let operation = InvocationOperation(invocation)
    operation.start()
    XCTAssertEqual(try operation.result(as: Int32.self), 42)
  }

  func testTheOperationKeepsTheReceiverUntilItEnds() throws {
    let tracker = LifetimeTracker()
    final class Kept: MessageReceiver {
      let tracked: LifetimeTracker.Tracked
      init(_ tracked: LifetimeTracker.Tracked) { self.tracked = tracked }
      static var methods: MethodTable {
        MethodTable(Kept.self) { Method("one") { (_: Kept) in 1 } }
      }
    }
    var operation: InvocationOperation? = InvocationOperation(
      try Kept(tracker.track()).record { try $0.send("one") })
    XCTAssertEqual(tracker.alive, 1)
    operation?.start()
    XCTAssertEqual(try operation?.result(as: Int.self), 1)
    operation = nil
    tracker.expectNothingAlive()
  }
}
