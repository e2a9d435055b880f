#if Everything
import Foundation
import TestSupport
import XCTest

final class TourTests: XCTestCase {
  private static let names = [
    "describe", "call", "hello-world", "print-arguments", "change-argument-and-result", "remove",
    "global-block", "heap-block", "struct-result", "string-and-nested-block", "dispatch-queue",
    "dispatch-block-create", "restored",
  ]

  func testTheTourIsOneJSONDocumentWhoseStepsAllBehave() throws {
    let outcome = try CommandLineTool.run(["tour", "--json"])
    XCTAssertEqual(outcome.status, 0)
    XCTAssertEqual(outcome.errors, "")
    XCTAssertTrue(
      outcome.output.hasPrefix(#"{"steps":[{"name":"describe","ok":true,"log":[""#), outcome.output)
    XCTAssertTrue(outcome.output.hasSuffix("]}],\"ok\":true}\n"), outcome.output)
    XCTAssertEqual(outcome.output.filter { $0 == "\n" }.count, 1)
    let document = try CommandLineTool.document(outcome.output)
    XCTAssertEqual(document["ok"] as? Bool, true)
    let steps = try XCTUnwrap(document["steps"] as? [[String: Any]])
    XCTAssertEqual(steps.map { $0["name"] as? String }, Self.names)
    for step in steps { XCTAssertEqual(step["ok"] as? Bool, true) }
  }

  func testTheLogsSayWhatTheBlocksDid() throws {
    let logs = try logs()
    XCTAssertEqual(
      logs["hello-world"],
      [
        "Hello world", #"✓ add(3, 4.5) said = ["Hello world"]"#,
        "✓ add(3, 4.5) did not run: its result = 0", "✓ after removal add(3, 4.5) = 7",
      ])
    XCTAssertEqual(
      logs["print-arguments"],
      [
        "add: i32 3, double 4.5", "add: → i32 7",
        #"✓ add(3, 4.5) said = ["add: i32 3, double 4.5", "add: → i32 7"]"#,
        "✓ and ran = 7",
      ])
    XCTAssertEqual(
      logs["change-argument-and-result"],
      [
        "argument 1: 3 → 30", "result: 34 → -34", "✓ add(3, 4.5) = -34", "argument 1: 0 → 0",
        "result: 1 → -1", "✓ add(0, 1) = -1",
      ])
    XCTAssertEqual(
      logs["global-block"]?.filter { !$0.hasPrefix("✓") }, ["sum(i32 20, i32 22) = i32 42"])
    XCTAssertEqual(
      logs["heap-block"]?.filter { !$0.hasPrefix("✓") },
      ["scale: i32 14", "scale: → i32 42", "before", "death"])
    XCTAssertEqual(
      logs["dispatch-queue"]?.filter { !$0.hasPrefix("✓") },
      ["Hello world", "Hello world", "the work itself"])
  }

  func testTheTourDescribesBlocksByTheirEncodings() throws {
    let log = try logs()["describe"] ?? []
    XCTAssertTrue(log[0].hasPrefix("Swift closure: heap block, i20@?0i8d12"), log[0])
    XCTAssertTrue(log[1].hasPrefix("C global: global block, i16@?0i8i12"), log[1])
    XCTAssertTrue(log[2].hasPrefix("C heap: heap block, i12@?0i8"), log[2])
    XCTAssertTrue(
      log[3].hasPrefix("C struct result: heap block, {CDemoRect=dddd}24@?0d8d16"), log[3])
    XCTAssertTrue(log[4].hasPrefix("C string and block: global block, i24@?0r*8@?16"), log[4])
  }

  func testWithoutASubcommandTheTourRuns() throws {
    let outcome = try CommandLineTool.run([])
    XCTAssertEqual(outcome.status, 0)
    XCTAssertEqual(outcome.errors, "")
    let lines = outcome.output.split(separator: "\n", omittingEmptySubsequences: false)
    XCTAssertEqual(lines.first, "BlockRuntime: real blocks, read, called and hooked")
    XCTAssertTrue(lines.contains(" 3. A block prints \"Hello world\" instead of running"))
    XCTAssertTrue(lines.contains("    let hook = try block.hook { _ in print(\"Hello world\") }"))
    XCTAssertTrue(lines.contains("    │ Hello world"))
    XCTAssertTrue(outcome.output.hasSuffix("\n✓ all 13 steps behaved\n"), outcome.output)
    XCTAssertFalse(outcome.output.contains("✗"))
    XCTAssertEqual(
      try CommandLineTool.run(["--json"]).output.prefix(20), #"{"steps":[{"name":"d"#)
  }

  func testEveryStepIsNumberedInOrder() throws {
    let output = try CommandLineTool.run(["tour"]).output
    let numbers = output.split(separator: "\n").compactMap { line in
      line.prefix(4).hasSuffix(". ") ? Int(line.prefix(2).filter { $0 != " " }) : nil
    }
    XCTAssertEqual(numbers, Array(1...Self.names.count))
  }

  /// Without its list of mappings the process cannot open protected pages, so some steps fail.
  func testAStepThatDoesNotBehaveFailsTheTour() throws {
    try XCTSkipIf(isSanitized, "sanitizers read that list themselves")
    let probe = try CommandLineTool.run(inNamespace: "mount --bind /dev/null /proc/$$/maps")
    try XCTSkipIf(probe.status != 0, "the system allows no user namespaces: \(probe.errors)")
    let outcome = try CommandLineTool.run(
      inNamespace: "mount --bind /dev/null /proc/$$/maps && exec \"$0\"")
    XCTAssertEqual(outcome.status, 1)
    XCTAssertEqual(outcome.errors, "")
    XCTAssertTrue(outcome.output.contains("\n    ✗ protectedMemory: "), outcome.output)
    XCTAssertTrue(
      outcome.output.hasSuffix(
        "\n✗ 3 of 13 steps did not behave: "
          + "global-block, string-and-nested-block, dispatch-block-create\n"), outcome.output)
  }

  private func logs() throws -> [String: [String]] {
    let document = try CommandLineTool.document(
      try CommandLineTool.run(["tour", "--json"]).output)
    let steps = try XCTUnwrap(document["steps"] as? [[String: Any]])
    return steps.reduce(into: [:]) { logs, step in
      logs[step["name"] as? String ?? ""] = step["log"] as? [String]
    }
  }
}
#endif
