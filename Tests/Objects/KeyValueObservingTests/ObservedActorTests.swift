import KeyValueObserving
import TestSupport
import XCTest

/// Properties of actors, to which there are no key paths.
final class ObservedActorTests: XCTestCase {
  private actor Counter {
    @Observed var count = 0
    @Observed var other = 0
    @Observed var scores = [1]

    func add() { count += 1 }
    func change() {
      (count, other) = (7, 8)
      $scores.append(2)
      scores.append(3)
    }
    func counts(
      _ options: ObservingOptions, _ buffering: ObservedChanges<Int>.Buffering = .everyChange
    ) -> ObservedChanges<Int> { $count.changes(options: options, buffering: buffering) }
    func resume(_ changes: ObservedChanges<Int>) {
      changes.observation.resume(tellingLast: true)
    }
    var others: ObservedChanges<Int> { $other.changes() }
    var allScores: ObservedChanges<[Int]> {
      $scores.changes(options: [.old, .new], buffering: .coalesced)
    }
  }

  func testChangesOfEachPropertyAreHeardApart() async {
    let counter = Counter()
    let (counts, others) = (await counter.counts([.initial, .old, .new]), await counter.others)
    let scores = await counter.allScores
    await counter.add()
    await counter.change()
    for observation in [counts.observation, others.observation, scores.observation] {
      XCTAssertTrue(observation.remove())
    }
    await counter.add()
    var log: [Change<Int>] = []
    for await change in counts { log.append(change) }
    XCTAssertEqual(log, [Change(new: 0), Change(old: 0, new: 1), Change(old: 1, new: 7)])
    log = []
    for await change in others { log.append(change) }
    XCTAssertEqual(log, [Change(new: 8)])
    var scoreLog: [Change<[Int]>] = []
    for await change in scores { scoreLog.append(change) }
    XCTAssertEqual(scoreLog, [Change(old: [1], new: [1, 2, 3])])
  }

  func testTheSequenceEndsWithTheActorAndRetainsItNot() async {
    var counter: Counter? = Counter()
    weak let weakCounter = counter
    let counts = await counter?.counts(.new)
    await counter?.add()
    counter = nil
    XCTAssertNil(weakCounter)
    var log: [Change<Int>] = []
    if let counts { for await change in counts { log.append(change) } }
    XCTAssertEqual(log, [Change(new: 1)])
  }

  func testASuspendedSequenceIsToldTheLastValue() async {
    let counter = Counter()
    let counts = await counter.counts([.old, .new])
    counts.observation.suspend()
    await counter.add()
    await counter.add()
    await counter.resume(counts)
    counts.observation.remove()
    var log: [Change<Int>] = []
    for await change in counts { log.append(change) }
    XCTAssertEqual(log, [Change(old: 0, new: 2)])
  }
}
