#if Everything
import CommandOptionsAndResults
import Foundation
import TestSupport
import XCTest

final class FailureTests: XCTestCase {
  private struct Row {
    let command: String
    let input: String
    let code: String
    let offset: Int
    let line: UInt

    init(
      _ command: String, _ input: String, _ code: String, _ offset: Int, line: UInt = #line
    ) {
      self.command = command
      self.input = input
      self.code = code
      self.offset = offset
      self.line = line
    }
  }

  private static let rows = [
    Row("encoding", "", "empty", 0), Row("signature", "", "empty", 0),
    Row("encoding", "y", "unexpectedCharacter", 0), Row("encoding", "-x", "unexpectedCharacter", 0),
    Row("encoding", "--json", "unexpectedCharacter", 0), Row("encoding", "ii", "trailingText", 1),
    Row("encoding", "^", "unexpectedEnd", 1), Row("encoding", "{P=d", "unexpectedEnd", 4),
    Row("encoding", "{P", "unterminated", 2), Row("encoding", "[i]", "malformedNumber", 1),
    Row("encoding", "[99999999999999999999i]", "numberTooLarge", 1),
    Row("encoding", "[4]", "vanishedType", 2), Row("encoding", #"@"NS"#, "unterminated", 1),
    Row("encoding", String(repeating: "^", count: 129) + "i", "tooDeep", 129),
    Row("encoding", "é", "unexpectedCharacter", 0),
    Row("signature", "v8é", "unexpectedCharacter", 2),
    Row("signature", "v16@?0@?<v@?", "unexpectedEnd", 12),
    Row("signature", "v@?>", "unexpectedCharacter", 3),
  ]

  func testNothingOfAFailureControlsTheTerminal() {
    let text = Failure(code: "\u{1B}[31m\u{9B}", message: "no\u{7}\u{85}").text
    XCTAssertEqual(text, "hook-demo: \\u{1b}[31m\\u{9b}: no\\u{7}\\u{85}\n")
  }

  func testARefusedEncodingIsOneJSONErrorWithItsOffset() throws {
    for row in Self.rows {
      let outcome = try CommandLineTool.run([row.command, "--json", "--", row.input])
      XCTAssertEqual(outcome.status, 1, row.input, line: row.line)
      XCTAssertEqual(outcome.errors, "", row.input, line: row.line)
      XCTAssertTrue(
        outcome.output.hasPrefix(#"{"error":{"code":"\#(row.code)","message":""#), outcome.output,
        line: row.line)
      XCTAssertTrue(
        outcome.output.hasSuffix(#"","offset":\#(row.offset)}}"# + "\n"), outcome.output,
        line: row.line)
      let error = try XCTUnwrap(
        try CommandLineTool.document(outcome.output)["error"] as? [String: Any])
      XCTAssertEqual(error.count, 3, row.input, line: row.line)
      XCTAssertEqual(error["offset"] as? Int, row.offset, row.input, line: row.line)
    }
  }

  func testWithoutJSONAnErrorGoesToStandardErrorAndMarksThePlace() throws {
    let outcome = try CommandLineTool.run(["encoding", "{P=dy}"])
    XCTAssertEqual(outcome.status, 1)
    XCTAssertEqual(outcome.output, "")
    XCTAssertEqual(
      outcome.errors,
      """
      hook-demo: unexpectedCharacter at byte 4: no type begins with this character
        {P=dy}
            ^

      """)
  }

  func testACallThatCannotBeMadeSaysWhatHelps() throws {
    let rows = [
      (["libm.so.6", "poww", "ddd", "2", "10"], "; nm -D lists the functions of a library\n"),
      (["-", "poww", "ddd", "2", "10"], "only if it is linked with -rdynamic"),
      (["-", "getenv", "*r*"], "argumentCount: *r* takes 1 argument, 0 are given\n"),
      (["-", "abs", "iii", "1"], "argumentCount: iii takes 2 arguments, 1 is given\n"),
      (
        ["-", "snprintf", "i*Qr*i", "null", "0", "%d", "3"],
        "argumentCount: snprintf is variadic: give --fixed 3, or \"fixed\":3 in a document, for its "
          + "declaration names 3 arguments\n"
      ),
      (
        ["-", "pow", "double, double", "2", "10"],
        "; an encoding has a code for each type, the result first: write dd for double, double\n"
      ),
    ]
    for (words, message) in rows {
      let outcome = try CommandLineTool.run(["call"] + words)
      XCTAssertEqual(outcome.status, 1, "\(words)")
      XCTAssertTrue(outcome.errors.contains(message), outcome.errors)
    }
  }

  func testAnErrorInOddTextShowsNoMark() throws {
    let outcome = try CommandLineTool.run(["signature", "v\u{1B}[2J"])
    XCTAssertEqual(outcome.status, 1)
    XCTAssertEqual(
      outcome.errors,
      "hook-demo: unexpectedCharacter at byte 1: no type begins with this character\n")
  }

  func testOutputThatCannotBeWrittenIsAFailure() throws {
    for arguments in [
      ["tour"], ["tour", "--json"], ["encoding", "i"], ["signature", "v", "--json"],
      ["call", "-", "abs", "ii", "5"], ["call", "--json", "-", "abs", "ii", "5"],
    ] {
      let full = try XCTUnwrap(FileHandle(forWritingAtPath: "/dev/full"))
      let outcome = try CommandLineTool.run(arguments, output: full)
      XCTAssertEqual(outcome.status, 1, "\(arguments)")
      XCTAssertTrue(outcome.errors.contains("standard output cannot be written"), outcome.errors)
    }
  }
}
#endif
