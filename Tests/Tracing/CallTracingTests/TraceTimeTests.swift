import CFixtures
import CallTracing
import Foundation
import Glibc
import Synchronization
import TestSupport
import XCTest

/// The time of traced calls, which is computed from the processor's counter.
final class TraceTimeTests: XCTestCase {
  /// A clock and a counter of a machine that does not exist, in nanoseconds of real time.
  private struct Machine {
    /// The counter's ticks in a second, and how much faster than real time the clock is.
    var frequency: Double
    var correction = 0.0
    private(set) var ticks: Double
    private(set) var clock: Double = 5e9

    init(frequency: Double, ticks: Double = 1e12) {
      self.frequency = frequency
      self.ticks = ticks
    }

    mutating func pass(_ nanoseconds: Double) {
      ticks += nanoseconds * frequency / 1e9
      clock += nanoseconds * (1 + correction)
    }

    /// The counter goes on alone, as where a system is suspended, or begins again.
    mutating func jump(toTicks ticks: Double) { self.ticks = ticks }
  }

  /// A line and what `cbr_trace_read_clock` does where it does not hold.
  @safe
  private final class Line {
    // SAFETY: the C functions get the memory that was made for them, which the deinit frees.
    private let line = unsafe fixture_new_trace_line()
    private(set) var computedCount = 0
    private(set) var readCount = 0

    deinit { unsafe fixture_free_trace_line(line) }

    var isUnsteady: Bool { unsafe fixture_is_unsteady(line) }

    func follow(_ machine: Machine) -> UInt64 {
      unsafe fixture_follow_clock(line, UInt64(machine.ticks), UInt64(machine.clock))
    }

    func time(_ machine: Machine) -> UInt64 {
      var time: UInt64 = 0
      if unsafe fixture_time_of_ticks(line, UInt64(machine.ticks), &time) {
        computedCount += 1
        return time
      }
      readCount += 1
      return follow(machine)
    }

    func fork() { unsafe fixture_fork_in_change(line) }
  }

  func testComputedTimesAreTheClocksAndNeverGoBack() {
    for (index, frequency) in [2.4e7, 1e9, 2.6e9, 5.1e9].enumerated() {
      var generator = SeededGenerator(seed: UInt64(index))
      var machine = Machine(frequency: frequency)
      let line = Line()
      var last: UInt64 = 0
      for step in 0..<300_000 {
        // Clocks are corrected by at most 500 parts per million.
        if step % 5000 == 0 {
          machine.correction = Double.random(in: -0.0005...0.0005, using: &generator)
        }
        let isPause = step % 50_000 == 49_999
        machine.pass(isPause ? 2e9 : Double.random(in: 20...5000, using: &generator))
        let time = line.time(machine)
        XCTAssertGreaterThanOrEqual(time, last)
        XCTAssertLessThan(abs(Double(time) - machine.clock), 4300, "\(frequency), \(step)")
        last = time
      }
      XCTAssertGreaterThan(line.computedCount, 295_000)
      XCTAssertLessThan(line.readCount, 5000)
    }
  }

  /// Lets a second pass in steps of 5 µs; the largest distance of the times from the clock.
  private func run(_ line: Line, _ machine: inout Machine) -> Double {
    (0..<200_000).reduce(0) { error, _ in
      machine.pass(5000)
      return max(error, abs(Double(line.time(machine)) - machine.clock))
    }
  }

  func testWithASteadyClockTimesAreExactToANanosecond() {
    var machine = Machine(frequency: 2.6e9)
    let line = Line()
    XCTAssertLessThan(run(line, &machine), 3)
    XCTAssertGreaterThan(line.computedCount, 198_000)
    // A counter of 41 ns a tick.
    machine = Machine(frequency: 2.4e7)
    XCTAssertLessThan(run(Line(), &machine), 100)
  }

  func testACounterThatJumpsIsNotBelieved() {
    for ticks in [1e13, 5e11, 1000] {
      var machine = Machine(frequency: 2.6e9)
      let line = Line()
      _ = run(line, &machine)
      machine.jump(toTicks: ticks)
      let known = line.computedCount
      XCTAssertLessThan(run(line, &machine), 3, "\(ticks)")
      XCTAssertGreaterThan(line.computedCount, known + 197_000)
      XCTAssertFalse(line.isUnsteady)
    }
  }

  func testAnUnsteadyCounterIsGivenUp() {
    var machine = Machine(frequency: 2.6e9)
    let line = Line()
    _ = run(line, &machine)
    for step in 0..<100_000 {
      machine.frequency = step / 100 % 2 == 0 ? 1.3e9 : 3e9
      machine.pass(10_000)
      _ = line.time(machine)
    }
    XCTAssertTrue(line.isUnsteady)
  }

  func testAThreadThatIsSlowerThanAnotherUsesTheOthersLine() {
    var machine = Machine(frequency: 2.6e9)
    let line = Line()
    _ = run(line, &machine)
    for _ in 0..<10_000 {
      let known = line.readCount
      let slow = machine
      machine.pass(1000)
      _ = line.time(machine)
      guard line.readCount > known else { continue }
      // The line has begun just now, and both of these read before, or soon after.
      var soon = machine
      soon.pass(300)
      for late in [slow, machine, soon] {
        XCTAssertLessThan(abs(Double(line.follow(late)) - late.clock), 1004)
      }
      machine.pass(2000)
      XCTAssertLessThan(abs(Double(line.time(machine)) - machine.clock), 3)
      return
    }
    XCTFail("no line began")
  }

  func testALineThatIsLeftEarlyIsNotFollowedToItsEnd() {
    var machine = Machine(frequency: 2.6e9)
    let line = Line()
    _ = run(line, &machine)
    // After a pause the rate is known over a long time, and the line is as long as lines can be.
    machine.pass(1e7)
    _ = line.time(machine)
    machine.pass(2e6)
    XCTAssertLessThan(abs(Double(line.follow(machine)) - machine.clock), 3)
    XCTAssertLessThan(abs(Double(line.time(machine)) - machine.clock), 3)
  }

  func testACounterThatStandsStillIsNotDividedBy() {
    var machine = Machine(frequency: 0)
    let line = Line()
    XCTAssertEqual(run(line, &machine), 0)
    XCTAssertEqual(line.computedCount, 0)
  }

  func testAForkWhileALineIsChangedLeavesItUsable() {
    var machine = Machine(frequency: 2.6e9)
    let line = Line()
    _ = run(line, &machine)
    line.fork()
    let known = line.computedCount
    XCTAssertLessThan(run(line, &machine), 3)
    XCTAssertGreaterThan(line.computedCount, known + 197_000)
  }

  func testTheTimeIsBetweenTwoReadingsOfTheClock() {
    guard fixture_uses_counter() else { return }
    let allowed: UInt64 = 20_000
    let group = ThreadGroup()
    let latest = Atomic<UInt64>(0)
    let failures = Recorder<String>()
    for _ in 0..<4 {
      group.start {
        var last: UInt64 = 0
        for _ in 0..<20_000 {
          let others = latest.load(ordering: .acquiring)
          let before = monotonicNanoseconds()
          let time = fixture_trace_time()
          let after = monotonicNanoseconds()
          if time + allowed < before || time > after + allowed {
            failures.record("\(before) \(time) \(after)")
          }
          if time + allowed < last { failures.record("\(time) after \(last)") }
          if time + allowed < others { failures.record("\(time) after another's \(others)") }
          last = time
          latest.max(time, ordering: .acquiringAndReleasing)
        }
      }
    }
    group.wait()
    XCTAssertEqual(failures.entries.prefix(5), [])
  }

  func testTheCounterIsUsedOnlyIfTheSystemUsesIt() throws {
    let path = temporaryFile(self)
    let name = unsafe String(cString: fixture_counter_name())
    let rows = [
      ("\(name)\n", !name.isEmpty), ("hpet\n", false), ("\(name)", false), ("\n", false),
      ("", false), ("\(name)x\n", false), (String(repeating: "tsc\n", count: 50), false),
    ]
    for (text, isUsed) in rows {
      try text.write(toFile: path, atomically: true, encoding: .utf8)
      XCTAssertEqual(unsafe fixture_is_system_counter(path), isUsed, text)
    }
    XCTAssertFalse(unsafe fixture_is_system_counter("/nowhere/at/all"))
  }
}

private func monotonicNanoseconds() -> UInt64 {
  var time = timespec()
  _ = unsafe clock_gettime(CLOCK_MONOTONIC, &time)
  return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
}
