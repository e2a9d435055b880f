#if Everything
import Foundation
import TestSupport
import XCTest

/// The words of `hook-demo call`: options, the library, values.
final class CallWordTests: XCTestCase {
  func testTheResultIsPrintedForAPerson() throws {
    try CommandLineTool.expect(["call", "libm.so.6", "pow", "ddd", "2", "10"], prints: "1024")
    try CommandLineTool.expect(["call", "-", "abs", "ii", "-5"], prints: "5")
    try CommandLineTool.expect(["call", "--", "-", "abs", "ii", "-5"], prints: "5")
    try CommandLineTool.expect(["call", "-", "strdup", "*r*", "two words"], prints: "two words")
    try CommandLineTool.expect(["call", "-", "strdup", "*r*", "\u{1B}[2J"], prints: "\\u{1b}[2J")
    try CommandLineTool.expect(
      ["call", "libm.so.6", "frexp", "dd^i", "10", #"{"buffer":[0]}"#],
      prints: "0.625\nargument 1: [4]")
    let nothing = try CommandLineTool.run(["call", "-", "free", "v^v", "null"])
    XCTAssertEqual(nothing.output + nothing.errors, "")
  }

  func testBothEnginesGiveTheSame() throws {
    for engine in ["plans", "libffi"] {
      let words = ["call", "--engine", engine, "libm.so.6", "pow", "ddd", "2", "10"]
      try CommandLineTool.expect(words, prints: "1024")
      XCTAssertEqual(try CommandLineTool.run(["tour", "--engine", engine, "--json"]).status, 0)
    }
    let unknown = try CommandLineTool.run(["call", "--engine", "fast", "-", "abs", "ii", "-5"])
    XCTAssertEqual(unknown.status, 64)
    XCTAssert(unknown.errors.contains("use plans or libffi"), unknown.errors)
  }

  func testWithJSONTheResultIsADocument() throws {
    try CommandLineTool.expect(
      ["call", "--json", "libm.so.6", "pow", "ddd", "2", "10"],
      prints: #"{"result":1024,"outputs":[null,null]}"#)
  }

  func testTheReasonOfAFailureIsNamed() throws {
    try CommandLineTool.expect(["call", "-", "chdir", "ir*", "/not/there"], prints: "-1 (ENOENT)")
    try CommandLineTool.expect(
      ["call", "--json", "-", "chdir", "ir*", "/not/there"],
      prints: #"{"result":-1,"outputs":[null],"errno":"ENOENT"}"#)
    try CommandLineTool.expect(
      ["call", "-", "fopen", "^vr*r*", "/not/there", "r"], prints: "null (ENOENT)")
    try CommandLineTool.expect(
      ["call", "-", "mmap", "^v^vQiiiq", "null", "0", "0", "0", "0", "0"],
      prints: "0xffffffffffffffff (EINVAL)")
    // abs sets nothing, and strtol's answer is no failure.
    try CommandLineTool.expect(["call", "-", "abs", "ii", "-1"], prints: "1")
    try CommandLineTool.expect(
      ["call", "--json", "-", "strtol", "qr*^vi", #""99999999999999999999""#, "null", "10"],
      prints: #"{"result":"9223372036854775807","outputs":[null,null,null],"errno":"ERANGE"}"#)
  }

  func testEveryWordBehindTheLibraryIsAValue() throws {
    for word in ["--json", "--help", "-h", "--", "--fixed", "--batch", "-", "--version"] {
      try CommandLineTool.expect(["call", "-", "strdup", "*r*", word], prints: word)
    }
    try CommandLineTool.expect(
      ["call", "--json", "-", "strdup", "*r*", "--json"],
      prints: #"{"result":"--json","outputs":[null]}"#)
  }

  func testOptionsMayBeWrittenWithAnEqualsSign() throws {
    try CommandLineTool.expect(
      ["call", "--fixed=3", "--json", "-", "snprintf", "i*Qr*", "null", "0", "abc"],
      prints: #"{"result":3,"outputs":[null,null,null]}"#)
  }

  func testAWordThatIsJSONIsJSON() throws {
    try CommandLineTool.expect(["call", "-", "strlen", "Qr*", #""a\n\u00e9""#], prints: "4")
    try CommandLineTool.expect(["call", "-", "strlen", "Qr*", ""], prints: "0")
    try CommandLineTool.expect(["call", "-", "strlen", "Qr*", "[1"], prints: "2")
    for word in ["5", "true", "[1]", "{}"] {
      let outcome = try CommandLineTool.run(["call", "-", "strlen", "Qr*", word])
      XCTAssertEqual(outcome.status, 1, word)
      XCTAssertTrue(outcome.errors.hasPrefix("hook-demo: typeMismatch: argument 0: a string"), word)
    }
  }

  func testAWordThatIsNoTextIsPassedByteByByte() throws {
    let shell = URL(fileURLWithPath: "/bin/sh")
    let script = #""$0" call --json - strdup '*r*' "$(printf '\377\001')""#
    let outcome = try CommandLineTool.run(
      ["-c", script, CommandLineTool.url.path], executable: shell)
    XCTAssertEqual(outcome.output, #"{"result":{"bytes":"ff01"},"outputs":[null]}"# + "\n")
  }

  func testARefusedWordMarksThePlace() throws {
    let outcome = try CommandLineTool.run(["call", "-", "abs", "ii", "0x10"])
    XCTAssertEqual(outcome.status, 1)
    XCTAssertEqual(outcome.output, "")
    XCTAssertTrue(outcome.errors.hasPrefix("hook-demo: malformedJSON at byte 1: argument 0: "))
    XCTAssertTrue(outcome.errors.hasSuffix("\n  0x10\n   ^\n"), outcome.errors)
  }

  func testABatchTakesNoWords() throws {
    for words in [["--batch", "-", "-"], ["--fixed", "1", "--batch", "-"]] {
      XCTAssertEqual(try CommandLineTool.run(["call"] + words).status, 64, "\(words)")
    }
  }

  func testEveryExampleOfTheHelpRuns() throws {
    let help = try CommandLineTool.run(["call", "--help"]).output
    let examples = help.split(separator: "\n").filter { $0.hasPrefix("  hook-demo call ") }
    XCTAssertEqual(examples.count, 9)
    for example in examples where !example.contains("--batch") {
      let command = example.dropFirst("  hook-demo ".count).prefix { $0 != "\t" }
      // What follows two spaces says what happens.
      let words = String(command).components(separatedBy: "   ")[0]
      let outcome = try CommandLineTool.run(
        ["-c", #""$0" "# + words, CommandLineTool.url.path],
        executable: URL(fileURLWithPath: "/bin/sh"))
      XCTAssertEqual(outcome.status, words.contains("exit") ? 1 : 0, "\(example)")
    }
  }

  func testTheWorkerIsNotForUsers() throws {
    XCTAssertFalse(try CommandLineTool.run(["--help"]).output.contains("call-worker"))
    XCTAssertEqual(
      try CommandLineTool.run(["call-worker", "0", "1", "1", "3", "4"]).status, 64)
  }

  func testADeclarationHasTheNameAndTheSignature() throws {
    let pow = "double pow(double, double)"
    let cases = [
      (["libm.so.6", pow, "2", "10"], 0, "1024\n"), (["-", "int abs(int)", "-5"], 0, "5\n"),
      (["-", "int getpid(int", "1"], 1, "unexpectedEnd"),
      (["-", "duble pow(double)", "1"], 1, "double"),
    ]
    for (words, status, text) in cases {
      let outcome = try CommandLineTool.run(["call"] + words)
      XCTAssertEqual(Int(outcome.status), status, "\(words): \(outcome.errors)")
      XCTAssertTrue((outcome.output + outcome.errors).contains(text), "\(words): \(outcome.errors)")
    }
    let line = #"{"library":"libm.so.6","symbol":"\#(pow)","arguments":[2,3]}"#
    let batch = try CommandLineTool.run(
      ["-c", #"echo "$1" | "$0" call --batch -"#, CommandLineTool.url.path, line],
      executable: URL(fileURLWithPath: "/bin/sh"))
    XCTAssertEqual(batch.output, #"{"result":8,"outputs":[null,null]}"# + "\n")
    let explained = try CommandLineTool.run(["signature", "int (^)(int, double)"])
    XCTAssertTrue(explained.output.contains("i@?id"), explained.output + explained.errors)
  }
}
#endif
