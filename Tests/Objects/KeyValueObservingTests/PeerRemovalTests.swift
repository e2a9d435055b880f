import KeyValueObserving
import TestSupport
import XCTest

/// Adding and removing, with the counts of GNUstep's `general.m`, `changeset.m` and
/// `removalDuringDelivery.m`, MAKVONotificationCenter, KVOController and PMKVObserver.
final class PeerRemovalTests: XCTestCase {
  // MARK: During a change

  func testAnObserverAddedInAPriorCallIsToldOfEveryLaterChange() {
    let person = Person("Ada")
    var added = 0
    var isDone = false
    person.observe(\.age, options: [.new, .prior]) { person, change in
      guard change.isPrior, !isDone else { return }
      isDone = true
      person.observe(\.age) { _, _ in added += 1 }
    }
    person.age = 1
    XCTAssertEqual(added, 0, "the change was under way")
    person.age = 2
    XCTAssertEqual(added, 1)
    person.age = 3
    XCTAssertEqual(added, 2)
  }

  func testAnEarlierObserverRemovedInAPriorCallIsSentNothing() {
    let person = Person("Ada")
    let victim = person.observe(\.age) { _, _ in XCTFail("called") }
    var calls = 0
    person.observe(\.age, options: [.new, .prior]) { _, _ in
      calls += 1
      victim.remove()
    }
    person.age = 1
    person.age = 2
    XCTAssertEqual(calls, 4)
  }

  /// An observer that an earlier call removes, and whose object it lets die, is not called.
  func testAnObserverWhoseObjectDiesDuringTheDeliveryIsNotCalled() {
    final class Victim {
      let tracked: LifetimeTracker.Tracked
      init(_ tracked: LifetimeTracker.Tracked) { self.tracked = tracked }
    }
    for isBound in [false, true] {
      let tracker = LifetimeTracker()
      let person = Person("Ada")
      var victim: Victim? = Victim(tracker.track())
      var observation: KeyValueObservation?
      var calls = 0
      person.observe(\.age) { _, _ in
        calls += 1
        if !isBound { observation?.remove() }
        victim = nil
        tracker.expectNothingAlive()
      }
      observation = person.observe(\.age) { [weak victim] _, _ in
        XCTFail("called: \(victim == nil)")
      }
      if isBound, let victim { observation?.bind(to: victim) }
      person.age = 1
      XCTAssertEqual(calls, 1)
      person.age = 2
      XCTAssertEqual(calls, 2)
      XCTAssertEqual(observation?.isRemoved, true)
    }
  }

  // MARK: What is removed

  func testOneOfTwoObserversIsRemovedTheOtherGoesOn() {
    let person = Person("Ada")
    var calls = [0, 0]
    person.observe(\.name, name: "1") { _, _ in calls[0] += 1 }
    person.observe(\.name, name: "2") { _, _ in calls[1] += 1 }
    person.name = ""
    XCTAssertEqual(calls, [1, 1])
    XCTAssertEqual(person.removeObservers(of: \.name, name: "2"), 1)
    person.name = ""
    XCTAssertEqual(calls, [2, 1])
  }

  /// One name for two observers means both; GNUstep removes the first that it finds.
  func testANameForTwoObserversRemovesBoth() {
    let person = Person("Ada")
    var calls = 0
    for _ in 0..<2 { person.observe(\.name, name: "same") { _, _ in calls += 1 } }
    person.name = ""
    XCTAssertEqual(calls, 2)
    XCTAssertEqual(person.removeObservers(name: "same"), 2)
    person.name = ""
    XCTAssertEqual(calls, 2)
  }

  /// Foundation raises; KVOController does nothing, as here.
  func testWhatIsNotObservedIsRemovedWithoutHarm() {
    let person = Person("Ada")
    let stranger = Person("stranger")
    var calls = 0
    let observation = person.observe(\.name, name: "a") { _, _ in calls += 1 }
    XCTAssertEqual(person.removeObservers(of: \.age), 0)
    XCTAssertEqual(person.removeObservers(of: \.name, name: "b"), 0)
    XCTAssertEqual(person.removeObservers(of: \.address?.city), 0)
    XCTAssertEqual(person.removeObservers(name: ""), 0)
    XCTAssertEqual(stranger.removeObservers(), 0)
    XCTAssertEqual(stranger.removeObservers(of: \.name), 0)
    person.name = "x"
    XCTAssertEqual(calls, 1)
    XCTAssertTrue(observation.remove())
    XCTAssertEqual(person.removeObservers(of: \.name), 0)
  }

  /// Four objects observed in the name of one, let go by token, by death, by name, by key path.
  func testOneObserverOfSeveralObjects() {
    var targets: [Person?] = (0..<4).map { Person("\($0)") }
    var told: [String] = []
    let add = { (index: Int, name: String) in
      targets[index]?.observe(\.age, options: [], name: name) { _, _ in
        told.append(name)
      }
    }
    let set = {
      told = []
      for target in targets { target?.age += 1 }
      return told
    }
    let observations = [
      add(0, "0"), add(1, "1"), add(2, "2"), add(3, "3a"), add(3, "3b"),
    ]
    XCTAssertEqual(set(), ["0", "1", "2", "3a", "3b"])
    observations[0]?.remove()
    XCTAssertEqual(set(), ["1", "2", "3a", "3b"])
    targets[1] = nil
    XCTAssertEqual(observations[1]?.isRemoved, true)
    XCTAssertEqual(targets[3]?.removeObservers(of: \.age, name: "3a"), 1)
    XCTAssertEqual(set(), ["2", "3b"])
    let again = add(3, "3a")
    XCTAssertEqual(targets[3]?.removeObservers(of: \.age), 2)
    XCTAssertTrue(again?.isRemoved ?? false)
    XCTAssertEqual(set(), ["2"])
  }

  /// A controller that dies ends its observations of all objects: a removal with wildcards.
  func testAControllersDeathEndsAllThatIsBoundToIt() {
    final class Controller {}
    let people = (0..<3).map { Person("\($0)") }
    var told = 0
    var controller: Controller? = Controller()
    var observations: [KeyValueObservation] = []
    if let controller {
      for person in people {
        observations += [
          person.observe(\.age, options: .initial) { _, _ in told += 1 }.bind(to: controller),
          person.observe(\.address?.city) { _, _ in told += 1 }.bind(to: controller),
        ]
      }
    }
    people[0].observe(\.age) { _, _ in told += 100 }
    XCTAssertEqual(told, 3)
    controller = nil
    for person in people { person.age = 1 }
    XCTAssertEqual(told, 103)
    XCTAssertTrue(observations.allSatisfy(\.isRemoved))
  }

  func testOneObjectWithSeveralObserversIsLetGoByAll() {
    final class Controller {}
    let person = Person("Ada")
    var told: [Int] = []
    var controllers: [Controller?] = (0..<5).map { _ in Controller() }
    let observations = controllers.indices.map { index in
      let observation = person.observe(\.age, options: [], name: "\(index)") { _, _ in
        told.append(index)
      }
      if let controller = controllers[index] { observation.bind(to: controller) }
      return observation
    }
    let set = {
      told = []
      person.age += 1
      return told
    }
    XCTAssertEqual(set(), [0, 1, 2, 3, 4])
    observations[0].remove()
    XCTAssertEqual(set(), [1, 2, 3, 4])
    controllers[1] = nil
    XCTAssertTrue(observations[1].isRemoved)
    person.removeObservers(name: "3")
    XCTAssertEqual(set(), [2, 4])
    XCTAssertEqual(person.removeObservers(), 2)
    XCTAssertTrue(observations.allSatisfy(\.isRemoved))
    XCTAssertEqual(set(), [])
  }

  // MARK: In the initial call, twice, at once

  func testRemovalInTheInitialCallOfOneOfSeveralKeyPathsEndsAll() {
    let person = Person("Ada")
    var calls = 0
    let observation = person.observe(
      [\.age, \.name, \.greeting], options: [.initial, .new], name: "me"
    ) { person, _, _ in
      calls += 1
      person.removeObservers(name: "me")
    }
    XCTAssertEqual(calls, 1)
    person.age = 1
    person.name = "Grace"
    XCTAssertEqual(calls, 1)
    XCTAssertTrue(observation.isRemoved)
    XCTAssertTrue(person.observations.isEmpty)
  }

  func testTheInitialCallKnowsItsObservation() {
    let person = Person("Ada")
    var calls = 0
    person.observe(\.name, options: .initial) { person, _ in
      calls += 1
      XCTAssertTrue(person.observations.last?.remove() ?? false)
    }
    person.name = "Grace"
    XCTAssertEqual(calls, 1)
  }

  func testTwoThreadsThatRemoveAtOnceRemoveOnce() {
    final class Meter: KeyValueObservable, @unchecked Sendable {
      @Observed var value = 0
    }
    let tracker = LifetimeTracker()
    let meter = Meter()
    let calls = Recorder<Int>()
    let removals = Recorder<Bool>()
    for round in 0..<200 {
      let observation = meter.observe(\.value) { [tracked = tracker.track()] _, _ in
        calls.record(round)
        _ = tracked
      }
      meter.value = round
      let threads = ThreadGroup()
      for _ in 0..<2 { threads.start { removals.record(observation.remove()) } }
      threads.wait()
      XCTAssertTrue(observation.isRemoved)
      meter.value = -1
    }
    XCTAssertEqual(calls.entries, Array(0..<200))
    XCTAssertEqual(removals.entries.count { $0 }, 200)
    tracker.expectNothingAlive()
  }
}
