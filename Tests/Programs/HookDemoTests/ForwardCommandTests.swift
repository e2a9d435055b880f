#if Everything
import Foundation
import TestSupport
import XCTest

final class ForwardCommandTests: XCTestCase {
  func testMessagesReachWhomTheyAreToReach() throws {
    let outcome = try CommandLineTool.run(["forward"])
    XCTAssertEqual(outcome.status, 0, outcome.output)
    XCTAssertEqual(outcome.errors, "")
    for line in [
      "  → Ada, Bo, Cy",
      "  → Ada, Bo, error: not at night, Cy",
      "  = Bo's rope",
      "  = `watch:didSee:`: argument 3: block takes q (Int64), protocol gives i (Int32)",
      "  = isAwake",
      "  = 300",
    ] {
      XCTAssertTrue(outcome.output.contains(line + "\n"), "\(line)\n\(outcome.output)")
    }
    XCTAssertFalse(outcome.output.contains("\u{1B}"))
    XCTAssertLessThanOrEqual(outcome.output.split(separator: "\n").map(\.count).max() ?? 0, 90)
  }

  func testJSONIsOneDocument() throws {
    let outcome = try CommandLineTool.run(
      ["forward", "--json"])
    XCTAssertEqual(outcome.status, 0, outcome.output)
    XCTAssertEqual(outcome.output.filter { $0 == "\n" }.count, 1)
    let document = try CommandLineTool.document(outcome.output)
    XCTAssertEqual(Set(document.keys), ["steps", "ok"])
    XCTAssertEqual(document["ok"] as? Bool, true)
    let steps = try XCTUnwrap(document["steps"] as? [[String: Any]])
    let first = try XCTUnwrap(steps.first)
    XCTAssertEqual(Set(first.keys), ["chapter", "step", "told", "answer"])
    XCTAssertEqual(first["told"] as? [String], ["Ada", "Bo", "Cy"])
  }

  func testWrongUsageIsRefused() throws {
    XCTAssertEqual(try CommandLineTool.run(["forward", "ship"]).status, 64)
  }
}
#endif
