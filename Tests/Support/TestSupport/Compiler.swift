private import Foundation

/// A compiler of the toolchain, which tests run to make programs.
public struct Compiler {
  /// The compiler's path.
  public let path: String

  /// The options of every run, behind its others.
  public var options: [String] = []

  /// Finds a compiler in the directory of `swift`, as in a toolchain, or else on PATH.
  ///
  /// - Parameter name: The compiler's name.
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

  /// Runs the compiler.
  ///
  /// - Parameters:
  ///   - arguments: Its options and files.
  ///   - output: The path of a new file for what it prints; if not given, that is lost.
  /// - Throws: `CompilerError` with its messages.
  public func run(_ arguments: [String], output: String? = nil) throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: path)
    process.arguments = arguments + options
    let errors = Pipe()
    process.standardError = errors
    process.standardOutput = FileHandle.nullDevice
    if let output {
      _ = FileManager.default.createFile(atPath: output, contents: nil)
      process.standardOutput = FileHandle(forWritingAtPath: output) ?? FileHandle.nullDevice
    }
    process.standardInput = FileHandle.nullDevice
    try process.run()
    let text = errors.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      throw CompilerError(
        description: "\(path) fails: \(String(decoding: text.prefix(100_000), as: UTF8.self))")
    }
  }
}
