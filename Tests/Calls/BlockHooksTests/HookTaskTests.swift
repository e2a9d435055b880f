import BlockABI
import BlockHooks
import Dispatch
import Invocations
import Synchronization
import TestSupport
import XCTest

/// Hooks that hold for one task and those that it begins.
final class HookTaskTests: XCTestCase {
  private typealias IntBlock = @convention(block) @Sendable (Int32) -> Int32

  private struct Refused: Error {}

  private static func answering(_ result: Int32) -> HookDefinition {
    HookDefinition { try $0.setResult(result) }
  }

  func testAHookHoldsForItsTaskAndForThoseThatItBegins() async throws {
    let original: IntBlock = { $0 }
    let block = try Block(original)
    let answers = try await block.withHook(Self.answering(100)) { () async throws -> [Int32] in
      let own = original(1)
      let unstructured = await Task { original(2) }.value
      async let child = original(3)
      let member = await withTaskGroup(of: Int32.self) { group in
        group.addTask { original(4) }
        return await group.next()
      }
      let detached = await Task.detached { original(5) }.value
      let queued = await withCheckedContinuation { continuation in
        DispatchQueue.global().async { continuation.resume(returning: original(6)) }
      }
      return await [own, unstructured, child, member ?? 0, detached, queued]
    }
    XCTAssertEqual(answers, [100, 100, 100, 100, 5, 6])
    XCTAssertEqual(original(7), 7)
    XCTAssertTrue(block.hooks.isEmpty)
  }

  func testOutsideOfTasksAHookHoldsForItsThread() throws {
    let original: IntBlock = { $0 }
    let block = try Block(original)
    let (own, other) = try block.withHook(Self.answering(100)) {
      let other = Mutex<Int32>(0)
      let thread = ThreadGroup()
      thread.start { other.withLock { $0 = original(2) } }
      thread.wait()
      return (original(1), other.withLock { $0 })
    }
    XCTAssertEqual([own, other, original(3)], [100, 2, 3])
    XCTAssertTrue(block.hooks.isEmpty)
  }

  func testHooksWithinHooksHoldTogetherAndShareAChoice() async throws {
    let original: IntBlock = { $0 }
    let block = try Block(original)
    let adding = { (number: Int32) in
      HookDefinition { call in
        try call.proceed()
        try call.setResult(call.result(as: Int32.self) + number)
      }
    }
    let results = try await block.withHook(adding(10)) { () async throws -> [Int32] in
      let outer = original(0)
      let both = try await block.withHook(adding(200)) { () async in original(0) }
      return [outer, both, original(1)]
    }
    XCTAssertEqual(results, [10, 210, 11])

    let tasks = HookTasks()
    let other: IntBlock = { -$0 }
    let hooks = [
      try block.hook(when: .inTask(tasks)) { try $0.setResult(Int32(1)) },
      try Block(other).hook(when: .inTask(tasks).nth(2)) { try $0.setResult(Int32(2)) },
    ]
    XCTAssertEqual([original(5), other(5)], [5, -5])
    tasks.includingCurrentTask {
      XCTAssertEqual([original(5), other(5), other(6), other(7)], [1, -5, 2, -7])
    }
    XCTAssertEqual(hooks.map(\.isInstalled), [true, false])
    XCTAssertEqual([original(5), other(5)], [5, -5])
  }

  func testWhateverEndsTheClosureRemovesTheHook() async throws {
    let tracker = LifetimeTracker()
    let original: IntBlock = { $0 }
    let block = try Block(original)
    do {
      let tracked = tracker.track()
      let definition = HookDefinition { call in
        try call.setResult(Int32(9))
        withExtendedLifetime(tracked) {}
      }
      XCTAssertThrowsError(
        try block.withHook(definition) {
          XCTAssertEqual(original(1), 9)
          throw Refused()
        })
      do {
        try await block.withHook(definition) { () async throws in
          XCTAssertEqual(original(1), 9)
          throw Refused()
        }
        XCTFail("nothing was thrown")
      } catch { XCTAssertTrue(error is Refused) }
      XCTAssertThrowsError(try block.withHook(HookDefinition([]) { _ in }) { XCTFail("it ran") })
    }
    XCTAssertEqual(original(2), 2)
    XCTAssertTrue(block.hooks.isEmpty)
    tracker.expectNothingAlive()
  }

  func testATaskThatOutlivesItsChoiceIsInNoOtherOne() async throws {
    let original: IntBlock = { $0 }
    let block = try Block(original)
    let (gate, opening) = AsyncStream<Void>.makeStream()
    let late = try block.withHook(Self.answering(100)) {
      Task { () -> Int32 in
        for await _ in gate {}
        return original(1)
      }
    }
    // As many choices as could be given the memory of the first.
    for _ in 0..<100 {
      try block.withHook(Self.answering(200)) { XCTAssertEqual(original(2), 200) }
    }
    let answer = try await block.withHook(Self.answering(300)) { () async in
      opening.finish()
      return await late.value
    }
    XCTAssertEqual(answer, 1)
  }

  func testSixtyFourTasksHookOneBlockAndDoNotSeeEachOther() async throws {
    let original: IntBlock = { $0 }
    let block = try Block(original)
    let wrong = try await withThrowingTaskGroup(of: Int.self) { group in
      for number in Int32(1)...64 {
        group.addTask {
          var wrong = 0
          for _ in 0..<20 {
            wrong += try await block.withHook(Self.answering(1000 + number)) { () async -> Int in
              var wrong = 0
              for _ in 0..<20 {
                if original(number) != 1000 + number { wrong += 1 }
                await Task.yield()
                if await Task.detached(operation: { original(number) }).value != number {
                  wrong += 1
                }
              }
              return wrong
            }
            if original(number) != number { wrong += 1 }
          }
          return wrong
        }
      }
      return try await group.reduce(0, +)
    }
    XCTAssertEqual(wrong, 0)
    XCTAssertTrue(block.hooks.isEmpty)
  }
}
