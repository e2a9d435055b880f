public import Foundation
private import XCTest

/// Runs the built `hook-demo`, which is in the directory of the test bundle.
public enum CommandLineTool {
  /// The result of a run.
  public struct Outcome {
    /// Its exit status.
    public let status: Int32

    /// What it wrote to standard output.
    public let output: String

    /// What it wrote to standard error.
    public let errors: String
  }

  /// The program's location.
  public static var url: URL {
    get throws {
      let own = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
      return URL(fileURLWithPath: own).deletingLastPathComponent()
        .appendingPathComponent("hook-demo")
    }
  }

  /// Runs a shell command in mount and user namespaces of its own; `$0` is the program.
  public static func run(inNamespace command: String) throws -> Outcome {
    try run(
      ["unshare", "-rm", "sh", "-c", command, url.path],
      executable: URL(fileURLWithPath: "/usr/bin/env"))
  }

  /// Runs the program, or another one, and waits for its end.
  public static func run(
    _ arguments: [String], environment: [String: String] = [:], output: FileHandle? = nil,
    executable: URL? = nil, input: String? = nil
  ) throws -> Outcome {
    let process = Process()
    process.executableURL = try executable ?? url
    process.arguments = arguments
    var variables = ProcessInfo.processInfo.environment
    for name in ["NO_COLOR", "TERM", "COLUMNS"] { variables[name] = nil }
    process.environment = variables.merging(environment) { _, new in new }
    let standardOutput = Pipe()
    let standardError = Pipe()
    let standardInput = Pipe()
    process.standardInput = FileHandle.nullDevice
    if let input {
      process.standardInput = standardInput
      // The tests' inputs fit into the pipe's buffer.
      try standardInput.fileHandleForWriting.write(contentsOf: Data(input.utf8))
      try standardInput.fileHandleForWriting.close()
    }
    process.standardOutput = output ?? standardOutput
    process.standardError = standardError
    try process.run()
    if output != nil { try standardOutput.fileHandleForWriting.close() }
    let text = standardOutput.fileHandleForReading.readDataToEndOfFile()
    let errors = standardError.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    XCTAssertEqual(process.terminationReason, .exit, "\(arguments) ended by a signal")
    return Outcome(
      status: process.terminationStatus, output: String(decoding: text, as: UTF8.self),
      errors: withoutEmulatorsLines(String(decoding: errors, as: UTF8.self)))
  }

  /// QEMU says of a program that a signal ended it.
  private static func withoutEmulatorsLines(_ text: String) -> String {
    guard isEmulated else { return text }
    return text.split(separator: "\n", omittingEmptySubsequences: false)
      .filter { !$0.hasPrefix("qemu: uncaught target signal") }.joined(separator: "\n")
  }

  /// Checks that a run succeeds, writes no errors, and prints exactly a text and a newline.
  public static func expect(
    _ arguments: [String], prints expected: String, file: StaticString = #filePath,
    line: UInt = #line
  ) throws {
    let outcome = try run(arguments)
    XCTAssertEqual(outcome.output, expected + "\n", "\(arguments)", file: file, line: line)
    XCTAssertEqual(outcome.errors, "", "\(arguments)", file: file, line: line)
    XCTAssertEqual(outcome.status, 0, "\(arguments)", file: file, line: line)
  }

  /// Parses a text with Foundation, which proves that it is exactly one JSON document.
  public static func document(_ text: String) throws -> [String: Any] {
    let value = try JSONSerialization.jsonObject(with: Data(text.utf8))
    return try XCTUnwrap(value as? [String: Any])
  }
}
