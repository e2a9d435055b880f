#if Everything
import Foundation
import TestSupport
import XCTest

/// A program that is traced, which does what it is asked by lines, while `hook-demo tell` is asked
/// of its trace.
final class ToldProgram {
  private let process = Process()
  private let input = Pipe()
  private let output = Pipe()
  private let log: URL
  private let ended = DispatchSemaphore(value: 0)
  private var rest: [UInt8] = []

  /// The process of the program, which it says first.
  private(set) var number = ""

  /// Where the trace writes its JSON documents.
  let json: String

  /// Starts a program.
  ///
  /// - Parameters:
  ///   - program: The program, whose first line is the number of its process.
  ///   - command: The tracing command and its options.
  ///   - words: The program's arguments.
  /// - Throws: If it cannot be run, or says nothing.
  init(
    _ program: TracedProgram, _ command: [String] = ["trace", "--quiet", "--start-idle"],
    _ words: [String] = []
  ) throws {
    let directory = URL(fileURLWithPath: program.path).deletingLastPathComponent()
    json = directory.appendingPathComponent("\(UUID().uuidString).json").path
    log = directory.appendingPathComponent("\(UUID().uuidString).txt")
    try Data().write(to: log)
    process.executableURL = try CommandLineTool.url
    process.arguments =
      [command[0], "--json", json] + command.dropFirst() + ["--", program.path] + words
    process.environment = ProcessInfo.processInfo.environment.merging(
      ["TMPDIR": directory.path, "NO_COLOR": "1"]) { _, new in new }
    process.standardInput = input
    process.standardOutput = output
    let errors = try FileHandle(forWritingTo: log)
    process.standardError = errors
    process.terminationHandler = { [ended] _ in ended.signal() }
    try process.run()
    try errors.close()
    try output.fileHandleForWriting.close()
    number = try line()
  }

  deinit {
    // The program ends with its input.
    try? input.fileHandleForWriting.close()
    try? output.fileHandleForReading.close()
  }

  /// The number of the tracing command's process.
  var command: Int32 { process.processIdentifier }

  /// What the tracing command has written to standard error.
  var errors: String { (try? String(contentsOf: log, encoding: .utf8)) ?? "" }

  /// Asks the program by a line, and returns the line that it answers.
  func ask(_ text: String) throws -> String {
    try input.fileHandleForWriting.write(contentsOf: Data("\(text)\n".utf8))
    return try line()
  }

  /// The next line of the program, which a minute is enough for.
  private func line() throws -> String {
    while true {
      if let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
        defer { rest = Array(rest[(end + 1)...]) }
        return String(decoding: rest[..<end], as: UTF8.self)
      }
      var awaited = pollfd(
        fd: output.fileHandleForReading.fileDescriptor, events: Int16(POLLIN), revents: 0)
      guard unsafe poll(&awaited, 1, 60_000) == 1 else { throw Silence(errors: errors) }
      let data = output.fileHandleForReading.availableData
      guard !data.isEmpty else { throw Silence(errors: errors) }
      rest += data
    }
  }

  /// The program does not answer.
  struct Silence: Error {
    let errors: String
  }

  /// Asks the trace.
  ///
  /// - Parameters:
  ///   - words: The request, and options.
  ///   - process: The process that stands for the trace; the program's if not given.
  /// - Returns: The answer.
  /// - Throws: If `hook-demo` cannot be run.
  func tell(_ words: String..., process: String? = nil) throws -> CommandLineTool.Outcome {
    try CommandLineTool.run(["tell", process ?? number] + words)
  }

  /// Asks the trace for a document.
  func document(
    _ verb: String, file: StaticString = #filePath, line: UInt = #line
  ) throws
    -> [String: Any]
  {
    let outcome = try tell(verb, "--json")
    XCTAssertEqual(outcome.status, 0, outcome.output + outcome.errors, file: file, line: line)
    return try CommandLineTool.document(outcome.output)
  }

  /// Ends the program's input, and returns the tracing command's exit status.
  func end() throws -> Int32 {
    try input.fileHandleForWriting.close()
    return try waitForEnd()
  }

  /// Waits for the tracing command's end, and returns its exit status.
  func waitForEnd() throws -> Int32 {
    guard ended.wait(timeout: .now() + 60) == .success else { throw Silence(errors: errors) }
    return process.terminationStatus
  }

  /// The calls that were traced; the trace has ended.
  func rows() throws -> [TracedRow] { try TracedRow.rows(inFile: json) }
}
#endif
