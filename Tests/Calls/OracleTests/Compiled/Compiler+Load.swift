import Foundation
import TestSupport

extension Compiler {
  /// Compiles source as Objective-C, whose encodings place bit-fields, and loads the result.
  ///
  /// - Parameter source: The source; `-fblocks` is on and warnings are off.
  /// - Returns: The library, which stays loaded.
  /// - Throws: `CompilerError` with what clang or the loader says.
  func load(_ source: String) throws -> CompiledLibrary {
    let directory = FileManager.default.temporaryDirectory
      .appendingPathComponent("oracle-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: directory) }
    let input = directory.appendingPathComponent("oracle.m")
    let output = directory.appendingPathComponent("oracle.so")
    try Data(source.utf8).write(to: input)
    try run([
      "-x", "objective-c", "-fobjc-runtime=gcc", "-fblocks", "-std=gnu2x", "-w", "-O0", "-fPIC",
      "-shared", "-o", output.path, input.path,
    ])
    return try CompiledLibrary(path: output.path)
  }
}
