#if Macros
import Foundation

/// A command that has ended.
struct Command {
  let status: Int32
  let output: String

  /// Runs a command and waits for its end.
  ///
  /// - Throws: `ReloadFailure` if there is no such command.
  init(_ name: String, _ arguments: [String]) throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: name.contains("/") ? name : "/usr/bin/env")
    process.arguments = name.contains("/") ? arguments : [name] + arguments
    let pipe = Pipe()
    process.standardOutput = pipe
    process.standardError = pipe
    do { try process.run() } catch {
      throw ReloadFailure(message: "reload: \(name) cannot be started: \(error)")
    }
    output = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    status = process.terminationStatus
  }
}
#endif
