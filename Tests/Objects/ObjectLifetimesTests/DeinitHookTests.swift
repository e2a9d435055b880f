import Foundation
import ObjectLifetimes
import TestSupport
import XCTest

final class DeinitHookTests: XCTestCase {
  private let events = Recorder<String>()

  func testEveryKindOfClassRunsItsHooksOnce() throws {
    for kind in OwnerKind.all {
      let seen = Recorder<String>()
      var object: AnyObject? = kind.make()
      if let object {
        try onDeinit(of: object, .before) { seen.record("before") }
        try onDeinit(of: object) { seen.record("after") }
      }
      XCTAssertEqual(seen.entries, [], kind.name)
      object = nil
      XCTAssertEqual(seen.entries, ["before", "after"], kind.name)
    }
  }

  func testAnObjectWithWeakReferencesRunsItsHooks() throws {
    let events = events
    var object: Page? = Page()
    weak let reference = object
    if let object {
      try onDeinit(of: object, .before) { events.record("before") }
      try onDeinit(of: object) { events.record("after") }
    }
    XCTAssertNotNil(reference)
    object = nil
    XCTAssertNil(reference)
    XCTAssertEqual(events.entries, ["before", "after"])
  }

  func testAnObjectThatNeverLeavesItsFunctionRunsItsHook() throws {
    func run() throws {
      let object = Owner()
      let events = events
      try onDeinit(of: object) { events.record("after") }
    }
    try run()
    XCTAssertEqual(events.entries, ["after"])
  }

  func testHooksOfAPositionRunInTheOrderOfInstallation() throws {
    let events = events
    try {
      let object = Announcing { _ in events.record("deinit") }
      for index in 0..<3 {
        try onDeinit(of: object, .after) { events.record("after \(index)") }
        try onDeinit(of: object, .before) { events.record("before \(index)") }
      }
    }()
    XCTAssertEqual(
      events.entries,
      ["before 0", "before 1", "before 2", "deinit", "after 0", "after 1", "after 2"])
  }

  func testBeforeFindsTheFieldsAliveAndAfterFindsThemDead() throws {
    let tracker = LifetimeTracker()
    let alive = Recorder<Int>()
    try {
      let object = Page(content: tracker.track())
      try onDeinit(of: object, .before) { alive.record(tracker.alive) }
      try onDeinit(of: object, .after) { alive.record(tracker.alive) }
    }()
    XCTAssertEqual(alive.entries, [1, 0])
  }

  func testALendingHookReadsTheDyingObject() throws {
    let events = events
    try {
      let object = Page("Index")
      // SAFETY: only the title is kept.
      try unsafe onDeinit(lending: object) { page in events.record(page.title) }
    }()
    XCTAssertEqual(events.entries, ["Index"])
  }

  func testAClassAndItsSuperclassAreBothWatchedAndEachDeinitRunsOnce() throws {
    class Base {
      let events: Recorder<String>
      init(_ events: Recorder<String>) { self.events = events }
      deinit { events.record("base deinit") }
    }
    final class Derived: Base {
      deinit { events.record("derived deinit") }
    }
    let events = events
    for object in [Base(events), Derived(events)] {
      try onDeinit(of: object, .before) { events.record("before") }
      try onDeinit(of: object) { events.record("after") }
    }
    _ = Derived(events)
    XCTAssertEqual(
      events.entries,
      [
        "before", "base deinit", "after", "before", "derived deinit", "base deinit", "after",
        "derived deinit", "base deinit",
      ])
  }

  func testASubclassFirstUsedAfterItsSuperclassWasWatchedIsWatchedToo() throws {
    class Base<Element> {}
    final class Derived<Element>: Base<Element> {}
    let events = events
    try onDeinit(of: Base<Int>()) { events.record("base") }
    try onDeinit(of: Derived<Int>()) { events.record("derived") }
    XCTAssertEqual(events.entries, ["base", "derived"])
  }

  func testThousandsOfClassesAreWatchedAtOnce() throws {
    let events = Recorder<Int>()
    let count = TaggedClasses.count
    for index in 0..<count {
      try onDeinit(of: TaggedClasses.make(index)) { events.record(index) }
    }
    XCTAssertEqual(events.entries, Array(0..<count))
    // All of them end as they did before, without a hook too.
    let tracker = LifetimeTracker()
    for index in 0..<count { _ = TaggedClasses.make(index, content: tracker.track()) }
    tracker.expectNothingAlive()
  }

  func testAHookAddedWhileTheObjectDiesIsRefused() throws {
    let codes = Recorder<ErrorCode?>()
    let attempt: @Sendable (Announcing) -> Void = { object in
      do throws(LifetimeError) {
        try onDeinit(of: object) {}
        codes.record(nil)
      } catch {
        codes.record(error.code)
      }
    }
    // A class that nobody watches, and an object with a side table.
    _ = AnnouncingAlone(attempt)
    let reference = { WeakReference(AnnouncingAlone(attempt)) }()
    XCTAssertNil(reference.object)
    // An object with hooks, from its deinit and from a hook.
    try {
      let object = Announcing(attempt)
      // SAFETY: the object is not kept.
      try unsafe onDeinit(lending: object, attempt)
    }()
    XCTAssertEqual(codes.entries, Array(repeating: .objectIsDying, count: 4))
  }

  func testABlockIsRefused() throws {
    withBlockAsObject { object in
      expectError(.unsupportedObject) { _ = try onDeinit(of: object) {} }
    }
  }

  func testAnObjectThatNeverDiesTakesHooksAndValues() throws {
    // The storage of all empty arrays is a constant of the standard library.
    // SAFETY: an array is one reference to its storage.
    let storage = unsafe unsafeBitCast([Int](), to: AnyObject.self)
    XCTAssertTrue(try onDeinit(of: storage) {}.remove())
  }

  func testADroppedHookRunsAndFreesItsClosure() throws {
    let tracker = LifetimeTracker()
    let events = events
    try {
      let object = Page()
      let captured = tracker.track()
      try onDeinit(of: object) { withExtendedLifetime(captured) { events.record("after") } }
      XCTAssertEqual(tracker.alive, 1)
    }()
    tracker.expectNothingAlive()
    XCTAssertEqual(events.entries, ["after"])
  }

  func testAHookTellsItsState() throws {
    let states = Recorder<DeinitHook.State?>()
    let hooks = Recorder<DeinitHook>()
    try {
      let object = Page()
      let hook = try onDeinit(of: object, .before) { states.record(hooks.entries.first?.state) }
      hooks.record(hook)
      states.record(hook.state)
    }()
    states.record(hooks.entries.first?.state)
    XCTAssertEqual(states.entries, [.installed, .running, .finished])
    XCTAssertEqual(hooks.entries.first?.remove(), false)
  }

  func testHooksRunOnTheThreadThatReleases() throws {
    let threads = Recorder<Bool>()
    var object: Owner? = Owner()
    let main = ObjectIdentifier(Thread.current)
    if let object {
      for position in [DeinitHook.Position.before, .after] {
        try onDeinit(of: object, position) {
          threads.record(ObjectIdentifier(Thread.current) == main)
        }
      }
    }
    let group = ThreadGroup()
    if let given = object {
      let box = Held<Owner>(given)
      group.start { box.drop() }
    }
    object = nil
    group.wait()
    // Whichever of the two threads was last: both hooks ran on the same one.
    XCTAssertEqual(Set(threads.entries).count, 1)
    XCTAssertEqual(threads.entries.count, 2)
  }

  func testAHookMayReleaseAnotherHookedObject() throws {
    let events = events
    try {
      let outer = Page(content: nil)
      let inner = Held<Owner>(Owner())
      if let object = inner.object { try onDeinit(of: object) { events.record("inner") } }
      try onDeinit(of: outer, .before) {
        inner.drop()
        events.record("outer")
      }
    }()
    XCTAssertEqual(events.entries, ["inner", "outer"])
  }
}
