import DelayedBlocks
import TestSupport
import XCTest

/// The places of repeating blocks' ticks among what is due at the same instant.
final class RepeatingOrderTests: XCTestCase {
  func testATickKeepsThePlaceOfItsBlock() throws {
    let manual = ManualTimer()
    let runs = Recorder<String>()
    let timer = manual.timer
    let first = timer.now.advanced(by: .milliseconds(20))
    timer.perform(at: first) { runs.record("before") }
    try timer.repeat(every: .milliseconds(10)) { _ in runs.record("a") }
    timer.perform(at: first) { runs.record("between") }
    try timer.repeat(every: .milliseconds(20), policy: .delay) { _ in runs.record("b") }
    timer.perform(at: first) { runs.record("after") }
    manual.clock.advance(by: .milliseconds(10))
    timer.perform(at: first) { runs.record("late") }
    manual.clock.advance(by: .milliseconds(10))
    XCTAssertEqual(runs.entries, ["a", "before", "a", "between", "b", "after", "late"])
    XCTAssertEqual(timer.cancelAll(), 2)
  }

  func testMovingABlockPutsItBehindTheOthers() throws {
    let manual = ManualTimer()
    let runs = Recorder<String>()
    let a = try manual.timer.repeat(every: .seconds(1)) { _ in runs.record("a") }
    try manual.timer.repeat(every: .seconds(1)) { _ in runs.record("b") }
    manual.clock.advance(by: .seconds(1))
    XCTAssertTrue(a.reschedule(after: .seconds(1)))
    manual.clock.advance(by: .seconds(2))
    XCTAssertEqual(runs.entries, ["a", "b", "b", "a", "b", "a"])
    XCTAssertEqual(manual.timer.cancelAll(), 2)
  }

  /// The oracle: a list in which the next is looked for each time, by instant and place.
  func testAnyMixOfRepeatingAndPlainBlocksEqualsAList() throws {
    struct Entry {
      var due: UInt64
      var place: Int
      let name: String
      let interval: UInt64?
      let block: DelayedBlock
    }
    for seed in 0..<40 as Range<UInt64> {
      var generator = SeededGenerator(seed: seed)
      let manual = ManualTimer()
      let runs = Recorder<String>()
      var entries: [Entry] = []
      var expected: [String] = []
      // Few instants, so that many blocks share each; sometimes they lie on the wheel's higher
      // levels.
      let unit = [1, 1000, 1 << 40].randomElement(using: &generator) ?? 1
      for place in 0..<300 {
        let now = manual.clock.now.nanoseconds
        let delay = UInt64.random(in: 1...6, using: &generator) * UInt64(unit)
        switch Int.random(in: 0..<12, using: &generator) {
        case 0..<5:
          let name = "plain \(place)"
          let block = manual.timer.perform(after: .nanoseconds(delay)) { runs.record(name) }
          entries.append(
            Entry(due: now + delay, place: place, name: name, interval: nil, block: block))
        case 5, 6:
          let name = "repeating \(place)"
          let policies: [RepeatingBlock.Policy] = [.skip, .catchUp, .coalesce, .delay]
          let block = try manual.timer.repeat(
            every: .nanoseconds(delay), policy: policies[place % 4]
          ) { tick in runs.record("\(name) \(tick.number)") }
          entries.append(
            Entry(due: now + delay, place: place, name: name, interval: delay, block: block))
        case 7:
          guard let index = entries.indices.randomElement(using: &generator) else { continue }
          XCTAssertTrue(entries.remove(at: index).block.cancel())
        case 8:
          guard let index = entries.indices.randomElement(using: &generator) else { continue }
          XCTAssertTrue(entries[index].block.reschedule(after: .nanoseconds(delay)))
          (entries[index].due, entries[index].place) = (now + delay, place)
        default:
          manual.clock.advance(by: .nanoseconds(delay))
          while let index = entries.indices.min(by: {
            (entries[$0].due, entries[$0].place) < (entries[$1].due, entries[$1].place)
          }), entries[index].due <= now + delay {
            expected.append(entries[index].name)
            if let interval = entries[index].interval {
              entries[index].due += interval
            } else {
              entries.remove(at: index)
            }
          }
        }
      }
      let names = runs.entries.map { $0.split(separator: " ").prefix(2).joined(separator: " ") }
      XCTAssertEqual(names, expected, "seed \(seed)")
      XCTAssertEqual(manual.timer.cancelAll(), entries.count)
    }
  }

  func testManyAtOneInstantAreSortedOnce() throws {
    let manual = ManualTimer()
    let runs = Recorder<Int>()
    let count = 20_000
    for number in 0..<count {
      try manual.timer.repeat(every: .seconds(1)) { tick in
        runs.record(tick.number * 2 * count + number)
      }
    }
    for number in count..<2 * count {
      manual.timer.perform(after: .seconds(2)) { runs.record(2 * count + number) }
    }
    manual.clock.advance(by: .seconds(2))
    XCTAssertEqual(runs.entries, Array(0..<count) + Array(2 * count..<4 * count))
    XCTAssertEqual(manual.timer.cancelAll(), count)
  }
}
