#if Everything
import Foundation
import TestSupport
import XCTest

/// A program that a test compiles and `hook-demo trace` runs.
struct TracedProgram {
  let path: String
  let files: CompiledFiles

  /// Compiles a program in C with blocks.
  init(_ test: XCTestCase, c source: String, _ options: [String] = []) throws {
    try XCTSkipIf(isSanitized, "programs without the sanitizer cannot load a library with it")
    files = try CompiledFiles(test)
    path = try Self.compile("program", options, source, files)
  }

  /// Compiles a library in C with blocks that the program may load.
  ///
  /// - Parameters:
  ///   - name: The name of its file.
  ///   - source: The C source.
  ///   - options: Options of the compiler.
  /// - Returns: The library's path.
  /// - Throws: `CompilerError`.
  func library(_ name: String, c source: String, _ options: [String] = ["-O1"]) throws -> String {
    try Self.compile(name, ["-shared", "-fPIC"] + options, source, files)
  }

  private static func compile(
    _ name: String, _ options: [String], _ source: String, _ files: CompiledFiles
  ) throws -> String {
    let tools = URL(fileURLWithPath: try Compiler().path).deletingLastPathComponent()
    let include = tools.deletingLastPathComponent().appendingPathComponent("lib/swift").path
    return try files.compile(
      name, ["-fblocks", "-I", include] + options, source: source,
      libraries: [
        "-L", "\(include)/linux", "-ldispatch", "-lBlocksRuntime", "-lpthread",
        "-Wl,-rpath,\(include)/linux",
      ])
  }

  /// Compiles a program in Swift.
  init(_ test: XCTestCase, swift source: String, _ options: [String] = ["-O"]) throws {
    try XCTSkipIf(isSanitized, "programs without the sanitizer cannot load a library with it")
    files = try CompiledFiles(test)
    let input = try files.write("main.swift", Array(source.utf8))
    path = "\(files.directory)/program"
    try Compiler("swiftc").run(options + ["-o", path, input])
  }

  /// Compiles a file of `Programs`: C, or Swift, whose first attribute may be `@main`.
  init(_ test: XCTestCase, file name: String, _ options: [String] = ["-O"]) throws {
    let source = try String(
      contentsOfFile: URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().appendingPathComponent("Programs/\(name)").path,
      encoding: .utf8)
    if name.hasSuffix(".c") {
      try self.init(test, c: source)
    } else {
      let isLibrary = source.contains("@main")
      try self.init(test, swift: source, options + (isLibrary ? ["-parse-as-library"] : []))
    }
  }

  /// Finds a program of this package, which is built with the tests.
  init(_ test: XCTestCase, target: String) throws {
    try XCTSkipIf(isSanitized, "sanitizers have functions of their own in libdispatch's place")
    files = try CompiledFiles(test)
    path = try CommandLineTool.url.deletingLastPathComponent().appendingPathComponent(target).path
  }

  /// The result of a traced run.
  struct Run {
    let outcome: CommandLineTool.Outcome
    let rows: [TracedRow]

    /// What the program counted, which it prints as its last line.
    var count: Int? { outcome.output.split(separator: "\n").last.flatMap { Int($0) } }

    func rows(named name: String) -> [TracedRow] { rows.filter { $0.name == name } }
  }

  /// Traces a run.
  ///
  /// - Parameters:
  ///   - options: Options of `hook-demo trace`.
  ///   - words: The program's arguments.
  ///   - wrapper: What runs `hook-demo`, which is its last word, instead of the test.
  /// - Returns: The result.
  /// - Throws: If the program cannot be run, or its calls not be read.
  func trace(
    _ options: [String] = [], _ words: [String] = [], under wrapper: [String] = []
  ) throws -> Run {
    let file = "\(files.directory)/\(UUID().uuidString).json"
    let outcome = try CommandLineTool.run(
      wrapper + ["trace", "--quiet", "--json", file] + options + ["--", path] + words,
      // Times that are computed from the processor's counter may differ from the program's by
      // microseconds.
      environment: ["BLOCKRUNTIME_TRACE_CLOCK": "system"],
      executable: wrapper.isEmpty ? nil : URL(fileURLWithPath: "/usr/bin/env"))
    return Run(outcome: outcome, rows: try TracedRow.rows(inFile: file))
  }

  /// Traces a run for what is written to standard error.
  ///
  /// - Parameters:
  ///   - options: Options of `hook-demo trace`.
  ///   - environment: Variables of `hook-demo`.
  ///   - isEnough: Of a program that hangs, whether the text is all that is awaited; `hook-demo` is
  ///     asked for what has not finished until then, or for 20 seconds, and then interrupted. Nil for
  ///     a program that ends.
  /// - Returns: The text.
  /// - Throws: If the program cannot be run.
  func errors(
    _ options: [String], environment: [String: String] = [:],
    until isEnough: ((String) -> Bool)? = nil
  ) throws -> String {
    let log = "\(files.directory)/errors.txt"
    try Data().write(to: URL(fileURLWithPath: log))
    let process = Process()
    process.executableURL = try CommandLineTool.url
    process.arguments = ["trace"] + options + ["--", path]
    // The stream's file shows that the program runs.
    process.environment = ProcessInfo.processInfo.environment.merging(
      ["TMPDIR": files.directory, "NO_COLOR": "1"]) { _, new in new
      }.merging(environment) { _, new in new }
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle(forWritingAtPath: log)
    let ended = DispatchSemaphore(value: 0)
    process.terminationHandler = { _ in ended.signal() }
    try process.run()
    let start = ContinuousClock.now
    while ended.wait(timeout: .now() + .milliseconds(50)) == .timedOut {
      guard ContinuousClock.now - start < .seconds(60) else {
        kill(process.processIdentifier, SIGKILL)
        continue
      }
      guard let isEnough else { continue }
      let text = try String(contentsOfFile: log, encoding: .utf8)
      if isEnough(text) || ContinuousClock.now - start > .seconds(20) {
        process.interrupt()
      } else if isRunning {
        kill(process.processIdentifier, SIGQUIT)
      }
    }
    return try String(contentsOfFile: log, encoding: .utf8)
  }

  /// Whether a stream is in the directory.
  private var isRunning: Bool {
    let names = FileManager.default.enumerator(atPath: files.directory)
    return names?.contains { ($0 as? String)?.hasSuffix(".trace") == true } == true
  }
}

extension String {
  /// The lines of standard error, but for the one that says that the machine has no symbolizer.
  var linesButOfSymbolizers: [Substring] {
    split(separator: "\n").filter { !$0.hasPrefix("hook-demo: no more files and lines: ") }
  }
}

/// A line of a trace's JSON file.
struct TracedRow: CustomStringConvertible {
  private let members: [String: Any]

  static func rows(inFile path: String) throws -> [TracedRow] {
    try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").map {
      TracedRow(members: try CommandLineTool.document(String($0)))
    }
  }

  /// A queue as one text: its label, whether it is serial, and its target.
  private func queue(_ member: String) -> String? {
    guard let queue = members[member] as? [String: Any] else { return nil }
    let label = queue["label"] as? String ?? "?"
    let kind = (queue["serial"] as? Bool).map { $0 ? "serial" : "concurrent" } ?? "unknown"
    return ([label, kind] + [queue["target"] as? String].compactMap(\.self)).joined(separator: " ")
  }

  private func number(_ member: String) -> UInt64? { (members[member] as? NSNumber)?.uint64Value }

  var description: String { "\(members)" }
  var isWait: Bool { members["kind"] as? String == "wait" }
  var name: String { members["name"] as? String ?? "?" }
  var shortName: String { members["shortName"] as? String ?? "?" }
  var image: String? { members["image"] as? String }
  /// The name of the file and the line where the code was written; nil if the row does not say that.
  var location: String? {
    guard let file = members["file"] as? String, let line = members["line"] as? Int else {
      return nil
    }
    return "\(file.split(separator: "/").last ?? ""):\(line)"
  }
  var queue: String? { queue("queue") }
  var sentTo: String? { queue("sentTo") }
  var enqueuedBy: String? { members["enqueuedBy"] as? String }
  var calledBy: String? { members["calledBy"] as? String }
  var arguments: [String] { members["arguments"] as? [String] ?? [] }
  var result: String? { members["result"] as? String }
  var stack: [String] { members["stack"] as? [String] ?? [] }
  var enqueued: UInt64? { number("enqueued") }
  var waited: UInt64? { number("waited") }
  var start: UInt64 { number("start") ?? 0 }
  var duration: UInt64 { number("duration") ?? 0 }
  var depth: Int { members["depth"] as? Int ?? 0 }
  var process: Int { members["process"] as? Int ?? 0 }
  var thread: Int { members["thread"] as? Int ?? 0 }
  var outcome: String { members["outcome"] as? String ?? "?" }
  var suspension: String? { members["suspension"] as? String }
  var hasStarted: Bool { outcome != "pending" && outcome != "cancelled" }

  /// The members of the Swift task; nil if the record has none.
  private var taskMembers: [String: Any]? { members["task"] as? [String: Any] }
  var task: Int? { taskMembers?["id"] as? Int }
  var parent: Int? { taskMembers?["parent"] as? Int }
  var taskName: String? { taskMembers?["name"] as? String }
  var priority: String? { taskMembers?["priority"] as? String }
  var createdBy: String? { taskMembers?["createdBy"] as? String }
}
#endif
