import BlockRuntime
import Glibc
import Synchronization
import TestSupport
import XCTest

/// Notes where it is freed.
private final class Captured {
  let onDeinit: () -> Void
  var uses = 0
  init(_ onDeinit: @escaping () -> Void) { self.onDeinit = onDeinit }
  deinit { onDeinit() }
}

/// Notes whether several threads are in it at once.
private final class Room: Sendable {
  private let present = Atomic(0)
  private let visits = Atomic(0)
  private let isShared = Atomic(false)

  var outcome: [Int] {
    [visits.load(ordering: .acquiring), isShared.load(ordering: .acquiring) ? 1 : 0]
  }

  func visit() {
    if present.add(1, ordering: .acquiringAndReleasing).newValue > 1 {
      isShared.store(true, ordering: .releasing)
    }
    for _ in 0..<100 { sched_yield() }
    visits.add(1, ordering: .acquiringAndReleasing)
    present.subtract(1, ordering: .acquiringAndReleasing)
  }
}

private actor Owner {
  func hook(_ block: Block, _ room: Room) throws -> Hook {
    let captured = Captured { room.visit() }
    return try isolated(block).hook(.before) { _ in captured.uses += 1 }
  }
}

/// An actor whose deinit runs outside of it, and has another thread remove the closures.
private actor Ending {
  private let block: Block
  private let events: Recorder<String>

  init(_ block: Block, _ events: Recorder<String>) { (self.block, self.events) = (block, events) }

  func hook() throws {
    let captured = Captured { [events] in events.record("freed") }
    try isolated(block).hook(.before) { _ in captured.uses += 1 }
  }

  deinit {
    let threads = ThreadGroup()
    threads.start { [block] in block.removeHooks() }
    threads.wait()
    events.record("deinit ends")
  }
}

/// Closures that are released elsewhere are freed where they belong.
final class FreeingTests: XCTestCase {
  private func makeBlock() throws -> Block { try Block({ $0 + 1 } as Increment) }

  @MainActor func testAClosureIsFreedWhenItsActorRemovesItsHook() async throws {
    let (block, freed) = (try makeBlock(), Recorder<String>())
    let hook: Hook
    do {
      let captured = Captured { freed.record("freed") }
      hook = try isolated(block).hook(.before) { _ in captured.uses += 1 }
    }
    hook.remove()
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
    // Swift 6.2 does not send the test itself to a function of no actor.
    let outcome = await XCTWaiter().fulfillment(of: [ended], timeout: 60)
    XCTAssertEqual(outcome, .completed)
  }

  /// Closures of one actor share its objects, also after its end.
  func testThreadsFreeTheClosuresOfADestroyedActorOneAfterTheOther() async throws {
    let (block, room) = (try makeBlock(), Room())
    var hooks: [Hook] = []
    do {
      let owner = Owner()
      for _ in 0..<shortened(200) { hooks.append(try await owner.hook(block, room)) }
    }
    await remove(hooks)
    XCTAssertEqual(room.outcome, [hooks.count, 0])
  }

  /// The deinit uses what the closures use, too.
  func testNoThreadFreesAClosureWhileTheDeinitOfItsActorRuns() async throws {
    let events = Recorder<String>()
    do {
      let ending = Ending(try makeBlock(), events)
      try await ending.hook()
    }
    XCTAssertEqual(events.entries, ["deinit ends", "freed"])
  }

  private func remove(_ hooks: [Hook]) async {
    await Task.detached {
      await withTaskGroup(of: Void.self) { group in
        for part in 0..<4 {
          group.addTask {
            for hook in hooks.indices.filter({ $0 % 4 == part }) { hooks[hook].remove() }
          }
        }
      }
    }.value
  }
}
