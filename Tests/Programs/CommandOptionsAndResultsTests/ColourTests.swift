#if Everything
import Foundation
import TestSupport
import XCTest

final class ColourTests: XCTestCase {
  private static let commands = [["tour"], ["encoding", "i"], ["signature", "ddd"]]
  private static let escape = "\u{1B}"

  func testOutputThatIsNoTerminalHasNoColour() throws {
    for command in Self.commands {
      let outcome = try CommandLineTool.run(command, environment: ["TERM": "xterm-256color"])
      XCTAssertEqual(outcome.status, 0)
      XCTAssertFalse(outcome.output.contains(Self.escape), "\(command)")
    }
  }

  func testATerminalGetsColour() throws {
    for command in Self.commands {
      let text = try CommandLineTool.onTerminal(command, [:])
      XCTAssertTrue(text.contains(Self.escape), "\(command)")
    }
  }

  func testNoColorIsHonouredOnATerminal() throws {
    for command in Self.commands {
      for environment in [["NO_COLOR": "1"], ["NO_COLOR": ""], ["TERM": "dumb"]] {
        let text = try CommandLineTool.onTerminal(command, environment)
        XCTAssertFalse(text.contains(Self.escape), "\(command) \(environment)")
      }
    }
  }

  func testJSONHasNoColourOnATerminal() throws {
    for command in Self.commands {
      let text = try CommandLineTool.onTerminal(command + ["--json"], [:])
      XCTAssertFalse(text.contains(Self.escape), "\(command)")
    }
  }
}
#endif
