import DelayedBlocks
import Dispatch
import KeyValueObserving
import TestSupport
import XCTest

/// The ends of observers, of what they observe and of tokens, as ReactiveObjC, PMKVObserver,
/// MAKVONotificationCenter and BlocksKit test them.
final class PeerLifetimeTests: XCTestCase {
  private final class Holder: KeyValueObservable {
    @ObservedWeak var weakly: Holder?
    @Observed var strongly: Holder?
    @Observed var value = 0
    var fresh: Holder { Holder() }
  }

  // MARK: Tokens

  /// A token that is dropped observes on; the last trace of it goes with its removal.
  func testATokenLivesUntilItsRemoval() {
    typealias Case = (name: String, observe: (Person, @escaping () -> Void) -> KeyValueObservation)
    let cases: [Case] = [
      ("property", { person, body in person.observe(\.name) { _, _ in body() } }),
      ("computed", { person, body in person.observe(\.greeting) { _, _ in body() } }),
      ("distinct", { $0.observe(\.name, options: [.new, .distinct], ignoring($1)) }),
      ("several", { person, body in person.observe([\.name]) { _, _, _ in body() } }),
    ]
    for test in cases {
      let person = Person("Ada")
      var calls = 0
      weak var token: KeyValueObservation?
      do { token = test.observe(person) { calls += 1 } }
      person.name = "a"
      XCTAssertEqual(calls, 1, test.name)
      XCTAssertNotNil(token, test.name)
      token?.remove()
      XCTAssertNil(token, test.name)
      person.name = "b"
      XCTAssertEqual(calls, 1, test.name)
    }
  }

  func testAHandlerThatCapturesItsTokenIsFreedByTheRemoval() {
    let tracker = LifetimeTracker()
    let person = Person("Ada")
    weak var token: KeyValueObservation?
    do {
      var captured: KeyValueObservation?
      captured = person.observe(\.name) { [tracked = tracker.track()] _, _ in
        XCTAssertEqual(captured?.isRemoved, false)
        _ = tracked
      }
      token = captured
      person.name = "a"
      captured?.remove()
    }
    tracker.expectNothingAlive()
    XCTAssertNil(token)
    withExtendedLifetime(person) {}
  }

  func testATokenGoesWithTheObjectAndWithTheObserver() {
    final class Observer {}
    weak var token: KeyValueObservation?
    do {
      let person = Person("Ada")
      token = person.observe(\.name) { _, _ in }
      XCTAssertNotNil(token)
      withExtendedLifetime(person) {}
    }
    XCTAssertNil(token, "the object died")
    let person = Person("Ada")
    do {
      let observer = Observer()
      token = person.observe(\.name) { _, _ in }.bind(to: observer)
      XCTAssertNotNil(token)
      withExtendedLifetime(observer) {}
    }
    XCTAssertNil(token, "the observer died")
    XCTAssertTrue(person.observations.isEmpty)
  }

  func testAnObserverThatIsNotBoundOutlivesTheObjectThatMadeIt() {
    final class Observer {}
    let person = Person("Ada")
    var calls = 0
    let observation: KeyValueObservation
    do {
      let observer = Observer()
      observation = person.observe(\.name) { [weak observer] _, _ in
        XCTAssertNil(observer)
        calls += 1
      }
    }
    XCTAssertFalse(observation.isRemoved)
    person.name = "a"
    XCTAssertEqual(calls, 1)
    XCTAssertTrue(observation.remove())
  }

  // MARK: Classes and superclasses, self

  /// Objects of a class and of its superclass, as what is observed and as what observers end with.
  func testAClassAndItsSuperclassBothEndTheirObservations() {
    class Base: KeyValueObservable {
      @Observed var value = 0
      let ends: Recorder<String>
      init(_ ends: Recorder<String>) { self.ends = ends }
      deinit { ends.record("base") }
    }
    final class Derived: Base {
      deinit { ends.record("derived") }
    }
    for makeDerivedFirst in [false, true] {
      let ends = Recorder<String>()
      let person = Person("Ada")
      var observations: [KeyValueObservation] = []
      do {
        var objects = [Base(ends), Derived(ends)]
        if makeDerivedFirst { objects.reverse() }
        for object in objects {
          observations.append(object.observe(\.value) { _, _ in })
          observations.append(person.observe(\.name) { _, _ in }.bind(to: object))
        }
      }
      XCTAssertTrue(observations.allSatisfy(\.isRemoved))
      XCTAssertEqual(ends.entries.sorted(), ["base", "base", "derived"])
      XCTAssertTrue(person.observations.isEmpty)
    }
  }

  func testAnObserverBoundToWhatItObserves() {
    let person = Person("Ada")
    var calls = 0
    let observation = person.observe(\.name) { _, _ in calls += 1 }.bind(to: person)
    person.name = "a"
    XCTAssertEqual(calls, 1)
    observation.remove()
    person.name = "b"
    XCTAssertEqual(calls, 1)
    weak var token: KeyValueObservation?
    do {
      let other = Person("Grace")
      token = other.observe(\.name) { _, _ in }.bind(to: other)
    }
    XCTAssertNil(token)
  }

  // MARK: Weak properties

  /// ReactiveObjC's examples of a weak property alone, at the end of a path, and within one.
  func testAWeakPropertyTellsOfSetsTwiceAndOfADeathOnce() {
    typealias Case = (
      name: String, root: () -> Holder, path: KeyPath<Holder, Holder?>,
      change: (Holder, Holder?) -> Void
    )
    func pair() -> Holder {
      let holder = Holder()
      holder.strongly = Holder()
      return holder
    }
    let cases: [Case] = [
      ("alone", { Holder() }, \.weakly, { $0.weakly = $1 }),
      ("at the end", pair, \.strongly?.weakly, { $0.strongly?.weakly = $1 }),
      ("within", { Holder() }, \.weakly?.strongly, { $0.weakly = $1 }),
    ]
    for test in cases {
      let root = test.root()
      var told: [Bool] = []
      let take = {
        defer { told = [] }
        return told
      }
      root.observe(test.path, options: .prior) { told.append($1.isPrior) }
      XCTAssertEqual(take(), [], test.name)
      let initial = root.observe(test.path, options: [.prior, .initial]) { _, change in
        told.append(change.isPrior)
      }
      XCTAssertEqual(take(), [false], test.name)
      initial.remove()
      let first = pair()
      test.change(root, first)
      XCTAssertEqual(take(), [true, false], test.name)
      do {
        let second = pair()
        test.change(root, second)
        XCTAssertEqual(take(), [true, false], test.name)
        withExtendedLifetime(second) {}
      }
      XCTAssertEqual(take(), [false], "\(test.name): death")
      XCTAssertNil(root[keyPath: test.path])
      root.removeObservers()
      test.change(root, first)
      XCTAssertEqual(take(), [], test.name)
    }
  }

  func testTheDeathOfAnObjectThatWasThereBeforeTheObserverIsTold() {
    let holder = Holder()
    var told: [Change<Int>] = []
    var deaths = 0
    do {
      let object = Holder()
      object.value = 7
      holder.weakly = object
      holder.observe(\.weakly, options: []) { _, _ in deaths += 1 }
      holder.observe(\.weakly?.value, options: [.old, .new]) { told.append($1) }
      withExtendedLifetime(object) {}
    }
    XCTAssertEqual(deaths, 1)
    XCTAssertEqual(told.map(\.new), [nil])
    XCTAssertEqual(told.count, 1)
  }

  /// ReactiveObjC tells of such a death if somebody else is the observer; here a dying object is
  /// silent.
  func testAnObjectThatRefersToItselfWeaklyDiesInSilence() {
    weak var dead: Holder?
    do {
      let holder = Holder()
      dead = holder
      holder.weakly = holder
      holder.observe(\.weakly, options: []) { _, _ in XCTFail("called") }
    }
    XCTAssertNil(dead)
  }

  func testTheEndOfAnObjectThatAGetterMakesIsNotTold() {
    let holder = Holder()
    var values: [Int?] = []
    holder.observe(\.fresh.value, options: [.initial, .new]) { values.append($1.new) }
    XCTAssertEqual(values, [0])
  }

  func testAnObserverWhoseChangesComeFromAnotherThread() {
    final class Meter: KeyValueObservable, @unchecked Sendable {
      @Observed var value = 0
    }
    let seen = Recorder<Int>()
    let changes: ObservedChanges<Int>
    do {
      let meter = Meter()
      meter.observe(\.value) { seen.record($1.new ?? -1) }
      changes = meter.changes(of: \.value)
      let threads = ThreadGroup()
      threads.start { meter.value = 2 }
      threads.wait()
    }
    XCTAssertEqual(seen.entries, [2])
    // The object is dead; what was gathered still comes.
    let done = expectation(description: "ended")
    Task {
      var values: [Int?] = []
      for await change in changes { values.append(change.new) }
      XCTAssertEqual(values, [2])
      done.fulfill()
    }
    wait(for: [done], timeout: 60)
  }

  func testWhatAQueueWasNotYetToldOfAnObjectThatDiedIsDropped() {
    final class Meter: KeyValueObservable, @unchecked Sendable {
      @Observed var value = 0
    }
    let tracker = LifetimeTracker()
    let queue = DispatchQueue(label: "observer")
    queue.suspend()
    do {
      let meter = Meter()
      meter.observe(\.value, on: .queue(queue)) { [tracked = tracker.track()] _ in
        _ = tracked
        XCTFail("called")
      }
      meter.value = 2
    }
    tracker.expectNothingAlive()
    queue.resume()
    queue.sync {}
  }
}

/// A handler that only calls a closure.
private func ignoring<Object, Value>(
  _ body: @escaping () -> Void
) -> (Object, Change<Value>) -> Void {
  { _, _ in body() }
}
