import ObjectLifetimes
import Synchronization
import TestSupport
import XCTest

final class DeinitHookThreadTests: XCTestCase {
  func testObjectsDieOnOneThreadWhileTheirClassesAreBeingWatchedOnAnother() throws {
    let tracker = LifetimeTracker()
    let ran = Counters(1)
    let group = ThreadGroup()
    let done = DoneFlag()
    group.start {
      var index = 0
      while !done.isSet {
        _ = TaggedClasses.make(index % TaggedClasses.count, content: tracker.track())
        index += 1
      }
    }
    for index in (0..<TaggedClasses.count).reversed() {
      try onDeinit(of: TaggedClasses.make(index)) { ran.increment(0) }
    }
    done.set()
    group.wait()
    XCTAssertEqual(ran.sum, TaggedClasses.count)
    tracker.expectNothingAlive()
  }

  func testHooksRunOnceWhileOtherObjectsOfTheClassComeAndGo() throws {
    // More than the runtime's filter has places: objects with hooks share them with others.
    let rounds = shortened(40_000)
    let counts = Counters(rounds)
    let tracker = LifetimeTracker()
    let group = ThreadGroup()
    let gate = Gate(4)
    for thread in 0..<4 {
      group.start {
        gate.pass()
        var objects: [AnyObject] = []
        for index in stride(from: thread, to: rounds, by: 4) {
          let object = Page(content: tracker.track())
          objects.append(object)
          objects.append(Page(content: tracker.track()))
          expectSuccess { try onDeinit(of: object) { counts.increment(index) } }
          _ = Page(content: tracker.track())
        }
        objects = []
      }
    }
    group.wait()
    XCTAssertEqual(counts.sum, rounds)
    for index in 0..<rounds where counts[index] != 1 { XCTFail("hook \(index) did not run once") }
    tracker.expectNothingAlive()
  }

  func testAnIsolatedDeinitOnItsActorRunsBetweenTheHooks() async throws {
    let events = Recorder<String>()
    try await MainActor.run {
      let object = OnMainActor(events)
      try onDeinit(of: object, .before) { events.record("before") }
      try onDeinit(of: object) { events.record("after") }
    }
    XCTAssertEqual(events.entries, ["before", "deinit", "after"])
  }

  func testAnIsolatedDeinitElsewhereRunsOnceWhateverTheHooksAre() async throws {
    let events = Recorder<String>()
    let ended = expectation(description: "the deinit has run")
    let object = Held<OnMainActor>(await OnMainActor(events) { ended.fulfill() })
    if let object = object.object {
      try onDeinit(of: object, .before) { events.record("before") }
      try onDeinit(of: object) { events.record("after") }
    }
    let group = ThreadGroup()
    group.start { object.drop() }
    await fulfillment(of: [ended], timeout: 60)
    group.wait()
    XCTAssertEqual(Set(events.entries), ["before", "deinit", "after"])
    XCTAssertEqual(events.entries.count, 3)
    XCTAssertEqual(events.entries.first, "before")
  }

  func testAnActorThatIsReleasedByItsOwnMethodRunsItsHooks() async throws {
    let ran = expectation(description: "the hooks have run")
    ran.expectedFulfillmentCount = 2
    let slot = Held<SelfReleasing>(SelfReleasing())
    if let object = slot.object {
      try onDeinit(of: object, .before) { ran.fulfill() }
      try onDeinit(of: object) { ran.fulfill() }
    }
    await slot.object?.release(slot)
    await fulfillment(of: [ran], timeout: 60)
  }
}

@MainActor private final class OnMainActor {
  private let events: Recorder<String>
  private let end: @Sendable () -> Void

  init(_ events: Recorder<String>, _ end: @escaping @Sendable () -> Void = {}) {
    self.events = events
    self.end = end
  }

  isolated deinit {
    events.record("deinit")
    end()
  }
}

private actor SelfReleasing {
  func release(_ slot: Held<SelfReleasing>) { slot.drop() }
}
