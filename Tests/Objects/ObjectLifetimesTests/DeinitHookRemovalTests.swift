import ObjectLifetimes
import Synchronization
import TestSupport
import XCTest

final class DeinitHookRemovalTests: XCTestCase {
  func testARemovedHookNeverRunsAndItsClosureIsFreedAtOnce() throws {
    let tracker = LifetimeTracker()
    let events = Recorder<String>()
    try {
      let object = Page()
      let captured = tracker.track()
      let hook = try onDeinit(of: object) {
        withExtendedLifetime(captured) { events.record("ran") }
      }
      try onDeinit(of: object) { events.record("other") }
      XCTAssertEqual("\(hook)", "<hook after deinit, installed>")
      XCTAssertTrue(hook.remove())
      XCTAssertEqual(hook.state, .removed)
      XCTAssertEqual("\(hook)", "<hook after deinit, removed>")
      XCTAssertFalse(hook.remove())
      withExtendedLifetime(captured) {}
    }()
    tracker.expectNothingAlive()
    XCTAssertEqual(events.entries, ["other"])
  }

  func testTheClosureIsFreedWhenRemoveReturns() throws {
    let tracker = LifetimeTracker()
    let object = Page()
    func install() throws -> DeinitHook {
      let captured = tracker.track()
      return try onDeinit(of: object) { withExtendedLifetime(captured) {} }
    }
    let hook = try install()
    XCTAssertEqual(tracker.alive, 1)
    XCTAssertTrue(hook.remove())
    tracker.expectNothingAlive()
    withExtendedLifetime(object) {}
  }

  func testManyHooksOfOneObjectAreRemovedInAnyOrder() throws {
    let ran = Recorder<Int>()
    var generator = SeededGenerator(seed: 1)
    try {
      let object = Page()
      var hooks = try (0..<1000).map { index in try onDeinit(of: object) { ran.record(index) } }
      let tokens = hooks.map { WeakReference($0) }
      for index in (0..<1000).filter({ $0 % 7 != 0 }).shuffled(using: &generator) {
        XCTAssertTrue(hooks[index].remove())
      }
      hooks = []
      // The object forgets those that were removed.
      for (index, token) in tokens.enumerated() where index % 7 != 0 {
        XCTAssertNil(token.object)
      }
      try onDeinit(of: object) { ran.record(1000) }
    }()
    XCTAssertEqual(ran.entries, (0..<1000).filter { $0 % 7 == 0 } + [1000])
  }

  func testAHookRemovesOthersFromInside() throws {
    let events = Recorder<String>()
    let results = Recorder<Bool>()
    try {
      let object = Page()
      let box = HookBox()
      try onDeinit(of: object, .before) {
        events.record("first")
        for hook in box.hooks { results.record(hook.remove()) }
      }
      box.add(try onDeinit(of: object, .before) { events.record("second") })
      box.add(try onDeinit(of: object, .after) { events.record("third") })
      try onDeinit(of: object, .after) { events.record("fourth") }
    }()
    XCTAssertEqual(events.entries, ["first", "fourth"])
    XCTAssertEqual(results.entries, [true, true])
  }

  func testAHookDoesNotRemoveItselfWhileItRuns() throws {
    let results = Recorder<Bool>()
    try {
      let object = Page()
      let box = HookBox()
      box.add(
        try onDeinit(of: object, .before) {
          for hook in box.hooks { results.record(hook.remove()) }
          box.clear()
        })
    }()
    XCTAssertEqual(results.entries, [false])
  }

  func testOfTwoThreadsThatRemoveAHookOneDoes() throws {
    let rounds = 5_000
    let object = Owner()
    let hooks = try (0..<rounds).map { _ in try onDeinit(of: object) {} }
    let removed = Mutex(0)
    let lockstep = Lockstep()
    let group = ThreadGroup()
    for isFirst in [true, false] {
      group.start {
        for (index, hook) in hooks.enumerated() {
          lockstep.meet(index, isFirst: isFirst)
          if hook.remove() { removed.withLock { $0 += 1 } }
        }
      }
    }
    group.wait()
    XCTAssertEqual(removed.withLock { $0 }, rounds)
    withExtendedLifetime(object) {}
  }

  func testARemovalThatRacesWithTheLastReleaseIsExact() throws {
    let rounds = 5_000
    for position in [DeinitHook.Position.before, .after] {
      let tracker = LifetimeTracker()
      let counts = Counters(rounds)
      let slots = (0..<rounds).map { _ in Held<Owner>(Owner()) }
      let hooks = try slots.enumerated().map { index, slot in
        let captured = tracker.track()
        return try onDeinit(of: slot.object ?? Owner(), position) {
          withExtendedLifetime(captured) { counts.increment(index) }
        }
      }
      let removed = Counters(rounds)
      let lockstep = Lockstep()
      let group = ThreadGroup()
      group.start {
        for (index, slot) in slots.enumerated() {
          lockstep.meet(index, isFirst: true)
          slot.drop()
        }
      }
      group.start {
        for (index, hook) in hooks.enumerated() {
          lockstep.meet(index, isFirst: false)
          if hook.remove() { removed.increment(index) }
        }
      }
      group.wait()
      for index in 0..<rounds {
        XCTAssertEqual(counts[index] + removed[index], 1, "round \(index)")
      }
      tracker.expectNothingAlive()
    }
  }
}

/// Hooks that closures find when they run.
private final class HookBox: Sendable {
  private let list = Mutex<[DeinitHook]>([])

  var hooks: [DeinitHook] { list.withLock { $0 } }

  func add(_ hook: DeinitHook) { list.withLock { $0.append(hook) } }

  func clear() { list.withLock { $0 = [] } }
}
