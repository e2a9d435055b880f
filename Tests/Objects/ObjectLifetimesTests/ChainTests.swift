import ObjectLifetimes
import TestSupport
import XCTest

/// Objects that end because what belonged to others ends: chains and trees of any depth.
final class ChainTests: XCTestCase {
  private let events = Recorder<String>()

  func testAMillionLinksEndThroughAssociatedValues() throws {
    let tracker = LifetimeTracker()
    let key = AssociationKey<Link>()
    try endChain(of: 1_000_000, tracker) { owner, previous in try key.set(previous, on: owner) }
  }

  func testLinksEndThroughOneOfSeveralValues() throws {
    let tracker = LifetimeTracker()
    let (key, text) = (AssociationKey<Link>(), AssociationKey<String>())
    try endChain(tracker) { owner, previous in
      try key.set(previous, on: owner)
      try text.set("text", on: owner)
    }
  }

  func testLinksEndThroughTheClosuresOfHooks() throws {
    for position in [DeinitHook.Position.before, .after] {
      let tracker = LifetimeTracker()
      try endChain(tracker) { owner, previous in
        try onDeinit(of: owner, position) { withExtendedLifetime(previous) {} }
      }
    }
  }

  func testLinksEndThroughEachOtherInHooks() throws {
    let tracker = LifetimeTracker()
    try endChain(tracker) { owner, previous in
      let held = Held(previous)
      try onDeinit(of: owner) { held.drop() }
    }
  }

  func testLinksOfAllKindsEnd() throws {
    let tracker = LifetimeTracker()
    let key = AssociationKey<Link>()
    var number = 0
    try endChain(tracker) { owner, previous in
      number += 1
      switch number % 4 {
      case 0: try key.set(previous, on: owner)
      case 1: try onDeinit(of: owner) { withExtendedLifetime(previous) {} }
      case 2: try onDeinit(of: owner, .before) { withExtendedLifetime(previous) {} }
      default:
        try key.set(Link(nil), on: owner)
        owner.content = previous
      }
    }
  }

  /// The chain's first link holds a tracked object; it and all others are gone when the last is.
  private func endChain(
    of links: Int = 100_000, _ tracker: LifetimeTracker,
    _ link: (_ owner: Link, _ previous: Link) throws -> Void
  ) throws {
    try {
      var head = Link(tracker.track())
      for _ in 0..<links {
        let owner = Link(nil)
        try link(owner, head)
        head = owner
      }
      XCTAssertEqual(tracker.alive, 1)
      withExtendedLifetime(head) {}
    }()
    tracker.expectNothingAlive()
  }

  func testWhatBelongsToAValueGoesBeforeTheNextValueOfItsOwner() throws {
    let events = events
    let keys = (0..<2).map { _ in AssociationKey<Finaliser>() }
    let name = AssociationKey<Finaliser>()
    func make(_ text: String, _ values: [Finaliser] = []) throws -> Finaliser {
      let object = Finaliser { events.record(text) }
      try name.set(Finaliser { events.record("\(text)'s") }, on: object)
      for (key, value) in zip(keys, values) { try key.set(value, on: object) }
      try onDeinit(of: object) { events.record("after \(text)") }
      return object
    }
    try {
      let tree = try make("a", [make("b", [make("c")]), make("d", [make("e"), make("f")])])
      withExtendedLifetime(tree) {}
    }()
    XCTAssertEqual(
      events.entries,
      [
        "a", "a's", "b", "b's", "c", "c's", "after c", "after b", "d", "d's", "e", "e's", "after e",
        "f", "f's", "after f", "after d", "after a",
      ])
  }

  func testAnObjectThatADeinitLetsGoOfKeepsItsValuesUntilThatDeinitIsOver() throws {
    let events = events
    let key = AssociationKey<Finaliser>()
    let name = AssociationKey<Finaliser>()
    func inner(_ text: String) throws -> Finaliser {
      let inner = Finaliser { events.record(text) }
      try name.set(Finaliser { events.record("\(text)'s") }, on: inner)
      return inner
    }
    // An object of its own has ended when the statement has that gives it up…
    let held = Held(try inner("alone"))
    held.drop()
    events.record("dropped")
    // …one that a value's deinit gives up, when that deinit has run.
    try {
      let owner = Owner()
      let other = Held(try inner("inner"))
      try key.set(
        Finaliser {
          other.drop()
          events.record("value")
        }, on: owner)
      withExtendedLifetime(owner) {}
    }()
    events.record("owner gone")
    XCTAssertEqual(
      events.entries,
      ["alone", "alone's", "dropped", "inner", "value", "inner's", "owner gone"])
  }

  func testThreadsEndChainsOfTheirOwn() throws {
    let tracker = LifetimeTracker()
    let key = AssociationKey<Link>()
    let threads = ThreadGroup()
    for _ in 0..<4 {
      threads.start {
        for _ in 0..<20 {
          var head = Link(tracker.track())
          for _ in 0..<100 {
            let owner = Link(nil)
            try? key.set(head, on: owner)
            head = owner
          }
        }
      }
    }
    threads.wait()
    tracker.expectNothingAlive()
  }
}

private final class Link: @unchecked Sendable {
  var content: AnyObject?

  init(_ content: AnyObject?) { self.content = content }
}
