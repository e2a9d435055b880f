#if Everything
import Foundation
import TestSupport
import XCTest

final class ObserveCommandTests: XCTestCase {
  func testTheObserversAreToldWhatTheyObserve() throws {
    let outcome = try CommandLineTool.run(["observe"])
    XCTAssertEqual(outcome.status, 0, outcome.output)
    XCTAssertEqual(outcome.errors, "")
    for line in [
      "  name             will: setting   Beagle",
      "  crew             insertion at 0             [Cy]",
      "  cargo            replacement     [tea: 40]  [tea: 30]",
      #"  flags            insertion                  ["P", "Q"]"#,
      "  crew.@max.wage   setting         4          5",
      "  nobody",
    ] {
      XCTAssertTrue(outcome.output.contains(line + "\n"), "\(line)\n\(outcome.output)")
    }
    XCTAssertFalse(outcome.output.contains("\u{1B}"))
    XCTAssertLessThanOrEqual(outcome.output.split(separator: "\n").map(\.count).max() ?? 0, 80)
  }

  func testJSONIsOneDocument() throws {
    let outcome = try CommandLineTool.run(
      ["observe", "--json"])
    XCTAssertEqual(outcome.status, 0, outcome.output)
    XCTAssertEqual(outcome.output.filter { $0 == "\n" }.count, 1)
    let document = try CommandLineTool.document(outcome.output)
    XCTAssertEqual(Set(document.keys), ["changes", "ok"])
    XCTAssertEqual(document["ok"] as? Bool, true)
    let changes = try XCTUnwrap(document["changes"] as? [[String: Any]])
    let removal = try XCTUnwrap(
      changes.first { $0["change"] as? String == "ship.$crew.remove(at: 1)" })
    let calls = try XCTUnwrap(removal["calls"] as? [[String: Any]])
    XCTAssertEqual(calls.map { $0["observer"] as? String }, ["crew", "wages"])
    XCTAssertEqual(calls[0]["kind"] as? String, "removal")
    XCTAssertEqual(calls[0]["indexes"] as? [[Int]], [[1, 2]])
    XCTAssertEqual(calls[0]["old"] as? String, "[Bo]")
    XCTAssertTrue(calls[0]["new"] is NSNull)
    XCTAssertEqual(calls[0]["prior"] as? Bool, false)
  }

  func testWrongUsageIsRefused() throws {
    XCTAssertEqual(try CommandLineTool.run(["observe", "ship"]).status, 64)
  }
}
#endif
