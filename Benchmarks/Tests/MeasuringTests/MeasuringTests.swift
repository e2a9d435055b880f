import Measuring
import XCTest

final class MeasuringTests: XCTestCase {
  private let report = Report([
    Measurement("call.direct", baseline: "call.direct", nanoseconds: 2),
    Measurement("call.libffi", baseline: "call.direct", nanoseconds: 40),
    Measurement("call.ours", baseline: "call.direct", nanoseconds: 5, instructions: 12),
    Measurement("peer", baseline: "call.direct", absence: "no \"gcc\"\nhere"),
  ])

  func testMedian() {
    XCTAssertNil(median([]))
    XCTAssertEqual(median([3, 1, 2]), 2)
    XCTAssertEqual(median([4, 1, 2, 3]), 2.5)
  }

  func testNumbers() {
    XCTAssertEqual(1234567.0.significant, "1,234,567")
    XCTAssertEqual(12.345.significant, "12.3")
    XCTAssertEqual(0.5.significant, "0.50")
    XCTAssertEqual(2.5.shortest, "2.5")
    XCTAssertEqual(1000.0.shortest, "1,000")
    XCTAssertEqual(3.04.fixed(1), "3.0")
    XCTAssertEqual(3.999.fixed(0), "4")
  }

  func testTargets() {
    let met = Target("call.ours", .atMost(2.5, times: "call.direct"))
    let missed = Target("call.ours", .faster(10, than: "call.libffi"))
    XCTAssertEqual(met.verdict(in: report), "pass ≤ 2.5 × call.direct")
    XCTAssertEqual(missed.verdict(in: report), "miss ≥ 10 × faster than call.libffi")
    XCTAssertNil(Target("call.ours", .faster(10, than: "peer")).isMet(in: report))
    XCTAssertNil(Target("call.libffi", .instructions(40)).isMet(in: report))
    var counted = report
    counted.setInstructions(40, of: "call.ours")
    XCTAssertEqual(Target("call.ours", .instructions(40)).isMet(in: counted), true)
    XCTAssertEqual(
      Target("call.ours", .instructions(39)).verdict(in: counted), "miss ≤ 39 instructions")
  }

  func testDisturbance() {
    let report = Report([
      Measurement("calm", baseline: "calm", nanoseconds: 2, fastest: 1.9),
      Measurement("busy", baseline: "calm", nanoseconds: 2, fastest: 1),
    ])
    XCTAssertNil(report.disturbance(of: "calm"))
    XCTAssertNotNil(report.disturbance(of: "busy"))
  }

  func testTable() {
    let table = report.table(
      twins: ["call.ours": "call.libffi"],
      targets: [Target("call.ours", .atMost(2.5, times: "call.direct"))])
    XCTAssertEqual(
      table.split(separator: "\n").dropFirst(3).first,
      "call.ours      5.00   2.50          12.0     8.00 ×  pass ≤ 2.5 × call.direct")
  }

  func testATableMarksRowsWhoseSeriesDiffer() {
    let rows = [
      Measurement("calm", baseline: "calm", nanoseconds: 2, fastest: 1.9),
      Measurement("busy", baseline: "calm", nanoseconds: 2, fastest: 1),
    ]
    XCTAssertFalse(Report([rows[0]]).table(twins: [:], targets: []).contains("~"))
    let lines = Report(rows).table(twins: [:], targets: []).split(separator: "\n")
    XCTAssertEqual(lines.map { $0.contains("~") }, [false, false, true, true])
    XCTAssertTrue(lines[2].hasPrefix("busy  ~2.00"))
  }

  func testJSON() {
    XCTAssertTrue(
      report.json.contains(
        """
          {"name": "call.ours", "ns": 5.000, "instructions": 12.0, "baseline": "call.direct", \
        "ratio": 2.500},
          {"name": "peer", "ns": null, "instructions": null, "baseline": "call.direct", \
        "ratio": null, "absent": "no \\"gcc\\"\\nhere"}
        ]
        """))
  }

  func testRowsOfThreadsRunAsManyOperationsInEachSeries() throws {
    var counts: [Int] = []
    let row = Row("threads", baseline: "threads", fixedIterations: 40, expected: { $0 }) {
      { iterations in
        counts.append(iterations)
        return iterations
      }
    }
    _ = try Rounds(count: 3, nanoseconds: 1_000_000).measure([row]) { _ in }
    XCTAssertEqual(counts, [100, 2, 40, 2, 40, 2, 40])
  }

  func testWrongResultsAreRefused() throws {
    let right = Row("right", baseline: "right", expected: { $0 }, prepare: { { $0 } })
    let measured = try Rounds(count: 3, nanoseconds: 1000).measure([right]) { _ in }
    XCTAssertNotNil(measured.first?.nanoseconds)
    let wrong = Row("wrong", baseline: "right", expected: { $0 + 1 }, prepare: { { $0 } })
    XCTAssertThrowsError(try Rounds(count: 3, nanoseconds: 1000).measure([wrong]) { _ in }) {
      XCTAssertEqual("\($0)", "wrong: 100 operations sum up to 100 instead of 101")
    }
  }

  func testSeriesKeepToTheMaximum() throws {
    var most = 0
    let row = Row("few", baseline: "few", maximumIterations: 7, expected: { $0 }) {
      { iterations in
        most = max(most, iterations)
        return iterations
      }
    }
    _ = try Rounds(count: 2, nanoseconds: 1_000_000).measure([row]) { _ in }
    XCTAssertEqual(most, 7)
  }

  func testWhatARowNeedsIsInPlaceForItsSeriesOnly() throws {
    var isInPlace = false
    let begin = {
      isInPlace = true
      return { isInPlace = false }
    }
    let row = Row("inside", baseline: "outside", expected: { $0 }, during: begin) {
      { isInPlace ? $0 : 0 }
    }
    let other = Row("outside", baseline: "outside", expected: { $0 }) { { isInPlace ? 0 : $0 } }
    let measured = try Rounds(count: 3, nanoseconds: 1000).measure([row, other]) { _ in }
    XCTAssertEqual(measured.compactMap(\.nanoseconds).count, 2)
    XCTAssertFalse(isInPlace)
  }

  func testWhatASeriesLeavesBehindIsChecked() {
    struct Left: Error {}
    let row = Row("left", baseline: "left", expected: { $0 }, during: { { throw Left() } }) {
      { $0 }
    }
    XCTAssertThrowsError(try Rounds(count: 1, nanoseconds: 1000).measure([row]) { _ in }) {
      XCTAssertTrue($0 is Left)
    }
  }

  func testAcceptedCountsAreReadAsTheyWereWritten() {
    let counts = AcceptedCounts(
      versions: ["glibc": "2.36", "toolchain": "Swift version 6.3 (a: b)"],
      counts: ["call.direct": 16, "delay … a thousand": 904.5])
    XCTAssertEqual(AcceptedCounts(counts.text), counts)
    XCTAssertEqual(AcceptedCounts("").counts, [:])
  }

  func testMoreInstructionsFailOnlyWithTheSameVersions() {
    let accepted = AcceptedCounts(versions: ["glibc": "2.36"], counts: ["one": 100, "other": 100])
    var counted = AcceptedCounts(
      versions: ["glibc": "2.36"], counts: ["one": 103, "other": 50, "new": 1_000])
    XCTAssertEqual(accepted.compare(counted).lines, [])
    counted.counts["one"] = 103.5
    XCTAssertEqual(
      accepted.compare(counted).lines, ["one: 103.5 instructions, accepted are 100.0"])
    XCTAssertTrue(accepted.compare(counted).isFailure)
    counted.versions["glibc"] = "2.41"
    XCTAssertEqual(
      accepted.compare(counted).lines,
      [
        "glibc: 2.41, accepted with 2.36",
        "one: 103.5 instructions, accepted are 100.0",
      ])
    XCTAssertFalse(accepted.compare(counted).isFailure)
  }

  func testCountsOfSomeRowsAreAcceptedBesideTheOthers() {
    var accepted = AcceptedCounts(versions: ["glibc": "2.36"], counts: ["one": 100, "other": 100])
    accepted.accept(AcceptedCounts(versions: ["glibc": "2.36"], counts: ["one": 90]))
    XCTAssertEqual(accepted.counts, ["one": 90, "other": 100])
    // Of other versions no count says anything.
    accepted.accept(AcceptedCounts(versions: ["glibc": "2.41"], counts: ["one": 80]))
    XCTAssertEqual(accepted.counts, ["one": 80])
  }
}
