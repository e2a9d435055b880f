import Foundation
import XCTest

/// A debugger that may run programs here.
public struct Debugger {
  private let path: String
  private let options: [String]

  /// gdb.
  ///
  /// - Throws: `XCTSkip` if there is none that may run programs.
  public static func gdb() throws -> Debugger {
    try Debugger(
      "gdb", options: ["-batch", "-nx", "-ex", "set debuginfod enabled off"],
      trial: ["-ex", "python print('it has Python')", "-ex", "run", "--args", "/bin/true"],
      ending: "exited normally")
  }

  /// lldb.
  ///
  /// - Throws: `XCTSkip` if there is none that starts, has Python, and may run programs.
  public static func lldb() throws -> Debugger {
    try Debugger(
      "lldb", options: ["--no-lldbinit", "-b"],
      trial: ["-o", "script print('it has Python')", "-o", "run", "--", "/bin/true"],
      ending: "exited with status = 0")
  }

  /// Finds a debugger on PATH that runs a program to its end.
  private init(_ name: String, options: [String], trial: [String], ending: String) throws {
    try XCTSkipIf(isSanitized, "sanitizers keep debuggers out")
    self.options = options
    let directories = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
    for candidate in directories.map({ "\($0)/\(name)" })
    where FileManager.default.isExecutableFile(atPath: candidate) {
      let output = try Self.run(candidate, options + trial)
      if output.contains(ending), output.contains("\nit has Python\n") {
        path = candidate
        return
      }
    }
    throw XCTSkip("there is no \(name) that may run programs; Scripts/test --debuggers installs it")
  }

  /// Runs the debugger.
  ///
  /// - Parameter arguments: What follows the options that all runs have.
  /// - Returns: What it printed, with what the program printed.
  /// - Throws: What the system says.
  public func run(_ arguments: [String]) throws -> String {
    try Self.run(path, options + arguments)
  }

  private static func run(_ path: String, _ arguments: [String]) throws -> String {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["timeout", "--kill-after=10", "300", path] + arguments
    // Swift would catch the signal first; the shared code of blocks belongs to the plans.
    process.environment = ProcessInfo.processInfo.environment.merging(
      ["BLOCKRUNTIME_ENGINE": "plans", "SWIFT_BACKTRACE": "enable=no"]) { $1 }
    let output = Pipe()
    process.standardOutput = output
    process.standardError = output
    process.standardInput = FileHandle.nullDevice
    try process.run()
    let text = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    // lldb runs programs in a terminal, which ends lines its own way.
    return "\n" + String(decoding: text, as: UTF8.self).replacingOccurrences(of: "\r\n", with: "\n")
  }
}
