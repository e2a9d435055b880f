#if Everything
import Foundation
import TestSupport
import XCTest

@testable import TracingCommands

/// Two traces compared.
final class TraceComparisonTests: XCTestCase {
  /// The oracle is SciPy's `mannwhitneyu(a, b, method="asymptotic")`.
  func testTheProbabilityIsThatOfTheTest() {
    let rows: [([UInt64], [UInt64], Double)] = [
      ([1, 2, 3, 4, 5], [6, 7, 8, 9, 10], 0.01219),
      ([1, 2, 3, 4, 5, 6, 7, 8], [9, 10, 11, 12, 13, 14, 15, 16], 0.0009392),
      ([1, 3, 5, 7, 9], [2, 4, 6, 8, 10], 0.6761),
      ([1, 1, 2, 2, 3], [2, 2, 3, 3, 4], 0.1251),
      ([4, 4, 4], [4, 4, 4], 1), ([], [1], 1), ([1], [], 1),
    ]
    for (first, second, expected) in rows {
      for (a, b) in [(first, second), (second, first)] {
        XCTAssertEqual(RankSum(a, b).probability, expected, accuracy: 0.0002, "\(a) \(b)")
      }
    }
  }

  /// Of equal distributions as few differ as the probability says.
  func testEqualDistributionsDifferByChanceOnly() {
    var random = SeededGenerator(seed: 7)
    let rounds = 2_000
    let unlikely = (0..<rounds).count { _ in
      let times = [40, 60].map { count in
        (0..<count).map { _ in UInt64.random(in: 0..<1_000, using: &random) }.sorted()
      }
      return RankSum(times[0], times[1]).probability < 0.05
    }
    XCTAssertTrue((rounds / 40...rounds / 13).contains(unlikely), "\(unlikely)")
  }

  private func line(
    _ name: String, _ duration: Int, waited: Int? = nil, _ outcome: String = "returned"
  )
    -> String
  {
    #"{"kind":"call","name":"m.\#(name)()","shortName":"\#(name)","duration":\#(duration),"#
      + #""signature":"v@?","waited":\#(waited.map { "\($0)" } ?? "null"),"outcome":"\#(outcome)"}"#
  }

  private func compare(
    _ before: [String], _ after: [String], _ options: [String] = []
  ) throws -> CommandLineTool.Outcome {
    let directory = try CompiledFiles(self).directory
    let files = try [("before", before), ("after", after)].map { name, lines in
      let file = "\(directory)/\(name).jsonl"
      try lines.map { $0 + "\n" }.joined().write(toFile: file, atomically: true, encoding: .utf8)
      return file
    }
    return try CommandLineTool.run(["compare"] + options + files)
  }

  func testWhatBecameSlowerIsShownAndWhatIsDueToChanceIsNot() throws {
    func calls(_ name: String, _ count: Int, _ base: Int, waited: Int? = nil) -> [String] {
      (0..<count).map { line(name, base + $0 * 1_000, waited: waited.map { $0 + count }) }
    }
    let before =
      calls("slower", 100, 1_000_000) + calls("faster", 50, 3_000_000) + calls("same", 100, 5_000)
      + calls("few", 3, 1_000) + calls("waits", 30, 1_000, waited: 1_000) + calls("gone", 2, 1)
      + [line("slower", 9_000_000_000, "unfinished")]
    let after =
      calls("slower", 120, 2_000_000) + calls("faster", 40, 2_000_000) + calls("same", 100, 5_000)
      + calls("few", 3, 9_000) + calls("waits", 30, 1_000, waited: 9_000) + calls("new", 1, 1)
    let outcome = try compare(before, after)
    XCTAssertEqual(outcome.status, 0, outcome.errors)
    let lines = outcome.output.split(separator: "\n", omittingEmptySubsequences: true).map {
      $0.split(separator: " ").joined(separator: " ")
    }
    XCTAssertEqual(
      lines,
      [
        "calls median p99 change in all what changed",
        "100 → 120 1.050 ms → 2.060 ms 1.099 ms → 2.118 ms +96 % +121.2 ms ran slower",
        "30 → 30 1.030 µs → 9.030 µs 1.030 µs → 9.030 µs × 8.8 +240.0 µs waited waits",
        "50 → 40 3.025 ms → 2.020 ms 3.049 ms → 2.039 ms -33 % -40.20 ms ran faster",
        "only before: gone (2)", "only after: new (1)",
        "3 of 6 times show no difference that their counts make significant",
      ])
    let document = try CommandLineTool.document(compare(before, after, ["--json"]).output)
    let changed = try XCTUnwrap(document["changed"] as? [[String: Any]])
    XCTAssertEqual(changed.map { $0["name"] as? String }, ["slower", "waits", "faster"])
    XCTAssertEqual(changed.map { $0["measure"] as? String }, ["ran", "waited", "ran"])
    XCTAssertEqual((changed[0]["after"] as? [String: Any])?["p50"] as? Int, 2_060_000)
    XCTAssertEqual(document["compared"] as? Int, 6)
  }

  func testHostileTimesAndNamesAreNoObstacle() throws {
    let name = "\\u001b[2Jx\\n"
    let before = (0..<50).map { _ in line(name, 1) } + [line("gone\(name)", 1)]
    let after = (0..<50).map { _ in
      line(name, 1).replacing(#""duration":1,"#, with: #""duration":18446744073709551615,"#)
    }
    for options in [[], ["--json"]] {
      let outcome = try compare(before, after, options)
      XCTAssertEqual(outcome.status, 0, outcome.errors)
      XCTAssertFalse(outcome.output.contains("\u{1b}"), outcome.output)
    }
  }

  func testOtherFilesAreRefusedByName() throws {
    for lines in [["{}"], ["no"], ["[1]"], [#"{"kind":"call"}"#], [line("a", 1), "{\"a\":"]] {
      let outcome = try compare([line("a", 1)], lines)
      XCTAssertEqual(outcome.status, 1)
      let place = "line \(lines.count) of "
      XCTAssertTrue(
        outcome.errors.contains("notATrace") && outcome.errors.contains(place), outcome.errors)
    }
    let bad = [
      line("a", 1).replacing(#""kind":"call""#, with: #""kind":"other""#),
      line("a", 1).replacing(#""waited":null"#, with: #""waited":-5"#),
    ]
    for line in bad { XCTAssertEqual(try compare([], [line]).status, 1) }
    XCTAssertEqual(try compare([], []).status, 0)
    XCTAssertEqual(try CommandLineTool.run(["compare", "/no/such/file", "-"]).status, 1)
    XCTAssertEqual(try CommandLineTool.run(["compare", "-", "-"]).status, 64)
  }
}
#endif
