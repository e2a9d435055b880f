private import Foundation

/// The toolchain's clang, which compiles C source at test time.
public struct Compiler {
  /// Where it is.
  public let path: String

  /// Finds clang beside `swift`, as a toolchain has it, or else on PATH.
  ///
  /// - Throws: `CompilerError` if there is none.
  public init() throws {
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
        description: "the tests need clang: there is none beside swift and none on PATH; "
          + "put the toolchain's usr/bin on PATH")
    }
    path = found
  }

  /// Runs clang.
  ///
  /// - Parameter arguments: Its options and files.
  /// - Throws: `CompilerError` with what clang says.
  public func run(_ arguments: [String]) throws {
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
