import Foundation
import InvocationOperations
import Invocations
import MessageForwarding
import TestSupport
import XCTest

private final class Saver: MessageReceiver, Sendable {
  struct Full: Error {}

  let calls = Recorder<String>()

  func save() async throws {
    await Task.yield()
    calls.record("saved")
  }
  func load() async throws -> Int {
    await Task.yield()
    return 5
  }
  func fail() async throws { throw Full() }
  func wait() async throws {
    calls.record("waits")
    try await Task.sleep(for: .seconds(1_000))
  }

  static var methods: MethodTable {
    MethodTable(Saver.self) {
      Method("save", Saver.save)
      Method("load", Saver.load)
      Method("fail", Saver.fail)
      Method("wait", Saver.wait)
    }
  }
}

/// Operations of async messages end when the method has ended.
final class AsyncOperationTests: XCTestCase {
  private let saver = Saver()

  private func operation(_ selector: Selector) throws -> InvocationOperation {
    InvocationOperation(try saver.record { try $0.send(selector) })
  }

  private func run(_ operations: Operation...) {
    OperationQueue().addOperations(operations, waitUntilFinished: true)
  }

  func testAnOperationAwaitsAMethodWithoutAResult() throws {
    let (save, after) = (
      try operation("save"), BlockOperation { [saver] in saver.calls.record("after") }
    )
    after.addDependency(save)
    run(save, after)
    XCTAssertEqual(saver.calls.entries, ["saved", "after"])
    XCTAssertTrue(save.isFinished)
    XCTAssertFalse(save.isExecuting)
    XCTAssertNotNil(try save.result(as: Void.self))
  }

  func testTheResultIsThatOfTheMethod() throws {
    let load = try operation("load")
    XCTAssertNil(try load.result(as: Int.self))
    run(load)
    XCTAssertEqual(try load.result(as: Int.self), 5)
    expectError(.typeMismatch) { _ = try load.result(as: String.self) }
  }

  func testTheErrorIsThatOfTheMethod() throws {
    let fail = try operation("fail")
    run(fail)
    expectError(.thrown, "Full") { _ = try fail.result(as: Void.self) }
  }

  func testCancellingAnOperationCancelsItsTask() throws {
    let wait = try operation("wait")
    let queue = OperationQueue()
    queue.addOperation(wait)
    while saver.calls.entries.isEmpty { sched_yield() }
    wait.cancel()
    queue.waitUntilAllOperationsAreFinished()
    XCTAssertTrue(wait.isFinished)
    expectError(.cancelled) { _ = try wait.result(as: Void.self) }
  }

  func testACancelledOperationDoesNotBegin() throws {
    let save = try operation("save")
    save.cancel()
    run(save)
    XCTAssertTrue(save.isFinished)
    XCTAssertEqual(saver.calls.entries, [])
  }

  func testAnOperationOfTheMainQueueAwaitsAMethodOfTheMainActor() async throws {
    @MainActor final class Screen: MessageReceiver {
      var count = 0
      func draw() async { count += 1 }
      nonisolated static var methods: MethodTable {
        MethodTable(Screen.self) {
          Method("draw") { (screen: Screen) async in await screen.draw() }
        }
      }
    }
    let ended = expectation(description: "ended")
    let screen = try await MainActor.run {
      let screen = Screen()
      let operation = InvocationOperation(try screen.record { try $0.send("draw") })
      operation.completionBlock = { ended.fulfill() }
      OperationQueue.main.addOperation(operation)
      return screen
    }
    await fulfillment(of: [ended], timeout: 60)
    let count = await screen.count
    XCTAssertEqual(count, 1)
  }
}
