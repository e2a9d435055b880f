private import Foundation

/// A compiler of the toolchain, which makes programs at test time.
public struct Compiler {
  /// Where it is.
  public let path: String

  /// Finds a compiler beside `swift`, as a toolchain has it, or else on PATH.
  ///
  /// - Parameter name: Its name.
  /// - Throws: `CompilerError` if there is none.
  public init(_ name: String = "clang") throws {
    let directories = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
    func find(_ name: String) -> String? {
      directories.map { "\($0)/\(name)" }.first(where: FileManager.default.isExecutableFile)
    }
    if let swift = find("swift") {
      let resolved = URL(fileURLWithPath: swift).resolvingSymlinksInPath()
      let beside = resolved.deletingLastPathComponent().appendingPathComponent(name).path
      if FileManager.default.isExecutableFile(atPath: beside) {
        path = beside
        return
      }
    }
    guard let found = find(name) else {
      throw CompilerError(
        description: "the tests need \(name): there is none beside swift and none on PATH; "
          + "put the toolchain's usr/bin on PATH")
    }
    path = found
  }

  /// Runs it.
  ///
  /// - Parameter arguments: Its options and files.
  /// - Throws: `CompilerError` with what it says.
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
