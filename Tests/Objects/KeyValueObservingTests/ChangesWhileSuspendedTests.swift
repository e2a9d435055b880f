import DelayedBlocks
import Dispatch
import KeyValueObserving
import TestSupport
import XCTest

/// What is made while an observer is suspended is missed, wherever its call would have waited.
final class ChangesWhileSuspendedTests: XCTestCase {
  func testATransactionTellsWhatWasMadeBeforeAndAfterASuspensionOnly() {
    let rows: [(name: String, steps: (Person, KeyValueObservation) -> Void, log: [Change<Int>])] = [
      (
        "within it",
        {
          $1.suspend()
          $0.age = 1
          $1.resume()
        }, []
      ),
      (
        "within it, and told",
        {
          $1.suspend()
          $0.age = 1
          $0.age = 2
          $1.resume(tellingLast: true)
        }, [Change(old: 0, new: 2)]
      ),
      (
        "before more",
        {
          $1.suspend()
          $0.age = 1
          $1.resume()
          $0.age = 2
        }, [Change(old: 1, new: 2)]
      ),
      (
        "after some, and told",
        {
          $0.age = 1
          $1.suspend()
          $0.age = 2
          $1.resume(tellingLast: true)
          $0.age = 3
        }, [Change(old: 0, new: 3)]
      ),
    ]
    for row in rows {
      for isPrior in [false, true] {
        let person = Person()
        var log: [Change<Int>] = []
        let options: ObservingOptions = isPrior ? [.old, .new, .prior] : [.old, .new]
        let token = person.observe(\.age, options: options) { log.append($1) }
        withChangeTransaction { row.steps(person, token) }
        XCTAssertEqual(log.filter { !$0.isPrior }, row.log, row.name)
        XCTAssertEqual(log.filter(\.isPrior).count, isPrior ? row.log.count : 0, row.name)
      }
    }
  }

  func testWhatIsMissedAfterATransactionIsOlderThanWhatFollows() {
    let person = Person()
    var log: [Change<Int>] = []
    let token = person.observe(\.age, options: [.old, .new]) { log.append($1) }
    token.suspend()
    withChangeTransaction { person.age = 1 }
    person.age = 2
    token.resume(tellingLast: true)
    XCTAssertEqual(log, [Change(old: 0, new: 2)])
  }

  func testACallInOrderIsMissedIfItsChangeWasMadeMeanwhile() {
    for isTold in [false, true] {
      let person = Person()
      var log: [Change<Int>] = []
      var token: KeyValueObservation?
      person.observe(\.age, options: [.new, .inOrder]) { person, change in
        guard change.new == 1 else { return }
        token?.suspend()
        person.age = 2
        token?.resume(tellingLast: isTold)
      }
      token = person.observe(\.age, options: [.old, .new, .inOrder]) { log.append($1) }
      person.age = 1
      XCTAssertEqual(
        log, [Change(old: 0, new: 1)] + (isTold ? [Change(old: 1, new: 2)] : []))
    }
  }

  func testADistinctObserverIsNotCalledBeforeASettingThatIsLeftOut() {
    let person = Person()
    var log: [Change<Int>] = []
    let token = person.observe(\.age, options: [.old, .new, .prior, .distinct]) { log.append($1) }
    for isWhole in [false, true] {
      token.suspend()
      person.age = 1
      person.age = 0
      if isWhole {
        withChangeTransaction { _ = token.resume(tellingLast: true) }
      } else {
        token.resume(tellingLast: true)
      }
      XCTAssertEqual(log, [])
    }
  }

  func testAPathThatIsLedThereBeforeAChangeMissesIt() {
    let person = Person(in: "Rome")
    let oslo = Address("Oslo")
    var log: [String] = []
    let token = person.observe(\.address?.city, options: [.prior, .new]) { log.append("\($1)") }
    oslo.observe(\.city, options: [.prior]) { _, change in
      guard change.isPrior else { return }
      token.suspend()
      person.address = oslo
    }
    oslo.city = "Bergen"
    XCTAssertEqual(log, [])
    token.resume(tellingLast: true)
    XCTAssertEqual(log, ["will: setting", "setting new Bergen"])
  }

  func testAKeyedCollectionThatIsChangedInSilenceLeavesNoOldValue() throws {
    let shelf = Shelf()
    var log: [String] = []
    let token = try shelf.observe(keyPath: "tags", options: [.old, .new]) { log.append("\($1)") }
    let tags = try shelf.mutableSetValue(forKey: "tags")
    token.suspend()
    _ = try shelf.withoutNotifying(\.tags) { try tags.insert("a") }
    try tags.insert("b")
    token.resume(tellingLast: true)
    XCTAssertEqual(log.count, 1)
    XCTAssertTrue(log[0].hasPrefix(#"setting old ["a"] new "#), log[0])
  }

  func testACoalescedSequenceHasTheValueThatSilenceHasLeft() async {
    let team = Team()
    let changes = team.changes(of: \.scores, options: [.old, .new], buffering: .coalesced)
    var iterator = changes.makeAsyncIterator()
    let steps: [(change: () throws -> Void, expected: Change<[Int]>)] = [
      ({ team.scores = [2] }, Change(old: [1], new: [2])),
      ({ team.$scores.append(3) }, Change(old: [1], new: [1, 3])),
      (
        {
          team.$scores.append(3)
          team.scores = []
        }, Change(old: [1], new: [])
      ),
    ]
    for (change, expected) in steps {
      team.withoutNotifying(\.scores) { team.scores = [1] }
      XCTAssertNoThrow(try change())
      let told = await iterator.next()
      XCTAssertEqual(told, expected)
    }
  }

  func testATransactionWithinACallInOrderIsLaterThanWhatTheCallTells() {
    let person = Person()
    var log: [Change<Int>] = []
    person.observe(\.age) { person, change in
      guard change.new == 1 else { return }
      withChangeTransaction { person.age = 2 }
    }
    let token = person.observe(\.age, options: [.old, .new, .inOrder]) { log.append($1) }
    token.suspend()
    person.age = 1
    token.resume(tellingLast: true)
    XCTAssertEqual(log, [Change(old: 0, new: 2)])
  }

  func testADistinctCoalescedSequenceLeavesOutWhatCameBack() async {
    let meter = Meter()
    for options in [[.old, .new, .distinct], [.new, .distinct]] as [ObservingOptions] {
      let changes = meter.changes(of: \.value, options: options, buffering: .coalesced)
      var iterator = changes.makeAsyncIterator()
      meter.value = 1
      meter.value = 0
      changes.observation.remove()
      let nothing = await iterator.next()
      XCTAssertNil(nothing)
    }
  }

  private final class Meter: KeyValueObservable, @unchecked Sendable {
    @Observed var value = 0
  }

  /// A target that refuses a call while its observer is resumed makes it all the same.
  func testACallThatRacesAResumptionIsMadeOrTold() {
    let meter = Meter()
    let queue = DispatchQueue(label: "observer")
    let told = Recorder<Int>()
    let token = meter.observe(\.value, on: .queue(queue)) { told.record($0.new ?? 0) }
    for round in 1...shortened(20_000) {
      meter.value = round
      token.suspend()
      token.resume(tellingLast: true)
      for _ in 0..<2 { queue.sync {} }
      guard told.entries.last == round else { return XCTFail("\(round) is lost") }
    }
  }

  /// What another thread misses while an observer is suspended is not forgotten.
  func testAChangeThatRacesASuspensionIsToldOrMissed() {
    let meter = Meter()
    let told = Recorder<Int>()
    let token = meter.observe(\.value) { told.record($1.new ?? 0) }
    for round in 1...shortened(2_000) {
      let threads = ThreadGroup()
      threads.start { meter.value = round }
      threads.start { token.suspend() }
      threads.wait()
      token.resume(tellingLast: true)
      XCTAssertEqual(told.entries.last, round)
    }
  }
}
