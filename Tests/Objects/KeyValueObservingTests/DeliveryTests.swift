import DelayedBlocks
import Dispatch
import KeyValueObserving
import TestSupport
import XCTest

final class DeliveryTests: XCTestCase {
  private final class Meter: KeyValueObservable, @unchecked Sendable {
    @Observed var value = 0
    @Observed var unit: String?
    @Observed var items: [Int] = []
  }

  func testAQueueGetsTheChangesInOrderAfterTheSetter() {
    let meter = Meter()
    let queue = DispatchQueue(label: "observer")
    let log = Recorder<Change<Int>>()
    queue.suspend()
    meter.observe(\.value, options: [.initial, .old, .new], on: .queue(queue)) { change in
      dispatchPrecondition(condition: .onQueue(queue))
      log.record(change)
    }
    for value in 1...3 { meter.value = value }
    XCTAssertEqual(log.entries, [])
    queue.resume()
    queue.sync {}
    XCTAssertEqual(
      log.entries,
      [
        Change(new: 0), Change(old: 0, new: 1), Change(old: 1, new: 2), Change(old: 2, new: 3),
      ])
  }

  func testOptionalValuesElsewhereAreNotDoublyOptional() {
    let meter = Meter()
    let queue = DispatchQueue(label: "observer")
    let log = Recorder<Change<String>>()
    meter.observe(\.unit, options: [.initial, .old, .new], on: .queue(queue)) {
      log.record($0)
    }
    meter.unit = "V"
    queue.sync {}
    XCTAssertEqual(log.entries, [Change(), Change(new: "V")])
  }

  func testAnActorGetsTheChangesInOrder() async {
    actor Observer {
      var seen: [Int] = []
      func add(_ value: Int) { seen.append(value) }
    }
    let meter = Meter()
    let observer = Observer()
    let done = expectation(description: "told")
    meter.observe(\.value, on: .actor(observer)) { change in
      observer.assumeIsolated { $0.seen.append(change.new ?? -1) }
      if change.new == 100 { done.fulfill() }
    }
    for value in 1...100 { meter.value = value }
    await fulfillment(of: [done], timeout: 60)
    let seen = await observer.seen
    XCTAssertEqual(seen, Array(1...100))
  }

  func testWhatARemovedObserverWasNotYetToldIsDropped() {
    let tracker = LifetimeTracker()
    let meter = Meter()
    let queue = DispatchQueue(label: "observer")
    queue.suspend()
    let observation = meter.observe(\.value, on: .queue(queue)) {
      [tracked = tracker.track()] _ in
      _ = tracked
      XCTFail("called")
    }
    meter.value = 1
    observation.remove()
    tracker.expectNothingAlive()
    queue.resume()
    queue.sync {}
  }

  func testAnObserverElsewhereThatThrowsIsRemoved() {
    struct Failure: Error {}
    let meter = Meter()
    let queue = DispatchQueue(label: "observer")
    let observation = meter.observe(\.value, on: .queue(queue)) { _ in throw Failure() }
    meter.value = 1
    queue.sync {}
    XCTAssertTrue(observation.isRemoved && observation.failure is Failure)
  }

  func testRemoveAndWaitWaitsForACallElsewhere() {
    let meter = Meter()
    let queue = DispatchQueue(label: "observer")
    let entered = DispatchSemaphore(value: 0)
    let leave = DispatchSemaphore(value: 0)
    let log = Recorder<String>()
    let observation = meter.observe(\.value, on: .queue(queue)) { _ in
      entered.signal()
      leave.wait()
      log.record("call ends")
    }
    meter.value = 1
    entered.wait()
    XCTAssertTrue(observation.remove())
    DispatchQueue.global().async { leave.signal() }
    observation.removeAndWait()
    log.record("removed")
    XCTAssertEqual(log.entries, ["call ends", "removed"])
  }

  func testRemoveAndWaitWithinTheCallDoesNotWait() {
    let person = Person()
    var observation: KeyValueObservation?
    var count = 0
    observation = person.observe([\.age]) { _, _, _ in
      count += 1
      observation?.removeAndWait()
    }
    person.age = 1
    person.age = 2
    XCTAssertEqual(count, 1)
  }

  // MARK: Sequences

  func testASequenceOfEveryChange() async {
    let meter = Meter()
    let changes = meter.changes(of: \.value, options: [.initial, .old, .new])
    for value in 1...3 { meter.value = value }
    changes.observation.remove()
    meter.value = 4
    var seen: [Change<Int>] = []
    for await change in changes { seen.append(change) }
    XCTAssertEqual(
      seen,
      [Change(new: 0), Change(old: 0, new: 1), Change(old: 1, new: 2), Change(old: 2, new: 3)])
  }

  func testASequenceOfTheLatestAndACoalescedOne() async {
    let meter = Meter()
    let latest = meter.changes(of: \.value, options: [.old, .new], buffering: .latest)
    let coalesced = meter.changes(of: \.value, options: [.old, .new], buffering: .coalesced)
    var first = latest.makeAsyncIterator()
    var second = coalesced.makeAsyncIterator()
    for value in 1...3 { meter.value = value }
    var seen: [Change<Int>?] = [await first.next(), await second.next()]
    XCTAssertEqual(seen, [Change(old: 2, new: 3), Change(old: 0, new: 3)])
    for value in 4...5 { meter.value = value }
    seen = [await first.next(), await second.next()]
    XCTAssertEqual(seen, [Change(old: 4, new: 5), Change(old: 3, new: 5)])
    meter.removeObservers()
    seen = [await first.next(), await second.next()]
    XCTAssertEqual(seen, [nil, nil])
  }

  func testACoalescedSequenceOfACollectionHasWholeValues() async {
    let meter = Meter()
    let changes = meter.changes(of: \.items, options: [.old, .new], buffering: .coalesced)
    meter.$items.append(1)
    meter.$items.append(2)
    var iterator = changes.makeAsyncIterator()
    let change = await iterator.next()
    XCTAssertEqual(change, Change(old: [], new: [1, 2]))
  }

  func testACoalescedSequenceHasTheLastValueAlsoWhereAnEarlierObserverSetIt() async {
    let meter = Meter()
    meter.observe(\.value) { meter, _ in if meter.value == 1 { meter.value = 2 } }
    let changes = meter.changes(of: \.value, options: [.old, .new], buffering: .coalesced)
    meter.value = 1
    var iterator = changes.makeAsyncIterator()
    let change = await iterator.next()
    XCTAssertEqual(change, Change(old: 0, new: 2))
  }

  func testASequenceOfOptionalValues() async {
    let meter = Meter()
    let changes = meter.changes(of: \.unit, options: [.initial, .old, .new])
    meter.unit = "V"
    meter.unit = nil
    meter.removeObservers()
    var seen: [Change<String>] = []
    for await change in changes { seen.append(change) }
    XCTAssertEqual(seen, [Change(), Change(new: "V"), Change(old: "V")])
  }

  func testASequenceEndsWhenTheObjectDies() async {
    let changes: ObservedChanges<Int>
    do {
      let meter = Meter()
      changes = meter.changes(of: \.value)
      meter.value = 1
    }
    var seen: [Int?] = []
    for await change in changes { seen.append(change.new) }
    XCTAssertEqual(seen, [1])
    XCTAssertTrue(changes.observation.isRemoved)
  }

  func testASequenceEndsWhenTheObjectDiesToWhichItIsBound() async {
    final class Controller {}
    let meter = Meter()
    let changes = meter.changes(of: \.value)
    do {
      let controller = Controller()
      changes.observation.bind(to: controller)
      meter.value = 1
    }
    meter.value = 2
    var seen: [Int?] = []
    for await change in changes { seen.append(change.new) }
    XCTAssertEqual(seen, [1])
  }

  func testADroppedSequenceRemovesItsObservation() {
    let meter = Meter()
    let observation: KeyValueObservation
    do {
      let changes = meter.changes(of: \.value)
      observation = changes.observation
      XCTAssertFalse(observation.isRemoved)
      withExtendedLifetime(changes) {}
    }
    XCTAssertTrue(observation.isRemoved)
  }

  func testACancelledTaskRemovesItsObservation() async {
    let meter = Meter()
    let changes = meter.changes(of: \.value)
    let observation = changes.observation
    let task = Task {
      var count = 0
      for await _ in changes { count += 1 }
      return count
    }
    task.cancel()
    let count = await task.value
    XCTAssertEqual(count, 0)
    XCTAssertTrue(observation.isRemoved)
  }
}
