#if Everything
import TestSupport
import XCTest

final class TextTableTests: XCTestCase {
  private static let name = String(repeating: "name", count: 30)
  private static let encoding = "{Record=\"\(name)\"[4{Point=\"\(name)\"d}]}"

  func testPipesAndFilesGetNamesWhole() throws {
    let outcome = try CommandLineTool.run(["encoding", Self.encoding])
    XCTAssertEqual(outcome.status, 0, outcome.errors)
    XCTAssertFalse(outcome.output.contains("…"), outcome.output)
    XCTAssertTrue(outcome.output.contains("\(Self.name)  "), outcome.output)
    XCTAssertTrue(outcome.output.contains("\(Self.encoding)\n"), outcome.output)
  }

  func testNothingInATextControlsTheTerminal() throws {
    let scalars = ["\u{202E}", "\u{2066}", "\u{200F}", "\u{9B}", "\u{2028}", "\u{600}"]
    let name = scalars.joined()
    let outcome = try CommandLineTool.run(["encoding", "{R=\"\(name)\"i}"])
    for scalar in scalars {
      XCTAssertFalse(outcome.output.contains(scalar) || outcome.errors.contains(scalar), scalar)
    }
    let all = outcome.output + outcome.errors
    XCTAssertTrue(all.contains(#"\u{202e}\u{2066}\u{200f}\u{9b}\u{2028}\u{600}"#), all)
  }

  func testATerminalKeepsTheColumnsInSight() throws {
    let text = try CommandLineTool.onTerminal(["encoding", Self.encoding])
    XCTAssertFalse(text.contains("\(Self.name)  "), text)
    XCTAssertTrue(text.contains(#/…\S+name  array /#), text)
    XCTAssertTrue(text.contains(#/…\S+  4 elements/#), text)
  }

  func testNamesThatDifferInTheMiddleAreNotCutThere() throws {
    let half = String(repeating: "name", count: 10)
    let names = ["A", "B"].map { half + $0 + half }
    let other = String(repeating: "other", count: 30)
    let fields = (names + [other]).map { "\"\($0)\"i" }.joined()
    let text = try CommandLineTool.onTerminal(["encoding", "{Record=\(fields)}"])
    for name in names { XCTAssertTrue(text.contains("\(name)  "), text) }
    XCTAssertFalse(text.contains("\(other)  "), text)
  }
}
#endif
