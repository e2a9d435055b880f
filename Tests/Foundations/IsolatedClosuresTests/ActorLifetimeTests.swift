import BlockRuntime
import TestSupport
import XCTest

private final class Model: EventSender, KeyValueObservable {
  @Observed var count = 0
}

/// An actor that owns an object, and gives it closures that do not use the actor.
private actor Owner {
  private let model = Model()
  private let tracked: LifetimeTracker.Tracked
  private let calls: Recorder<String>

  init(_ tracked: LifetimeTracker.Tracked, _ calls: Recorder<String>) {
    (self.tracked, self.calls) = (tracked, calls)
  }

  func start(_ what: String, _ timer: DelayTimer) throws {
    let calls = calls
    switch what {
    case "observe": isolated(model).observe(\.count) { _, _ in calls.record(what) }
    case "observe on": model.observe(\.count, on: .actor(self)) { _ in calls.record(what) }
    case "onDeinit": try isolated(model).onDeinit { calls.record(what) }
    case "event":
      try isolated(model.eventHandlers).add(for: .all) { _, _ in calls.record(what) }
    case "association": try isolated(AssociationKey<Model>("model")).set(Model(), on: model)
    case "repeat": try isolated(timer).repeat(every: .seconds(1)) { _ in calls.record(what) }
    case "repeat for":
      try isolated(timer).repeat(every: .seconds(1), for: self) { _, _ in calls.record(what) }
    case "perform for":
      isolated(timer).perform(after: .seconds(1), for: self) { _ in calls.record(what) }
    default: XCTFail(what)
    }
    model.count += 1
    model.eventHandlers.send(EventMask(bit: 0))
  }
}

/// Closures of an actor do not keep it alive.
final class ActorLifetimeTests: XCTestCase {
  private func calls(_ what: String) async throws -> [String] {
    let (tracker, calls, clock) = (LifetimeTracker(), Recorder<String>(), ManualClock())
    let timer = DelayTimer(clock: clock)
    do {
      let owner = Owner(tracker.track(), calls)
      try await owner.start(what, timer)
    }
    XCTAssertEqual(tracker.alive, 0, what)
    clock.advance(by: .seconds(3))
    XCTAssertEqual(timer.pendingCount, 0, what)
    return calls.entries
  }

  func testAnActorEndsThatHasClosures() async throws {
    for what in ["observe", "event"] {
      let calls = try await calls(what)
      XCTAssertEqual(calls, [what])
    }
    for what in ["association", "repeat for", "perform for"] {
      let calls = try await calls(what)
      XCTAssertEqual(calls, [])
    }
  }

  func testATimerEndsWithTheActorOfItsClosure() async throws {
    let (tracker, ticks) = (LifetimeTracker(), Recorder<String>())
    do {
      let owner = Owner(tracker.track(), ticks)
      try await owner.start("repeat", .shared)
    }
    XCTAssertEqual(tracker.alive, 0)
  }

  func testAnObserverOnAnActorDoesNotRetainIt() async throws {
    let tracker = LifetimeTracker()
    do {
      let owner = Owner(tracker.track(), Recorder())
      try await owner.start("observe on", .shared)
    }
    // A task of the actor may still be about to deliver the change.
    for _ in 0..<1_000_000 where tracker.alive > 0 { await Task.yield() }
    tracker.expectNothingAlive()
  }
}
