import BlockRuntime
import Glibc
import TestSupport
import XCTest

/// Notes the thread that frees it.
private final class Captured {
  let onDeinit: () -> Void
  var uses = 0
  init(_ onDeinit: @escaping () -> Void) { self.onDeinit = onDeinit }
  deinit { onDeinit() }
}

/// Closures that are released elsewhere are freed where they belong.
final class FreeingTests: XCTestCase {
  private let freed = Recorder<String>()

  private func makeBlock() throws -> Block { try Block({ $0 + 1 } as Increment) }

  private func note(_ text: String) -> () -> Void { { [freed] in freed.record(text) } }

  private func elsewhere(_ body: @escaping @Sendable () -> Void) {
    let threads = ThreadGroup()
    threads.start(body)
    threads.wait()
  }

  func testAClosureIsFreedWhenItsHookIsRemovedByItsThread() throws {
    let block = try makeBlock()
    let hook: Hook
    do {
      let captured = Captured(note("freed"))
      hook = try isolated(block).hook(.before) { _ in captured.uses += 1 }
    }
    hook.remove()
    XCTAssertEqual(freed.entries, ["freed"])
  }

  func testAThreadFreesItWhenItNextHasSuchClosures() throws {
    let block = try makeBlock()
    let hook: Hook
    do {
      let captured = Captured(note("freed"))
      hook = try isolated(block).hook(.before) { _ in captured.uses += 1 }
    }
    elsewhere { hook.remove() }
    XCTAssertEqual(freed.entries, [])
    _ = isolated(block)
    XCTAssertEqual(freed.entries, ["freed"])
  }

  func testAThreadFreesItWhenItEnds() throws {
    let (block, freed) = (try makeBlock(), freed)
    let threads = ThreadGroup()
    threads.start {
      let me = pthread_self()
      let captured = Captured {
        freed.record(pthread_equal(me, pthread_self()) != 0 ? "on its thread" : "elsewhere")
      }
      let hook = try? isolated(block).hook(.before) { _ in captured.uses += 1 }
      let other = ThreadGroup()
      other.start { hook?.remove() }
      other.wait()
      freed.record("removed")
    }
    threads.wait()
    XCTAssertEqual(freed.entries, ["removed", "on its thread"])
  }

  func testAClosureOfAThreadThatHasEndedIsFreedAtOnce() throws {
    let (block, freed) = (try makeBlock(), freed)
    elsewhere {
      let captured = Captured { freed.record("freed") }
      _ = try? isolated(block).hook(.before) { _ in captured.uses += 1 }
    }
    XCTAssertEqual(freed.entries, [])
    block.removeHooks()
    XCTAssertEqual(freed.entries, ["freed"])
  }

  @MainActor func testATaskOfTheActorFreesIt() async throws {
    let (block, ended) = (try makeBlock(), expectation(description: "freed"))
    do {
      let captured = Captured {
        MainActor.assertIsolated()
        ended.fulfill()
      }
      try isolated(block).hook(.before) { _ in captured.uses += 1 }
    }
    await Task.detached { _ = block.removeHooks() }.value
    await fulfillment(of: [ended], timeout: 60)
  }

  /// Threads call, remove and free at once; nothing that belongs to one is used by another.
  func testThreadsThatCallAndRemoveAtOnce() throws {
    let tracker = LifetimeTracker()
    let rounds = 300
    do {
      let threads = ThreadGroup()
      let blocks = try (0..<4).map { _ in try makeBlock() }
      for own in 0..<4 {
        threads.start {
          var count = 0
          for round in 0..<rounds {
            let captured = tracker.track()
            let hook = try? isolated(blocks[own]).hook(.before, onError: { _ in }) { _ in
              count += 1
              withExtendedLifetime(captured) {}
            }
            _ = try? blocks[own].call(1) as Int32
            _ = try? blocks[(own + 1) % 4].call(1) as Int32
            blocks[(own + round) % 4].removeHooks()
            hook?.remove()
          }
          XCTAssertLessThanOrEqual(count, rounds * 2)
        }
      }
      threads.wait()
    }
    tracker.expectNothingAlive()
  }
}
