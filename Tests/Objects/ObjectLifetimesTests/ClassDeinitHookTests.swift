import Dispatch
import Foundation
import ObjectLifetimes
import Synchronization
import TestSupport
import XCTest

/// Hooks of all objects of a class.
final class ClassDeinitHookTests: XCTestCase {
  private let events = Recorder<String>()

  private class Base {
    let content: AnyObject?
    init(_ content: AnyObject? = nil) { self.content = content }
  }

  private class Middle: Base {}
  private final class Leaf: Middle {}
  private class Pair<First>: Base {}
  private final class NumberPair: Pair<Int> {}
  private final class Other {}

  private static func make(_ type: Base.Type) {
    drop { () -> AnyObject in
      switch type {
      case is Leaf.Type: Leaf()
      case is Middle.Type: Middle()
      case is NumberPair.Type: NumberPair()
      case is Pair<Int>.Type: Pair<Int>()
      case is Pair<String>.Type: Pair<String>()
      default: Base()
      }
    }
  }

  /// The classes of which an object was destroyed with the hook.
  private func noticed(
    _ hooked: Base.Type, includingSubclasses: Bool = true, of types: [Base.Type]
  ) throws -> [String] {
    let events = Recorder<String>()
    let hook = try onDeinit(ofInstances: hooked, includingSubclasses: includingSubclasses) {
      events.record("\($0.type)")
    }
    types.forEach(Self.make)
    XCTAssertTrue(hook.remove())
    types.forEach(Self.make)
    return events.entries
  }

  func testObjectsOfTheClassAndOfItsSubclassesHaveTheHook() throws {
    let types = [Base.self, Middle.self, Leaf.self, Pair<Int>.self, NumberPair.self]
    XCTAssertEqual(
      try noticed(Base.self, of: types), ["Base", "Middle", "Leaf", "Pair<Int>", "NumberPair"])
    XCTAssertEqual(try noticed(Middle.self, of: types), ["Middle", "Leaf"])
    XCTAssertEqual(try noticed(Pair<Int>.self, of: types), ["Pair<Int>", "NumberPair"])
    XCTAssertEqual(try noticed(Base.self, includingSubclasses: false, of: types), ["Base"])
    XCTAssertEqual(try noticed(NumberPair.self, of: types), ["NumberPair"])
  }

  func testAGenericSubclassIsIncludedWithItsFirstObjectThatHasAHook() throws {
    let events = events
    let hook = try onDeinit(ofInstances: Base.self) { events.record("\($0.type)") }
    defer { hook.remove() }
    try {
      let object = Pair<String>()
      try onDeinit(of: object) { events.record("own") }
    }()
    Self.make(Pair<String>.self)
    XCTAssertEqual(events.entries, ["own", "Pair<String>", "Pair<String>"])
  }

  func testObjectsThatExistHaveTheHook() throws {
    let events = events
    var object: Base? = Base()
    let id = object.map(ObjectIdentifier.init)
    let hook = try onDeinit(ofInstances: Base.self) {
      events.record("\($0.id == id) \($0)")
    }
    object = nil
    hook.remove()
    XCTAssertEqual(events.entries.count, 1)
    let text = try XCTUnwrap(events.entries.first)
    XCTAssertTrue(text.hasPrefix("true ") && text.contains("Base") && text.contains(" at 0x"), text)
  }

  func testTheHooksOfAClassRunAfterThoseOfTheObject() throws {
    let events = events
    class Parent {
      let events: Recorder<String>
      init(_ events: Recorder<String>) { self.events = events }
      deinit { events.record("deinit") }
    }
    final class Child: Parent {}
    let key = AssociationKey<Finaliser>("key")
    let hooks = [
      try onDeinit(ofInstances: Parent.self) { _ in events.record("parent, after") },
      try onDeinit(ofInstances: Child.self) { _ in events.record("child, after") },
      try onDeinit(ofInstances: Child.self, .before) { _ in events.record("child, before") },
      try onDeinit(ofInstances: Parent.self, .before) { _ in events.record("parent, before") },
    ]
    drop { Child(events) }
    XCTAssertEqual(
      events.take(),
      ["child, before", "parent, before", "deinit", "parent, after", "child, after"])
    // A function of its own, whose references to the value have ended when the object dies.
    @inline(never) func prepare(_ object: Child) throws {
      try onDeinit(of: object) { events.record("own, after") }
      try onDeinit(of: object, .before) { events.record("own, before") }
      try key.set(Finaliser { events.record("value") }, on: object)
    }
    try {
      let object = Child(events)
      try prepare(object)
    }()
    XCTAssertEqual(
      events.take(),
      [
        "own, before", "child, before", "parent, before", "deinit", "value", "own, after",
        "parent, after", "child, after",
      ])
    // The only hook of the object.
    try {
      let object = Child(events)
      try onDeinit(of: object, .before) { events.record("own, before") }
    }()
    XCTAssertEqual(
      events.take(),
      ["own, before", "child, before", "parent, before", "deinit", "parent, after", "child, after"])
    for hook in hooks { XCTAssertTrue(hook.remove()) }
    drop { Child(events) }
    XCTAssertEqual(events.entries, ["deinit"])
  }

  func testALendingHookReadsTheDyingObject() throws {
    let events = events
    // SAFETY: only the title is kept.
    let hook = try unsafe onDeinit(lendingInstances: Page.self) { page in
      events.record("\(page.title) \(page.content != nil)")
    }
    drop { Page("Index", content: Other()) }
    drop { AnnouncedPage("Preface") }
    hook.remove()
    drop { Page("Appendix") }
    XCTAssertEqual(events.entries, ["Index true", "Preface false"])
  }

  private final class AnnouncedPage: Page {}

  func testRemovalFreesTheClosureAndEndsTheCalls() throws {
    let tracker = LifetimeTracker()
    let content = Held(tracker.track())
    let hook = try onDeinit(ofInstances: Other.self) { [object = content.object] _ in
      withExtendedLifetime(object) {}
    }
    content.drop()
    XCTAssertEqual(tracker.alive, 1)
    XCTAssertTrue(hook.isInstalled)
    drop { Other() }
    XCTAssertEqual(tracker.alive, 1)
    XCTAssertTrue(hook.remove())
    XCTAssertFalse(hook.remove())
    XCTAssertFalse(hook.isInstalled)
    XCTAssertTrue(hook.description.hasSuffix("Other, removed>"), hook.description)
    tracker.expectNothingAlive()
  }

  func testAHookRemovesItselfAndObjectsDieWithinIt() throws {
    let events = events
    let tracker = LifetimeTracker()
    let held = Mutex<ClassDeinitHook?>(nil)
    let hook = try onDeinit(ofInstances: Other.self) { [object = tracker.track()] _ in
      events.record("hook")
      if events.entries.count == 3 {
        XCTAssertEqual(held.withLock { $0 }?.remove(), true)
        XCTAssertEqual(tracker.alive, 1)
      }
      if events.entries.count < 10 { drop { Other() } }
      withExtendedLifetime(object) {}
    }
    held.withLock { $0 = hook }
    drop { Other() }
    XCTAssertEqual(events.entries.count, 3)
    tracker.expectNothingAlive()
    XCTAssertFalse(hook.remove())
  }

  func testARemovedHookDoesNotBeginThoughACallOfItIsRunning() throws {
    let runs = Counters(1)
    let (isRunning, isRemoved) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let (isDying, goesOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let second = Mutex<ObjectIdentifier?>(nil)
    let first = try onDeinit(ofInstances: Other.self, .before) { object in
      guard second.withLock({ $0 }) == object.id else { return }
      isDying.signal()
      goesOn.wait()
    }
    let hook = try onDeinit(ofInstances: Other.self, .before) { _ in
      runs.increment(0)
      guard runs.sum == 1 else { return }
      isRunning.signal()
      isRemoved.wait()
    }
    let (running, dying) = (ThreadGroup(), ThreadGroup())
    running.start { drop { Other() } }
    isRunning.wait()
    // Another object has begun to die with both hooks, and comes to this one after its removal.
    dying.start {
      drop {
        let object = Other()
        second.withLock { $0 = ObjectIdentifier(object) }
        return object
      }
    }
    isDying.wait()
    XCTAssertTrue(hook.remove())
    goesOn.signal()
    dying.wait()
    isRemoved.signal()
    running.wait()
    first.remove()
    XCTAssertEqual(runs.sum, 1)
  }

  func testAHookIsInstalledWithinAHook() throws {
    let events = events
    let hooks = Recorder<ClassDeinitHook>()
    hooks.record(
      try onDeinit(ofInstances: Middle.self) { _ in
        expectSuccess {
          hooks.record(try onDeinit(ofInstances: Base.self) { _ in events.record("inner") })
        }
      })
    for _ in 0..<2 { Self.make(Leaf.self) }
    // Those that the first object's hook installed, on the second object; none on the first.
    XCTAssertEqual(events.entries, ["inner"])
    XCTAssertEqual(hooks.take().filter { $0.remove() }.count, 3)
  }

  func testAChainOfObjectsRunsTheHookForEach() throws {
    final class Link: Sendable {
      let next: Link?
      init(_ next: Link?) { self.next = next }
    }
    let count = Atomic(0)
    let key = AssociationKey<Link>("next")
    let hook = try onDeinit(ofInstances: Link.self) { _ in count.add(1, ordering: .relaxed) }
    do {
      var chain: Link?
      for _ in 0..<1_000 { chain = Link(chain) }
    }
    XCTAssertEqual(count.load(ordering: .relaxed), 1_000)
    // Objects that hold each other by associated values are not destroyed by recursion.
    let length = 100_000
    do {
      var chain = Link(nil)
      for _ in 1..<length {
        let link = Link(nil)
        try key.set(chain, on: link)
        chain = link
      }
    }
    XCTAssertEqual(count.load(ordering: .relaxed), 1_000 + length)
    hook.remove()
  }

  func testObjectsOfManyThreadsRunTheHooksThatAreInstalled() throws {
    let tracker = LifetimeTracker()
    let rounds = shortened(20_000)
    let (always, own) = (Counters(1), Counters(4))
    let permanent = try onDeinit(ofInstances: Middle.self) { _ in always.increment(0) }
    let group = ThreadGroup()
    let done = DoneFlag()
    for thread in 0..<4 {
      group.start {
        for index in 0..<rounds {
          let object = Leaf(tracker.track())
          if index.isMultiple(of: 3) {
            expectSuccess { try onDeinit(of: object) { own.increment(thread) } }
          }
        }
      }
    }
    let changes = ThreadGroup()
    for _ in 0..<2 {
      changes.start {
        while !done.isSet {
          expectSuccess {
            let content = tracker.track()
            let hook = try onDeinit(ofInstances: Base.self, .before) { [content] _ in
              withExtendedLifetime(content) {}
            }
            XCTAssertTrue(hook.remove())
          }
        }
      }
    }
    group.wait()
    done.set()
    changes.wait()
    permanent.remove()
    XCTAssertEqual(always.sum, 4 * rounds)
    XCTAssertEqual(own.sum, 4 * ((rounds + 2) / 3))
    tracker.expectNothingAlive()
  }

  // Its subclass is in a library that is loaded after the hook was installed.
  func testSubclassesThatAreLoadedLaterAreIncludedOnRequest() throws {
    let files = try CompiledFiles(self)
    let source = try files.write(
      "Late.swift",
      Array(
        """
        import Foundation
        final class Late: Formatter {}
        nonisolated(unsafe) var late: Formatter?
        @_cdecl("makeAndDrop") public func makeAndDrop() { late = Late(); late = nil }
        """.utf8))
    let path = files.directory + "/libLate.so"
    let events = events
    let hook = try onDeinit(ofInstances: Formatter.self) { events.record("\($0.type)") }
    defer { hook.remove() }
    try Compiler("swiftc").run(["-emit-library", "-parse-as-library", "-o", path, source])
    let library = try LoadedLibrary(path)
    typealias Make = @convention(c) () -> Void
    // SAFETY: the source above has such a function.
    let makeAndDrop = unsafe try unsafeBitCast(library.address(of: "makeAndDrop"), to: Make.self)
    makeAndDrop()
    XCTAssertEqual(events.entries, [])
    try hook.includeLoadedSubclasses()
    makeAndDrop()
    XCTAssertEqual(events.entries, ["Late"])
    hook.remove()
    try hook.includeLoadedSubclasses()
    makeAndDrop()
    XCTAssertEqual(events.entries, ["Late"])
  }
}
