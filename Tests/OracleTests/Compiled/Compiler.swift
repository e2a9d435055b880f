import Foundation

/// The toolchain's clang, which makes shared libraries of C source at test time.
struct Compiler {
  let path: String

  /// Finds clang beside `swift`, as a toolchain has it, or else on PATH.
  ///
  /// - Throws: `CompilerError` if there is none.
  init() throws {
    let directories = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
    func find(_ name: String) -> String? {
      directories.map { "\($0)/\(name)" }.first(where: FileManager.default.isExecutableFile)
    }
    if let swift = find("swift") {
      let resolved = URL(fileURLWithPath: swift).resolvingSymlinksInPath()
      let beside = resolved.deletingLastPathComponent().appendingPathComponent("clang").path
      if FileManager.default.isExecutableFile(atPath: beside) {
        path = beside
        return
      }
    }
    guard let found = find("clang") else {
      throw CompilerError(
        description: "the oracles need clang: there is none beside swift and none on PATH; "
          + "put the toolchain's usr/bin on PATH")
    }
    path = found
  }

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

  private func run(_ arguments: [String]) throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: path)
    process.arguments = arguments
    let errors = Pipe()
    process.standardError = errors
    process.standardOutput = FileHandle.nullDevice
    process.standardInput = FileHandle.nullDevice
    try process.run()
    let text = errors.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      throw CompilerError(
        description: "\(path) fails: \(String(decoding: text.prefix(4_000), as: UTF8.self))")
    }
  }
}
