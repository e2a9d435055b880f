import ObjectLifetimes
import TestSupport
import XCTest

final class AssociationLifetimeTests: XCTestCase {
  private let events = Recorder<String>()

  func testValuesAreReleasedAfterTheDeinitOfTheirOwnerAndBeforeTheHooksAfterIt() throws {
    let events = events
    let keys = (0..<3).map { _ in AssociationKey<Finaliser>() }
    try {
      let owner = Announcing { _ in events.record("deinit") }
      try onDeinit(of: owner) { events.record("after") }
      for (index, key) in keys.enumerated() {
        try key.set(Finaliser { events.record("value \(index)") }, on: owner)
      }
      // A new value takes the old one's place, also in the order.
      try keys[0].set(Finaliser { events.record("value 3") }, on: owner)
      // The last reference is this one, not the one that a call was made with.
      withExtendedLifetime(owner) {}
    }()
    XCTAssertEqual(
      events.entries, ["value 0", "deinit", "value 3", "value 1", "value 2", "after"])
  }

  func testAnOwnerReadsAndRemovesItsValuesInItsDeinitAndSetsNone() throws {
    let events = events
    let space = AssociationSpace()
    let kept = AssociationKey<String>()
    let removed = AssociationKey<String>()
    let emptied = AssociationKey<String>(in: space)
    let missing = AssociationKey<String>()
    for isSideTableUsed in [false, true] {
      var reference: WeakReference<Announcing>?
      try {
        let owner = Announcing { owner in
          events.record(kept.value(of: owner) ?? "nothing")
          events.record(removed.remove(from: owner) ?? "nothing")
          events.record(removed.value(of: owner) ?? "nothing")
          space.removeAll(from: owner)
          events.record(emptied.value(of: owner) ?? "nothing")
          do throws(LifetimeError) {
            events.record(try kept.value(of: owner, default: "default"))
            try kept.set("set", on: owner)
          } catch {
            events.record(error.code.rawValue)
          }
          do throws(LifetimeError) {
            events.record(try missing.value(of: owner, default: "default"))
          } catch {
            events.record(error.code.rawValue)
          }
        }
        if isSideTableUsed { reference = WeakReference(owner) }
        try kept.set("kept", on: owner)
        try removed.set("removed", on: owner)
        try emptied.set("emptied", on: owner)
      }()
      XCTAssertNil(reference?.object)
    }
    let once = [
      "kept", "removed", "nothing", "nothing", "kept", "objectIsDying", "objectIsDying",
    ]
    XCTAssertEqual(events.entries, once + once)
  }

  func testValuesAreReadInAHookBeforeTheDeinit() throws {
    let events = events
    let key = AssociationKey<String>()
    try {
      let owner = Owner()
      try key.set("value", on: owner)
      // SAFETY: the owner is not kept.
      try unsafe onDeinit(lending: owner) { events.record(key.value(of: $0) ?? "nothing") }
    }()
    XCTAssertEqual(events.entries, ["value"])
  }

  func testAnotherThreadReadsNothingOfADyingOwner() throws {
    let results = Recorder<Bool>()
    let key = AssociationKey<String>()
    try {
      let owner = Owner()
      try key.set("value", on: owner)
      // SAFETY: the thread keeps no reference, and is done when the hook returns.
      try unsafe onDeinit(lending: owner) { owner in
        let borrowed = unsafe Unmanaged.passUnretained(owner)
        let group = ThreadGroup()
        group.start {
          let value = unsafe key.value(of: borrowed.takeUnretainedValue())
          results.record(value == nil)
        }
        group.wait()
      }
    }()
    XCTAssertEqual(results.entries, [true])
  }

  func testAValueThatRefersToItsOwnerKeepsItAliveUnlessItDoesSoWeakly() throws {
    let tracker = LifetimeTracker()
    func owner() -> Announcing {
      let tracked = tracker.track()
      return Announcing { _ in withExtendedLifetime(tracked) {} }
    }
    // The way out: the value holds the owner weakly.
    let menus = AssociationKey<Menu>("menu")
    try {
      let owner = owner(); try menus.set(Menu(weakly: owner), on: owner)
    }()
    tracker.expectNothingAlive()
    // Or the key holds the value weakly.
    let weak = AssociationKey<Menu>(weak: "menu")
    try {
      let owner = owner()
      let menu = Menu(strongly: owner)
      try weak.set(menu, on: owner)
      XCTAssertTrue(weak.value(of: owner) === menu)
    }()
    tracker.expectNothingAlive()
    // The cycle, and its end.
    let cycle: WeakReference<Announcing> = try {
      let owner = owner()
      try menus.set(Menu(strongly: owner), on: owner)
      return WeakReference(owner)
    }()
    XCTAssertEqual(tracker.alive, 1)
    cycle.withObject { _ = menus.remove(from: $0) }
    tracker.expectNothingAlive()
  }

  func testADyingValueMayUseTheValuesOfOtherOwners() throws {
    let key = AssociationKey<Finaliser>()
    let notes = AssociationKey<String>()
    let other = Owner()
    try {
      let owner = Owner()
      try key.set(
        Finaliser {
          XCTAssertNil(notes.value(of: other))
          expectSuccess { try notes.set("set by a value", on: other) }
        }, on: owner)
    }()
    XCTAssertEqual(notes.value(of: other), "set by a value")
    // The same when a value is replaced, removed, and removed with its space.
    let space = AssociationSpace()
    let inSpace = AssociationKey<Finaliser>(in: space)
    let touch = { @Sendable () -> Void in
      _ = notes.remove(from: other)
      expectSuccess { try notes.set("again", on: other) }
    }
    try inSpace.set(Finaliser(touch), on: other)
    try inSpace.set(Finaliser(touch), on: other)
    inSpace.remove(from: other)
    try inSpace.set(Finaliser(touch), on: other)
    space.removeAll(from: other)
    XCTAssertEqual(notes.value(of: other), "again")
  }

  func testOwnersThatAreValuesOfOwnersDieOneAfterTheOther() throws {
    let tracker = LifetimeTracker()
    let next = AssociationKey<Owner>()
    let tracked = AssociationKey<LifetimeTracker.Tracked>()
    try {
      let first = Owner()
      var last = first
      for _ in 0..<1000 {
        let new = Owner()
        try next.set(new, on: last)
        try tracked.set(tracker.track(), on: new)
        last = new
      }
      XCTAssertEqual(tracker.alive, 1000)
    }()
    tracker.expectNothingAlive()
  }

  func testAMillionShortLivedOwnersInheritNothing() throws {
    let count = shortened(1_000_000)
    let key = AssociationKey<Int>()
    var inherited = 0
    var addresses: Set<ObjectIdentifier> = []
    for index in 0..<count {
      let owner = Owner()
      if key.value(of: owner) != nil { inherited += 1 }
      if index % 2 == 0 { try key.set(index, on: owner) }
      if index < 1000 { addresses.insert(ObjectIdentifier(owner)) }
    }
    XCTAssertEqual(inherited, 0)
    if !isSanitized { XCTAssertLessThan(addresses.count, 1000, "no address was used again") }
  }

  func testShortLivedOwnersOfFourThreadsInheritNothing() {
    let count = shortened(250_000)
    let key = AssociationKey<Int>()
    let inherited = Counters(1)
    let group = ThreadGroup()
    let gate = Gate(4)
    for _ in 0..<4 {
      group.start {
        gate.pass()
        for index in 0..<count {
          let owner = Owner()
          if key.value(of: owner) != nil { inherited.increment(0) }
          expectSuccess { try key.set(index, on: owner) }
          if key.value(of: owner) != index { inherited.increment(0) }
        }
      }
    }
    group.wait()
    XCTAssertEqual(inherited.sum, 0)
  }
}

private final class Menu: @unchecked Sendable {
  private let strong: Announcing?
  private weak let weak: Announcing?

  init(strongly owner: Announcing) {
    strong = owner
    weak = owner
  }

  init(weakly owner: Announcing) {
    strong = nil
    weak = owner
  }
}
