import ObjectLifetimes
import TestSupport
import XCTest

/// Hooks of several objects that are installed at once.
final class SeveralObjectsTests: XCTestCase {
  private let events = Recorder<String>()

  func testEachObjectRunsTheClosureWithItsPlace() throws {
    let events = events
    var pages: [Page?] = (0..<3).map { Page("\($0)") }
    let hooks = try onDeinit(ofEach: pages.compactMap { $0 }, .before) { events.record("\($0)") }
    XCTAssertEqual(hooks.map(\.position), [.before, .before, .before])
    pages[1] = nil
    XCTAssertTrue(hooks[2].remove())
    pages = []
    XCTAssertEqual(events.entries, ["1", "0"])
    XCTAssertEqual(hooks.map(\.state), [.finished, .finished, .removed])
  }

  func testTheLastObjectRunsTheCommonClosure() throws {
    let events = events
    let tracker = LifetimeTracker()
    for order in [[0, 1, 2], [2, 0, 1]] {
      var pages: [Page?] = (0..<3).map { Page("\($0)") }
      let hook = try onDeinit(ofAll: pages.compactMap { $0 }) { [object = tracker.track()] in
        events.record("all")
        withExtendedLifetime(object) {}
      }
      for index in order {
        XCTAssertTrue(hook.isInstalled)
        XCTAssertEqual(events.entries, [])
        pages[index] = nil
      }
      XCTAssertFalse(hook.isInstalled)
      XCTAssertFalse(hook.remove())
      XCTAssertEqual(events.take(), ["all"])
      tracker.expectNothingAlive()
    }
  }

  func testOfNoObjectsTheClosureRunsAtOnceAndOfOneTwiceOnce() throws {
    let events = events
    XCTAssertFalse(try onDeinit(ofAll: [Page]()) { events.record("none") }.isInstalled)
    XCTAssertEqual(try onDeinit(ofEach: [Page]()) { _ in events.record("each") }.count, 0)
    try {
      let page = Page()
      try onDeinit(ofAll: [page, page]) { events.record("one") }
    }()
    XCTAssertEqual(events.entries, ["none", "one"])
  }

  func testObjectsThatDieWhileTheHookIsInstalledAreCounted() throws {
    let events = events
    let pages = (0..<3).lazy.map { index in
      events.record("\(index)")
      return Page()
    }
    let hook = try onDeinit(ofAll: pages) { events.record("all") }
    XCTAssertFalse(hook.isInstalled)
    XCTAssertEqual(events.entries, ["0", "1", "2", "all"])
  }

  func testRemovalFreesTheCommonClosure() throws {
    let events = events
    let tracker = LifetimeTracker()
    var pages: [Page] = (0..<3).map { Page("\($0)") }
    let hook = try onDeinit(ofAll: pages) { [object = tracker.track()] in
      events.record("all")
      withExtendedLifetime(object) {}
    }
    pages.removeLast()
    XCTAssertTrue(hook.remove())
    XCTAssertFalse(hook.remove())
    XCTAssertFalse(hook.isInstalled)
    tracker.expectNothingAlive()
    pages = []
    XCTAssertEqual(events.entries, [])
  }

  func testIfOneObjectCannotHaveAHookNoneHas() throws {
    let tracker = LifetimeTracker()
    let events = events
    let page = Page()
    withBlockAsObject { block in
      let objects = [page, block, Page()]
      expectError(.unsupportedObject) {
        try onDeinit(ofEach: objects) { [object = tracker.track()] _ in
          events.record("each")
          withExtendedLifetime(object) {}
        }
      }
      expectError(.unsupportedObject) {
        try onDeinit(ofAll: objects) { [object = tracker.track()] in
          events.record("all")
          withExtendedLifetime(object) {}
        }
      }
      tracker.expectNothingAlive()
    }
    XCTAssertEqual(events.entries, [])
  }

  func testObjectsThatDieOnManyThreadsRunTheCommonClosureOnce() throws {
    for _ in 0..<shortened(200) {
      let runs = Counters(1)
      let held = (0..<4).map { _ in Held(Owner()) }
      let hook = try onDeinit(ofAll: held.compactMap(\.object)) { runs.increment(0) }
      let removed = Counters(1)
      let group = ThreadGroup()
      for object in held { group.start { object.drop() } }
      group.start { if hook.remove() { removed.increment(0) } }
      group.wait()
      XCTAssertEqual(runs.sum + removed.sum, 1)
    }
  }
}
