private import Foundation
public import XCTest

/// Programs, libraries and other files that a test makes, in a directory that is removed after the
/// test.
public struct CompiledFiles {
  /// The directory.
  public let directory: String

  /// Creates the directory.
  ///
  /// - Parameter test: The test, after which the directory is removed.
  /// - Throws: Errors of the file system.
  public init(_ test: XCTestCase) throws {
    let place = NSTemporaryDirectory() + "compiled-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
    test.addTeardownBlock { try? FileManager.default.removeItem(atPath: place) }
    directory = place
  }

  /// Compiles a C program, which does nothing if no source is given.
  ///
  /// - Parameters:
  ///   - name: The file's name.
  ///   - options: Options for clang.
  ///   - source: The C source.
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
  /// - Throws: Errors of the file system.
  public func write(
    _ name: String, _ content: some Collection<UInt8>, mode: Int = 0o755
  ) throws -> String {
    let path = "\(directory)/\(name)"
    try Data(content).write(to: URL(fileURLWithPath: path))
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
    return path
  }
}
