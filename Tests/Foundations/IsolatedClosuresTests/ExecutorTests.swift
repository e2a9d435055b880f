import BlockRuntime
import Dispatch
import TestSupport
import XCTest

/// An executor that is a queue, and may say whether the queue runs the calling code.
private final class QueueExecutor: SerialExecutor {
  let queue = DispatchQueue(label: "executor")
  private let key = DispatchSpecificKey<Bool>()
  private let tells: Bool

  init(tells: Bool) {
    self.tells = tells
    queue.setSpecific(key: key, value: true)
  }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { unsafe job.runSynchronously(on: self.asUnownedSerialExecutor()) }
  }

  func isIsolatingCurrentContext() -> Bool? {
    tells ? DispatchQueue.getSpecific(key: key) ?? false : nil
  }

  func checkIsolated() { XCTFail("would trap") }
}

private actor QueueActor {
  nonisolated let executor: QueueExecutor
  private var count = 0

  init(tells: Bool) { executor = QueueExecutor(tells: tells) }

  nonisolated var unownedExecutor: UnownedSerialExecutor {
    unsafe executor.asUnownedSerialExecutor()
  }

  func hook(_ block: Block, _ calls: Recorder<String>) throws {
    try isolated(block).hook(.before, onError: { calls.record(code(of: $0)) }) { _ in
      self.count += 1
      calls.record("\(self.count)")
    }
  }

  func call(_ block: Block) throws { let _: Int32 = try block.call(1) }
}

/// Actors with executors of their own, and code outside of tasks.
final class ExecutorTests: XCTestCase {
  private func calls(tells: Bool) async throws -> [String] {
    let (actor, calls) = (QueueActor(tells: tells), Recorder<String>())
    let block = try Block({ $0 + 1 } as Increment)
    try await actor.hook(block, calls)
    try await actor.call(block)
    await withCheckedContinuation { continuation in
      actor.executor.queue.async {
        _ = try? block.call(1) as Int32
        continuation.resume()
      }
    }
    _ = try? block.call(1) as Int32
    return calls.entries
  }

  func testTheQueueOfAnExecutorRunsClosuresIfTheExecutorKnowsIt() async throws {
    let calls = try await calls(tells: true)
    XCTAssertEqual(calls, ["1", "2", "wrongExecutor"])
  }

  func testAnExecutorThatDoesNotKnowIsNotAskedToTrap() async throws {
    let calls = try await calls(tells: false)
    XCTAssertEqual(calls, ["1", "wrongExecutor", "wrongExecutor"])
  }
}
