import DelayedBlocks
import TestSupport
import XCTest

final class DelayOrderTests: XCTestCase {
  func testBlocksRunAtTheirTimesInTheOrderOfTheTimes() {
    let manual = ManualTimer()
    let runs = Recorder<String>()
    for (name, delay) in [("c", 30), ("a", 10), ("b", 20)] {
      manual.timer.perform(after: .milliseconds(delay)) { [clock = manual.clock] in
        runs.record("\(name) \(clock.now.nanoseconds / 1_000_000)")
      }
    }
    manual.clock.advance(by: .milliseconds(20))
    XCTAssertEqual(runs.entries, ["a 10", "b 20"])
    manual.clock.advance(by: .seconds(1))
    XCTAssertEqual(runs.entries, ["a 10", "b 20", "c 30"])
    XCTAssertEqual(manual.clock.now.nanoseconds, 1_020_000_000)
  }

  func testBlocksThatAreDueTogetherRunInTheOrderInWhichTheyWereMade() {
    let manual = ManualTimer()
    let runs = Recorder<Int>()
    let instant = manual.timer.now.advanced(by: .seconds(100))
    for number in 0..<10 { manual.timer.perform(at: instant) { runs.record(number) } }
    // Others came nearer in the meantime, and find the wheel turned.
    manual.timer.perform(after: .seconds(99)) {}
    manual.clock.advance(by: .seconds(99))
    for number in 10..<20 { manual.timer.perform(at: instant) { runs.record(number) } }
    manual.clock.advance(by: .milliseconds(999))
    for number in 20..<30 { manual.timer.perform(at: instant) { runs.record(number) } }
    manual.clock.advance(by: .seconds(1))
    XCTAssertEqual(runs.entries, Array(0..<30))
  }

  /// The oracle: a list that is sorted anew each time.
  func testAnyMixOfSchedulingCancellingAndMovingEqualsASortedList() {
    struct Pending {
      var due: UInt64
      var order: Int
      let number: Int
      let block: DelayedBlock
    }
    for seed in 0..<40 as Range<UInt64> {
      var generator = SeededGenerator(seed: seed)
      let manual = ManualTimer()
      let runs = Recorder<Int>()
      var pending: [Pending] = []
      var expected: [Int] = []
      var order = 0
      for number in 0..<600 {
        order += 1
        let bits = Int.random(in: 0..<40, using: &generator)
        let delay = UInt64.random(in: 0...(1 << UInt64(bits)), using: &generator)
        let due = manual.clock.now.nanoseconds + delay
        switch Int.random(in: 0..<10, using: &generator) {
        case 0..<5:
          let block = manual.timer.perform(after: .nanoseconds(delay)) { runs.record(number) }
          pending.append(Pending(due: due, order: order, number: number, block: block))
        case 5, 6:
          guard let index = pending.indices.randomElement(using: &generator) else { continue }
          XCTAssertTrue(pending.remove(at: index).block.cancel())
        case 7:
          guard let index = pending.indices.randomElement(using: &generator) else { continue }
          XCTAssertTrue(pending[index].block.reschedule(after: .nanoseconds(delay)))
          pending[index].due = due
          pending[index].order = order
        default:
          manual.clock.advance(to: DelayTimer.Instant(nanoseconds: due))
          pending.sort { ($0.due, $0.order) < ($1.due, $1.order) }
          let split = pending.firstIndex { $0.due > due } ?? pending.count
          expected += pending[..<split].map(\.number)
          pending.removeFirst(split)
        }
        XCTAssertEqual(manual.timer.pendingCount, pending.count)
      }
      XCTAssertEqual(runs.entries, expected, "seed \(seed)")
      for left in pending { left.block.cancel() }
      XCTAssertEqual(manual.timer.pendingCount, 0)
    }
  }

  func testWhatIsDueNowOrWasRunsAtTheNextTurn() {
    let manual = ManualTimer()
    manual.clock.advance(by: .seconds(10))
    let runs = Recorder<String>()
    manual.timer.perform(after: .zero) { runs.record("now") }
    manual.timer.perform(after: .seconds(-5)) { runs.record("negative") }
    manual.timer.perform(after: Duration(attoseconds: .min)) { runs.record("most negative") }
    manual.timer.perform(at: DelayTimer.Instant(nanoseconds: 1)) { runs.record("past") }
    XCTAssertEqual(runs.entries, [])
    manual.clock.advance(by: .zero)
    XCTAssertEqual(runs.entries, ["past", "now", "negative", "most negative"])
    XCTAssertEqual(manual.clock.now.nanoseconds, 10_000_000_000)
  }

  func testWhatLiesBehindTheEndOfTimeStaysPending() {
    let manual = ManualTimer()
    let lengths: [Duration] = [
      .seconds(Int64.max), Duration(attoseconds: .max), .seconds(1 << 34),
      .nanoseconds(Int64.max) + .nanoseconds(1),
    ]
    let blocks = lengths.map { manual.timer.perform(after: $0) { XCTFail("it ran") } }
    manual.clock.advance(by: .seconds(3_000_000_000))
    manual.clock.advance(to: .never)
    XCTAssertEqual(manual.timer.pendingCount, blocks.count)
    for block in blocks { XCTAssertTrue(block.cancel()) }
  }

  func testABlockMayScheduleOthersForTheSameTime() {
    let manual = ManualTimer()
    let runs = Recorder<Int>()
    let timer = manual.timer
    @Sendable func chain(_ number: Int) {
      runs.record(number)
      if number < 100 { timer.perform(after: .zero) { chain(number + 1) } }
    }
    timer.perform(after: .seconds(1)) { chain(0) }
    manual.clock.advance(by: .seconds(1))
    XCTAssertEqual(runs.entries, Array(0...100))
  }

  func testToleranceGathersBlocksInOneWakeUpWithinItsLimits() {
    let manual = ManualTimer()
    let times = Recorder<UInt64>()
    var generator = SeededGenerator(seed: 1)
    let tolerance: UInt64 = 100_000_000
    for _ in 0..<200 {
      let delay = UInt64.random(in: 0..<1_000_000_000, using: &generator)
      let start = manual.clock.now.nanoseconds + delay
      manual.timer.perform(after: .nanoseconds(delay), tolerance: .nanoseconds(tolerance)) {
        [clock = manual.clock] in
        let now = clock.now.nanoseconds
        XCTAssertGreaterThanOrEqual(now, start)
        XCTAssertLessThanOrEqual(now, start + tolerance)
        times.record(now)
      }
    }
    manual.clock.advance(by: .seconds(2))
    XCTAssertEqual(times.entries.count, 200)
    // At most one wake-up in half of the tolerance.
    XCTAssertLessThanOrEqual(Set(times.entries).count, 22)
  }

  func testToleranceAtTheLimitsOfTimeDoesNoHarm() {
    let manual = ManualTimer()
    let runs = Recorder<Int>()
    manual.timer.perform(after: .zero, tolerance: Duration(attoseconds: .max)) { runs.record(1) }
    manual.timer.perform(at: .never, tolerance: .seconds(5)) { XCTFail("it ran") }.cancel()
    manual.timer.perform(after: .seconds(1), tolerance: .seconds(-5)) { runs.record(2) }
    manual.clock.advance(by: .seconds(1))
    XCTAssertEqual(runs.entries.last, 2)
    // However large it is, the block comes.
    let tolerant = manual.timer.perform(after: .seconds(1), tolerance: .seconds(Int64.max)) {}
    XCTAssertLessThan(tolerant.instant, .never)
    tolerant.cancel()
  }

  func testInstantsKeepTheirOrderAndTheirLimits() {
    let zero = DelayTimer.Instant(nanoseconds: 0)
    XCTAssertEqual(zero.advanced(by: .seconds(-1)), zero)
    XCTAssertEqual(DelayTimer.Instant(nanoseconds: .max), .never)
    XCTAssertEqual(zero.advanced(by: Duration(attoseconds: .max)), .never)
    let later = zero.advanced(by: .milliseconds(1500))
    XCTAssertEqual(later.nanoseconds, 1_500_000_000)
    XCTAssertEqual(zero.duration(to: later), .milliseconds(1500))
    XCTAssertEqual(later.duration(to: zero), .milliseconds(-1500))
    XCTAssertEqual(later.advanced(by: .milliseconds(-500)).nanoseconds, 1_000_000_000)
    XCTAssertTrue(zero < later)
    XCTAssertEqual(zero + .seconds(2) - .milliseconds(500), later)
    XCTAssertEqual(later - zero, .milliseconds(1500))
    XCTAssertEqual(later - Duration(attoseconds: .min), later + Duration(attoseconds: .max))
    XCTAssertEqual("\(later)", "1.500000000 s")
    XCTAssertEqual("\(DelayTimer.Instant.never)", "never")
  }
}
