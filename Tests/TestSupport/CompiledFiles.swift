private import Foundation
public import XCTest

/// Programs, libraries and other files that a test makes, in a directory that is gone when it is over.
public struct CompiledFiles {
  /// The directory.
  public let directory: String

  /// Creates the directory.
  ///
  /// - Parameter test: When it is over, the directory goes.
  /// - Throws: What the file system does.
  public init(_ test: XCTestCase) throws {
    let place = NSTemporaryDirectory() + "compiled-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
    test.addTeardownBlock { try? FileManager.default.removeItem(atPath: place) }
    directory = place
  }

  /// Compiles a program of C, which does nothing if no source is given.
  ///
  /// - Parameters:
  ///   - name: The file's name.
  ///   - options: Options for clang.
  ///   - source: The text in C.
  ///   - libraries: Options that follow the source.
  /// - Returns: The file's path.
  /// - Throws: `CompilerError`.
  public func compile(
    _ name: String = "victim", _ options: [String] = [],
    source: String = "int main(void) { return 0; }", libraries: [String] = []
  ) throws -> String {
    let input = "\(directory)/\(name).c"
    try source.write(toFile: input, atomically: true, encoding: .utf8)
    try Compiler().run(["-o", "\(directory)/\(name)"] + options + [input] + libraries)
    return "\(directory)/\(name)"
  }

  /// Writes a file.
  ///
  /// - Parameters:
  ///   - name: Its name.
  ///   - content: Its bytes.
  ///   - mode: Its permissions.
  /// - Returns: Its path.
  /// - Throws: What the file system does.
  public func write(
    _ name: String, _ content: some Collection<UInt8>, mode: Int = 0o755
  ) throws -> String {
    let path = "\(directory)/\(name)"
    try Data(content).write(to: URL(fileURLWithPath: path))
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
    return path
  }
}
