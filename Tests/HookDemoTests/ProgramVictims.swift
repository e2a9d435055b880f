import Foundation
import TestSupport
import XCTest

/// Programs that a test makes, in a directory that is gone when it is over.
struct ProgramVictims {
  let directory: String

  /// Creates the directory.
  init(_ test: XCTestCase) throws {
    let place = NSTemporaryDirectory() + "programs-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
    test.addTeardownBlock { try? FileManager.default.removeItem(atPath: place) }
    directory = place
  }

  /// Compiles a program of C, which does nothing if no source is given.
  func compile(
    _ name: String = "victim", _ options: [String] = [],
    source: String = "int main(void) { return 0; }"
  ) throws -> String {
    let input = "\(directory)/\(name).c"
    try source.write(toFile: input, atomically: true, encoding: .utf8)
    try Compiler().run(["-o", "\(directory)/\(name)"] + options + [input])
    return "\(directory)/\(name)"
  }

  /// Writes a file.
  func write(_ name: String, _ content: some Collection<UInt8>, mode: Int = 0o755) throws -> String
  {
    let path = "\(directory)/\(name)"
    try Data(content).write(to: URL(fileURLWithPath: path))
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
    return path
  }
}
