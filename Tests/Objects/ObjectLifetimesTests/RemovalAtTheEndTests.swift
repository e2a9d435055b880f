import ObjectLifetimes
import Synchronization
import TestSupport
import XCTest

/// A hook that is removed on one thread while its object ends on another.
final class RemovalAtTheEndTests: XCTestCase {
  private final class Thing: Sendable {}

  func testTheClosureOfAHookIsFreedOnceWhoeverIsFirst() throws {
    let rounds = 5_000
    let tracker = LifetimeTracker()
    let slot = Mutex<DeinitHook?>(nil)
    let begun = Atomic<Int>(0)
    let ended = Atomic<Int>(0)
    let threads = ThreadGroup()
    threads.start {
      for round in 1...rounds {
        while begun.load(ordering: .acquiring) != round {}
        let hook = slot.withLock { $0 }
        for _ in 0..<(round % 97) { _ = begun.load(ordering: .relaxed) }
        hook?.remove()
        ended.store(round, ordering: .releasing)
      }
    }
    for round in 1...rounds {
      var thing: Thing? = Thing()
      if let thing {
        let captured = tracker.track()
        let hook = try onDeinit(of: thing, .before) { withExtendedLifetime(captured) {} }
        slot.withLock { $0 = hook }
      }
      begun.store(round, ordering: .releasing)
      for _ in 0..<(round % 61) { _ = begun.load(ordering: .relaxed) }
      thing = nil
      while ended.load(ordering: .acquiring) != round {}
      slot.withLock { $0 = nil }
      XCTAssertEqual(tracker.alive, 0)
    }
    threads.wait()
  }
}
