import ObjectLifetimes
import Synchronization
import TestSupport
import XCTest

/// An object that has nothing but one hook, which has no record, and what becomes of the hook when
/// the object gets more, or less.
final class OnlyHookTests: XCTestCase {
  private let events = Recorder<String>()

  private final class Thing: Sendable {}

  func testAnOnlyHookGetsCompany() throws {
    let events = events
    let key = AssociationKey<Finaliser>()
    for position in [DeinitHook.Position.before, .after] {
      try {
        let thing = Thing()
        try onDeinit(of: thing, position) { events.record("only") }
        XCTAssertNil(key.value(of: thing))
        XCTAssertNil(key.remove(from: thing))
        try key.set(Finaliser { events.record("value") }, on: thing)
        try onDeinit(of: thing, position) { events.record("second") }
      }()
    }
    XCTAssertEqual(
      events.entries, ["only", "second", "value", "value", "only", "second"])
  }

  func testAHookThatWasTheOnlyOneIsRemoved() throws {
    let events = events
    let key = AssociationKey<Int>()
    try {
      let thing = Thing()
      let hook = try onDeinit(of: thing) { events.record("removed") }
      try key.set(1, on: thing)
      XCTAssertTrue(hook.remove())
      XCTAssertEqual(key.value(of: thing), 1)
      // Nothing is left, and a hook is the only one again.
      XCTAssertEqual(key.remove(from: thing), 1)
      XCTAssertTrue(try onDeinit(of: thing) { events.record("removed") }.remove())
      try onDeinit(of: thing) { events.record("kept") }
      XCTAssertFalse(hook.remove())
    }()
    XCTAssertEqual(events.entries, ["kept"])
  }

  func testAHookStaysWhenTheValuesBesideItGo() throws {
    let events = events
    let space = AssociationSpace()
    let key = AssociationKey<Int>(in: space)
    try {
      let thing = Thing()
      let hook = try onDeinit(of: thing) { events.record("ran") }
      space.removeAll(from: thing)
      try key.set(1, on: thing)
      space.removeAll(from: thing)
      XCTAssertNil(key.value(of: thing))
      XCTAssertEqual(hook.state, .installed)
    }()
    XCTAssertEqual(events.entries, ["ran"])
  }

  func testADyingObjectsHookAloneHasNoValues() throws {
    let results = Recorder<Bool>()
    let key = AssociationKey<Int>()
    let space = AssociationSpace()
    try {
      let object = Announcing { object in
        results.record(key.value(of: object) == nil)
        results.record(key.remove(from: object) == nil)
        space.removeAll(from: object)
        results.record((try? key.set(1, on: object)) == nil)
        results.record((try? onDeinit(of: object) {}) == nil)
      }
      try onDeinit(of: object) { results.record(true) }
    }()
    XCTAssertEqual(results.entries, [true, true, true, true, true])
  }

  /// A hook that is removed when its object's memory has been freed, and another object is there.
  func testARemovedHookIsNotConfusedWithThatOfAnObjectAtTheSameAddress() throws {
    for hooks in 1...2 {
      let events = Recorder<String>()
      let late = Mutex<DeinitHook?>(nil)
      let successor = Mutex<Thing?>(nil)
      var wasFound = false
      for _ in 0..<100 where !wasFound {
        let address = Mutex<ObjectIdentifier?>(nil)
        try {
          let thing = Thing()
          address.withLock { $0 = ObjectIdentifier(thing) }
          try onDeinit(of: thing) {
            let address = address.withLock { $0 }
            var others: [Thing] = []
            for _ in 0..<100 {
              let other = Thing()
              others.append(other)
              guard ObjectIdentifier(other) == address else { continue }
              for _ in 0..<hooks {
                expectSuccess { try onDeinit(of: other) { events.record("successor") } }
              }
              successor.withLock { $0 = other }
              break
            }
            XCTAssertEqual(late.withLock { $0?.remove() }, true)
          }
          late.withLock { $0 = nil }
          let hook = try onDeinit(of: thing) { events.record("removed") }
          late.withLock { $0 = hook }
        }()
        wasFound = successor.withLock { $0 != nil }
      }
      XCTAssertTrue(wasFound || isSanitized)
      XCTAssertEqual(events.entries, [])
      successor.withLock { $0 = nil }
      XCTAssertEqual(events.entries, wasFound ? Array(repeating: "successor", count: hooks) : [])
    }
  }

  /// Chains and trees of objects with hooks alone, and with records, end from a list that is made of
  /// the records themselves.
  func testTheEndsOfManyObjectsAllocateNothing() {
    func chain(_ links: Int) {
      var head = Thing()
      for _ in 0..<links {
        let (next, previous) = (Thing(), head)
        _ = try? onDeinit(of: next) { withExtendedLifetime(previous) {} }
        head = next
      }
    }
    // For each link, the object and the hook: the closure's context is the object that it captures.
    XCTAssertEqual(allocations { chain(10) }, 21)
    let keys = (0..<3).map { _ in AssociationKey<Thing>() }
    func tree(_ depth: Int) -> Thing {
      let thing = Thing()
      _ = try? onDeinit(of: thing) {}
      if depth > 0 { for key in keys { try? key.set(tree(depth - 1), on: thing) } }
      return thing
    }
    let leaves = allocations { for _ in 0..<3 { _ = tree(0) } }
    XCTAssertEqual(leaves, 6)
    // The object, its hook, its record, three boxes, and the array of values, made three times.
    XCTAssertEqual(allocations { _ = tree(1) }, leaves + 9)
    XCTAssertEqual(allocations { _ = tree(2) }, 3 * (leaves + 9) + 9)
  }

  func testHooksAndValuesComeAndGoOnSeveralThreads() {
    let rounds = shortened(20_000)
    let ran = Counters(2)
    let tracker = LifetimeTracker()
    let things = Mutex((0..<4).map { _ in Thing() })
    let keys = (0..<2).map { _ in AssociationKey<LifetimeTracker.Tracked>() }
    let number = AssociationKey<Int>()
    let installed = Counters(1)
    let removed = Counters(1)
    let group = ThreadGroup()
    let gate = Gate(4)
    for thread in 0..<4 {
      group.start {
        var generator = SeededGenerator(seed: UInt64(thread))
        gate.pass()
        for _ in 0..<rounds {
          let slot = Int.random(in: 0..<4, using: &generator)
          let thing = things.withLock { $0[slot] }
          switch Int.random(in: 0..<6, using: &generator) {
          case 0, 1:
            let captured = tracker.track()
            let hook = try? onDeinit(of: thing) {
              withExtendedLifetime(captured) { ran.increment(0) }
            }
            installed.increment(0)
            if Bool.random(using: &generator), hook?.remove() == true { removed.increment(0) }
          case 2: expectSuccess { try keys[thread % 2].set(tracker.track(), on: thing) }
          case 3: keys[thread % 2].remove(from: thing)
          case 4:
            expectSuccess { try number.set(slot, on: thing) }
            if let read = number.value(of: thing) { XCTAssertEqual(read, slot) }
          default:
            number.remove(from: thing)
            let new = Thing()
            let old = things.withLock { present in
              defer { present[slot] = new }
              return present[slot]
            }
            withExtendedLifetime(old) {}
          }
        }
      }
    }
    group.wait()
    things.withLock { $0 = [] }
    XCTAssertEqual(ran.sum, installed.sum - removed.sum)
    tracker.expectNothingAlive()
  }
}
