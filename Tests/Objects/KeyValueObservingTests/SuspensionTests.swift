import DelayedBlocks
import Foundation
import KeyValueObserving
import Synchronization
import TestSupport
import XCTest

/// Observers that are suspended and resumed.
final class SuspensionTests: XCTestCase {
  func testASuspendedObserverIsToldOnceOfWhatItMissed() {
    expectOneChange("property", \.age)
    expectOneChange("through a link", \.mirror.age)
    expectOneChange("of a value", \.age.bigEndian.bigEndian)
    expectOneChange("computed", \.sameAge)
  }

  private func expectOneChange(_ name: String, _ keyPath: KeyPath<Person, Int>) {
    let person = Person()
    var log: [Change<Int>] = []
    let token = person.observe(keyPath, options: [.old, .new]) { log.append($1) }
    person.age = 1
    XCTAssertTrue(token.suspend())
    person.age = 2
    person.age = 3
    XCTAssertEqual(log, [Change(old: 0, new: 1)], name)
    XCTAssertTrue(token.resume(tellingLast: true))
    XCTAssertEqual(log, [Change(old: 0, new: 1), Change(old: 1, new: 3)], name)
    person.age = 4
    XCTAssertEqual(log.last, Change(old: 3, new: 4), name)
    XCTAssertEqual(log.count, 3, name)
  }

  func testWithoutTellingTheMissedChangesAreForgotten() {
    let person = Person()
    var log: [Change<Int>] = []
    let token = person.observe(\.age, options: [.old, .new]) { log.append($1) }
    token.suspend()
    person.age = 1
    token.resume()
    token.suspend()
    token.resume(tellingLast: true)
    XCTAssertEqual(log, [])
    person.age = 2
    XCTAssertEqual(log, [Change(old: 1, new: 2)])
  }

  func testItIsASwitchAndSaysWhoTurnedIt() {
    let person = Person()
    var count = 0
    let token = person.observe(\.age) { _, _ in count += 1 }
    XCTAssertFalse(token.isSuspended || token.resume())
    XCTAssertEqual([token.suspend(), token.suspend()], [true, false])
    XCTAssertTrue(token.isSuspended && "\(token)".hasSuffix(", suspended)"))
    person.age = 1
    XCTAssertEqual([token.resume(), token.resume()], [true, false])
    person.age = 2
    XCTAssertEqual(count, 1)
    token.suspend()
    token.remove()
    XCTAssertFalse(token.isSuspended || token.suspend() || token.resume(tellingLast: true))
    XCTAssertEqual(count, 1)
  }

  func testTheTellingHasTheValuesThatTheObserverAsksFor() {
    let expected: [(ObservingOptions, [Change<Int>])] = [
      ([], [Change()]), (.new, [Change(new: 2)]), (.old, [Change(old: 0)]),
      ([.old, .new], [Change(old: 0, new: 2)]), ([.new, .distinct], [Change(new: 2)]),
      ([.new, .prior], [Change(isPrior: true), Change(new: 2)]),
      ([.old, .new, .prior], [Change(old: 0, isPrior: true), Change(old: 0, new: 2)]),
      ([.old, .new, .inOrder], [Change(old: 0, new: 2)]),
    ]
    for (options, changes) in expected {
      let person = Person()
      var log: [Change<Int>] = []
      let token = person.observe(\.age, options: options) { log.append($1) }
      token.suspend()
      person.age = 1
      person.age = 2
      token.resume(tellingLast: true)
      XCTAssertEqual(log, changes, "\(options)")
    }
  }

  func testADistinctObserverIsNotToldIfTheValueCameBack() {
    let person = Person()
    var log: [Change<Int>] = []
    let token = person.observe(\.age, options: [.old, .new, .distinct]) { log.append($1) }
    token.suspend()
    person.age = 1
    person.age = 0
    token.resume(tellingLast: true)
    XCTAssertEqual(log, [])
  }

  func testOptionalValuesAreNotDoublyOptional() {
    let person = Person()
    var log: [Change<String>] = []
    let token = person.observe(\.nickname, options: [.old, .new]) { log.append($1) }
    for (name, change) in [("A", Change(new: "A")), (nil, Change(old: "A"))] {
      token.suspend()
      person.nickname = name
      token.resume(tellingLast: true)
      XCTAssertEqual(log.last, change)
    }
  }

  func testAPathThatLeadsElsewhereMeanwhileIsFollowed() {
    let person = Person(in: "Rome")
    var log: [Change<String>] = []
    let token = person.observe(\.address?.city, options: [.old, .new]) { log.append($1) }
    token.suspend()
    let oslo = Address("Oslo")
    person.address = oslo
    token.resume(tellingLast: true)
    oslo.city = "Bergen"
    XCTAssertEqual(log, [Change(old: "Rome", new: "Oslo"), Change(old: "Oslo", new: "Bergen")])
  }

  // MARK: Prior calls

  /// Of a change within which the observer is suspended or resumed, it hears both calls or neither.
  func testACallBeforeAChangeAndTheOneAfterItBelongTogether() {
    expectPairs("property", \.age)
    expectPairs("through a link", \.mirror.age)
  }

  private func expectPairs(_ name: String, _ keyPath: KeyPath<Person, Int>) {
    let will = Change(old: 0, isPrior: true)
    let did = Change(old: 0, new: 1)
    for options in [[.prior, .old, .new], [.prior, .old, .new, .inOrder]] as [ObservingOptions] {
      XCTAssertEqual(heard(keyPath, options, suspendingAt: 0), [], name)
      XCTAssertEqual(heard(keyPath, options, suspendingAt: 1), [will, did], name)
      XCTAssertEqual(heard(keyPath, options, suspendingAt: 0, resumingAt: 1), [will, did], name)
      XCTAssertEqual(
        heard(keyPath, options, suspendingAt: 1, resumingAt: 2, tellingLast: true), [will, did],
        name)
      XCTAssertEqual(
        heard(keyPath, options, suspendingAt: 0, resumingAt: 2, tellingLast: true), [will, did],
        name)
    }
  }

  /// What an observer hears of one change that is suspended and resumed before it (0), between its
  /// calls (1), or after it (2).
  private func heard(
    _ keyPath: KeyPath<Person, Int>, _ options: ObservingOptions, suspendingAt start: Int,
    resumingAt end: Int? = nil, tellingLast: Bool = false
  ) -> [Change<Int>] {
    let person = Person()
    var log: [Change<Int>] = []
    var token: KeyValueObservation?
    func pass(_ moment: Int) {
      if moment == start { token?.suspend() }
      if moment == end { token?.resume(tellingLast: tellingLast) }
    }
    token = person.observe(keyPath, options: options) { log.append($1) }
    person.observe(\.age, options: .prior) { if $1.isPrior { pass(1) } }
    pass(0)
    person.age = 1
    pass(2)
    return log
  }

  func testACallBeforeAChangeIsMadeInATransactionOnlyWithTheOneAfterIt() {
    for (isSuspendedFirst, expected) in [(true, 0), (false, 2)] {
      let person = Person()
      var count = 0
      let token = person.observe(\.age, options: [.prior, .new]) { _, _ in count += 1 }
      withChangeTransaction {
        if isSuspendedFirst { token.suspend() }
        person.age = 1
        token.suspend()
      }
      XCTAssertEqual(count, expected)
      token.resume(tellingLast: true)
      XCTAssertEqual(count, 2)
    }
  }

  // MARK: Where calls wait

  func testATransactionTellsAtItsEnd() {
    let person = Person()
    var log: [Change<Int>] = []
    let token = person.observe(\.age, options: [.old, .new]) { log.append($1) }
    withChangeTransaction {
      token.suspend()
      person.age = 1
    }
    withChangeTransaction {
      token.resume(tellingLast: true)
      person.age = 2
      XCTAssertEqual(log, [])
    }
    XCTAssertEqual(log, [Change(old: 0, new: 2)])
  }

  func testCallsThatWaitInOrderAreMissed() {
    let person = Person()
    var log: [Change<Int>] = []
    var token: KeyValueObservation?
    person.observe(\.age, options: [.new, .inOrder]) { person, change in
      guard change.new == 1 else { return }
      person.age = 2
      token?.suspend()
    }
    token = person.observe(\.age, options: [.old, .new, .inOrder]) { log.append($1) }
    person.age = 1
    XCTAssertEqual(log, [])
    token?.resume(tellingLast: true)
    XCTAssertEqual(log, [Change(old: 0, new: 2)])
  }

  func testATargetIsNotToldOfChangesThatWereSentBefore() {
    for isPrior in [false, true] {
      let meter = Meter()
      let queue = DispatchQueue(label: "observer")
      let log = Recorder<Change<Int>>()
      queue.suspend()
      let options: ObservingOptions = isPrior ? [.old, .new, .prior] : [.old, .new]
      let token = meter.observe(\.value, options: options, on: .queue(queue)) { log.record($0) }
      meter.value = 1
      token.suspend()
      meter.value = 2
      queue.resume()
      queue.sync {}
      XCTAssertEqual(log.entries, [])
      token.resume(tellingLast: true)
      meter.value = 3
      queue.sync {}
      let priors = isPrior ? [Change(old: 0, isPrior: true)] : []
      let later = isPrior ? [Change(old: 2, isPrior: true)] : []
      XCTAssertEqual(
        log.entries, priors + [Change(old: 0, new: 2)] + later + [Change(old: 2, new: 3)])
    }
  }

  func testAnActorIsToldOfTheLastValue() async {
    actor Observer {}
    let meter = Meter()
    let observer = Observer()
    let done = expectation(description: "told")
    let token = meter.observe(\.value, on: .actor(observer)) { change in
      observer.assertIsolated()
      XCTAssertEqual(change, Change(new: 2))
      done.fulfill()
    }
    token.suspend()
    meter.value = 1
    meter.value = 2
    token.resume(tellingLast: true)
    await fulfillment(of: [done], timeout: 60)
  }

  func testASequenceGathersNothingMeanwhile() async {
    let meter = Meter()
    for buffering in ObservedChanges<Int>.Buffering.allCases {
      meter.value = 0
      let changes = meter.changes(of: \.value, options: [.old, .new], buffering: buffering)
      changes.observation.suspend()
      meter.value = 1
      meter.value = 2
      changes.observation.resume(tellingLast: true)
      changes.observation.remove()
      var log: [Change<Int>] = []
      for await change in changes { log.append(change) }
      XCTAssertEqual(log, [Change(old: 0, new: 2)], "\(buffering)")
    }
  }

  // MARK: Collections, several values

  func testACollectionIsToldWhole() {
    let team = Team()
    team.scores = [1]
    let changes: [() throws -> Void] = [
      { team.$scores.append(2) }, { try team.$scores.remove(at: 0) }, { team.scores.append(3) },
      { try team.$scores.replace(at: 0, with: 4) },
      { team.withChange(of: \.scores, .insertion, at: RangeSet(0..<1)) { team.scores = [5, 6] } },
    ]
    for path in [\Team.scores, \.me.scores] {
      var log: [Change<[Int]>] = []
      let token = team.observe(path, options: [.old, .new]) { log.append($1) }
      for change in changes {
        let before = team.scores
        token.suspend()
        XCTAssertNoThrow(try change())
        team.$scores.append(0)
        token.resume(tellingLast: true)
        XCTAssertEqual(log, [Change(old: before, new: team.scores)])
        log = []
      }
      token.remove()
    }
  }

  func testKeysOfStringsAreToldWhole() throws {
    let shelf = Shelf()
    var log: [String] = []
    let token = try shelf.observe(keyPath: "tags", options: [.old, .new]) { log.append("\($1)") }
    token.suspend()
    try shelf.mutableSetValue(forKey: "tags").insert("a")
    token.resume(tellingLast: true)
    XCTAssertEqual(log, ["setting old [] new [\"a\"]"])
  }

  func testAnObserverOfSeveralKeyPathsIsToldOfEachThatChanged() {
    let person = Person()
    var log: [String] = []
    let token = person.observe([\.name, \.age, \.address], options: [.old, .new]) {
      log.append("\($2)")
    }
    token.suspend()
    person.age = 1
    person.name = "Ada"
    person.age = 2
    XCTAssertEqual(log, [])
    token.resume(tellingLast: true)
    XCTAssertEqual(log, ["setting old  new Ada", "setting old 0 new 2"])
    person.age = 3
    XCTAssertEqual(log.last, "setting old 2 new 3")
  }

  func testMembersThatComeAndGoMeanwhileAreFollowed() {
    let team = Team()
    let (ada, bob, cy) = (Person("Ada"), Person("Bob"), Person("Cy"))
    team.members = [ada, bob]
    var log: [String] = []
    let token = team.observeElements(of: \.members, \.age, options: [.initial, .old, .new]) {
      log.append("\($0.name) \($1)")
    }
    log = []
    token.suspend()
    ada.age = 1
    bob.age = 2
    team.members = [ada, cy]
    cy.age = 3
    XCTAssertEqual(log, [])
    token.resume(tellingLast: true)
    XCTAssertEqual(log, ["Ada setting old 0 new 1", "Cy setting new 3"])
    bob.age = 4
    cy.age = 5
    XCTAssertEqual(log.last, "Cy setting old 3 new 5")
    XCTAssertEqual(log.count, 3)
    // What came and went leaves nothing behind.
    weak let gone = bob
    XCTAssertNotNil(gone)
    token.remove()
    cy.age = 6
    XCTAssertEqual(log.count, 3)
  }

  // MARK: Ends, threads

  func testARemovedObserverLetsGoWhatItMissed() {
    let tracker = LifetimeTracker()
    let holder = Holder()
    for ending in 0..<4 {
      let token = holder.observe(\.value, options: [.old, .new]) {
        [tracked = tracker.track()] _, _ in
        _ = tracked
      }
      holder.value = tracker.track()
      token.suspend()
      holder.value = nil
      XCTAssertEqual(tracker.alive, 2, "the closure, and the value before")
      switch ending {
      case 0: token.remove()
      case 1:
        token.resume(tellingLast: true)
        token.remove()
      case 2:
        token.resume()
        token.remove()
      default: holder.removeObservers()
      }
      tracker.expectNothingAlive()
    }
  }

  func testOneThatIsSuspendedAndRemovedWithinItsCallLetsGoItsClosure() {
    let tracker = LifetimeTracker()
    let holder = Holder()
    for isResumed in [false, true] {
      holder.observe(\.value, options: .new) { [tracked = tracker.track()] holder, _ in
        _ = tracked
        let token = holder.observations.first
        token?.suspend()
        if isResumed { token?.resume(tellingLast: true) }
        token?.removeAndWait()
      }
      holder.value = nil
      tracker.expectNothingAlive()
    }
  }

  func testAnObjectThatDiesTellsNothingMore() {
    let tracker = LifetimeTracker()
    var token: KeyValueObservation?
    do {
      let holder = Holder()
      token = holder.observe(\.value, options: [.old, .new]) { _, _ in XCTFail("told") }
      token?.suspend()
      holder.value = tracker.track()
    }
    XCTAssertEqual(token?.resume(tellingLast: true), false)
    tracker.expectNothingAlive()
  }

  private final class Holder: KeyValueObservable {
    @Observed var value: AnyObject?
  }

  private final class Meter: KeyValueObservable, @unchecked Sendable {
    @Observed var value = 0
    @Observed var other = 0
  }

  func testNoCallStartsWhileItIsSuspended() {
    let meter = Meter()
    let lock = NSLock()
    let isSilent = Atomic<Bool>(false)
    let calls = Atomic<Int>(0)
    let late = Atomic<Int>(0)
    let token = lock.withLock {
      meter.observe(\.value) { _, _ in
        calls.add(1, ordering: .relaxed)
        if isSilent.load(ordering: .acquiring) { late.add(1, ordering: .relaxed) }
      }
    }
    let threads = ThreadGroup()
    threads.start { for _ in 0..<shortened(20_000) { lock.withLock { meter.value += 1 } } }
    threads.start {
      for _ in 0..<shortened(2_000) {
        token.suspend()
        lock.withLock {}  // A call in progress ends.
        isSilent.store(true, ordering: .releasing)
        lock.withLock {}
        isSilent.store(false, ordering: .releasing)
        token.resume()
      }
    }
    threads.wait()
    XCTAssertEqual(late.load(ordering: .relaxed), 0)
    XCTAssertGreaterThan(calls.load(ordering: .relaxed), 0)
  }

  /// However many threads suspend and resume an observer of several key paths, all of its parts are
  /// as it is in the end.
  func testPartsFollowTheWhole() {
    let meter = Meter()
    let calls = Atomic<Int>(0)
    let token = meter.observe([\.value, \.other]) { _, _, _ in calls.add(1, ordering: .relaxed) }
    for round in 0..<shortened(200) {
      let threads = ThreadGroup()
      for thread in 0..<3 {
        threads.start {
          for turn in 0..<20 {
            if (thread + turn + round).isMultiple(of: 2) { token.suspend() } else { token.resume() }
          }
        }
      }
      threads.wait()
      let before = calls.load(ordering: .relaxed)
      let isSuspended = token.isSuspended
      (meter.value, meter.other) = (round, round)
      XCTAssertEqual(calls.load(ordering: .relaxed) - before, isSuspended ? 0 : 2)
    }
  }
}

extension Team {
  fileprivate var me: Team { self }
}
