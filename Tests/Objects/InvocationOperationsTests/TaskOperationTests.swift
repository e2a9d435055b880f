import Foundation
import InvocationOperations
import KeyValueObserving
import TestSupport
import XCTest

/// Operations of async closures, and observers of their end.
final class TaskOperationTests: XCTestCase {
  private struct Full: Error {}

  private let events = Recorder<String>()

  private func observe<Value>(_ operation: TaskOperation<Value>) {
    operation.observe(\.isFinished, options: [.old, .new]) { [events] operation, change in
      events.record("\(change.old ?? true) \(change.new ?? false) \(operation.isExecuting)")
    }
  }

  func testTheEndOfTheClosureIsObservedBeforeDependentOperationsBegin() throws {
    let tracker = LifetimeTracker()
    let operation = TaskOperation { [events, tracked = tracker.track()] in
      await Task.yield()
      events.record("ran")
      return withExtendedLifetime(tracked) { 5 }
    }
    observe(operation)
    let after = BlockOperation { [events] in events.record("after") }
    after.addDependency(operation)
    XCTAssertFalse(operation.isFinished)
    XCTAssertNil(operation.result)
    OperationQueue().addOperations([after, operation], waitUntilFinished: true)
    XCTAssertEqual(events.entries, ["ran", "false true false", "after"])
    XCTAssertEqual(try operation.result?.get(), 5)
    // The task frees it after its end.
    while tracker.alive > 0 { sched_yield() }
  }

  func testTheErrorIsThatOfTheClosure() {
    let operation = TaskOperation { throw Full() }
    OperationQueue().addOperations([operation], waitUntilFinished: true)
    XCTAssertThrowsError(try operation.result?.get()) { XCTAssertTrue($0 is Full) }
  }

  func testCancellingAnOperationCancelsItsTask() {
    let operation = TaskOperation { [events] in
      events.record("begun")
      try await Task.sleep(for: .seconds(1_000))
    }
    observe(operation)
    let queue = OperationQueue()
    queue.addOperation(operation)
    while events.entries.isEmpty { sched_yield() }
    operation.cancel()
    queue.waitUntilAllOperationsAreFinished()
    XCTAssertEqual(events.entries, ["begun", "false true false"])
    XCTAssertThrowsError(try operation.result?.get()) { XCTAssertTrue($0 is CancellationError) }
  }

  func testACancelledOperationEndsWithoutItsClosure() {
    let operation = TaskOperation { [events] in events.record("begun") }
    observe(operation)
    operation.cancel()
    OperationQueue().addOperations([operation], waitUntilFinished: true)
    XCTAssertEqual(events.entries, ["false true false"])
    XCTAssertThrowsError(try operation.result?.get()) { XCTAssertTrue($0 is CancellationError) }
  }

  func testAPathThroughAnOperationIsToldOfItsEnd() {
    final class Loader: KeyValueObservable, @unchecked Sendable {  // of this test
      @Observed var operation: TaskOperation<Int>?
    }
    let loader = Loader()
    loader.operation = TaskOperation { 3 }
    loader.observe(\.operation?.isFinished) { [events] _, _ in events.record("told") }
    OperationQueue().addOperations([loader.operation].compactMap(\.self), waitUntilFinished: true)
    XCTAssertEqual(events.entries, ["told"])
  }
}
