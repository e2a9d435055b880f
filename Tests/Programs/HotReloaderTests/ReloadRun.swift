#if Macros
import Foundation
import XCTest

/// `hot-reload` with a program of a package in a folder of its own.
final class ReloadRun {
  let input = Pipe()
  private let (output, messages) = (Pipe(), Pipe())
  private let process = Process()
  private let directory = FileManager.default.temporaryDirectory
    .appendingPathComponent("reloaded-\(UUID().uuidString)")

  /// Writes the package's files, and starts a program of it.
  init(_ files: [String: String], _ arguments: String...) throws {
    for (file, text) in files { try write(text, file) }
    process.executableURL = URL(fileURLWithPath: CommandLine.arguments[0])
      .resolvingSymlinksInPath().deletingLastPathComponent().appendingPathComponent("hot-reload")
    process.arguments = ["--package", directory.path, "--"] + arguments
    (process.standardInput, process.standardOutput, process.standardError) = (
      input, output, messages
    )
    try process.run()
    XCTAssertTrue(try message().hasPrefix("reload: building"))
    XCTAssertEqual(
      try message(), "reload: watching \(files.keys.filter { $0.contains("/") }.count) files")
  }

  func write(_ text: String, _ file: String) throws {
    let url = directory.appendingPathComponent(file)
    try FileManager.default.createDirectory(
      at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    try text.write(to: url, atomically: true, encoding: .utf8)
  }

  func remove(_ file: String) throws {
    try FileManager.default.removeItem(at: directory.appendingPathComponent(file))
  }

  /// Waits for the next line that the reload says.
  func message() throws -> String { try line(of: messages) }

  /// Waits for the next line that the program prints.
  func line() throws -> String { try line(of: output) }

  private func line(of pipe: Pipe) throws -> String {
    var bytes: [UInt8] = []
    while let byte = try pipe.fileHandleForReading.read(upToCount: 1)?.first {
      if byte == UInt8(ascii: "\n") { return String(decoding: bytes, as: UTF8.self) }
      bytes.append(byte)
    }
    throw CocoaError(.fileReadUnknown)
  }

  /// Ends the program by the end of its input.
  func end() {
    defer { try? FileManager.default.removeItem(at: directory) }
    guard process.processIdentifier != 0 else { return }
    try? input.fileHandleForWriting.close()
    process.waitUntilExit()
    XCTAssertEqual(process.terminationStatus, 0)
  }
}
#endif
