#if Macros
import Foundation
import TestSupport
import XCTest

/// The files of a program.
struct Program {
  private let files: [String]
  private let options: [String]

  init(_ test: XCTestCase, _ sources: [String]) throws {
    let directory = try CompiledFiles(test)
    files = try sources.enumerated().map { index, source in
      try directory.write("file\(index).swift", Array(source.utf8))
    }
    let bundle = URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath()
    let build = bundle.deletingLastPathComponent().path
    let plugin = "\(build)/MessageMacrosPlugin-tool"
    guard FileManager.default.fileExists(atPath: plugin) else {
      throw XCTSkip("the macros' plugin was built for another processor")
    }
    options =
      [
        "-module-name", "Program", "-I", "\(build)/Modules", "-load-plugin-executable",
        "\(plugin)#MessageMacrosPlugin",
      ]
      + PackageFiles.optionsForModulesInC
  }

  /// Compiles the files in an order, each by itself if no option says otherwise.
  func check(_ order: [Int], _ more: [String] = [], kind: String = "-typecheck") throws {
    let version = more.contains("-swift-version") ? [] : ["-swift-version", "6"]
    let output = kind == "-c" ? ["-o", files[0] + ".o"] : []
    try Compiler("swiftc").run([kind] + version + options + more + output + order.map { files[$0] })
  }

  /// Compiles one file, as an incremental build does that was edited alone.
  func check(_ order: [Int], primary: Int) throws {
    try Compiler("swiftc").run(
      ["-frontend", "-typecheck", "-swift-version", "6"] + options
        + order.flatMap { $0 == primary ? ["-primary-file", files[$0]] : [files[$0]] })
  }
}
#endif
