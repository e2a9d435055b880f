#if Everything
import Foundation
import TestSupport

/// The modules of the running build, as a program that uses the package finds them.
struct BuiltModules {
  /// What `swiftc` and `swift-symbolgraph-extract` need to import them.
  let searchOptions: [String]

  /// The platform's name, which no tool but `swiftc` finds by itself.
  let target: String

  /// The build's directory, and the name of its tests.
  private let directory: URL
  private let tests: String

  /// Finds the build that the tests belong to.
  init() {
    let bundle = URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath()
    directory = bundle.deletingLastPathComponent()
    tests = bundle.deletingPathExtension().lastPathComponent
    // Builds lie in `<target>/debug` and `<target>/release`.
    target = directory.deletingLastPathComponent().lastPathComponent
    searchOptions =
      ["-I", directory.appendingPathComponent("Modules").path] + PackageFiles.optionsForModulesInC
  }

  /// Links all libraries into one object file.
  ///
  /// Programs are linked with it in a moment, and get all of it, as from the package.
  ///
  /// - Parameter files: Where the object file lies.
  /// - Returns: Its path.
  /// - Throws: What the file system does; `CompilerError`.
  func linkLibraries(in files: CompiledFiles) throws -> String {
    // The linker's own list: folders may hold objects of sources that are gone.
    let lists = try [tests, "ObservationProbe"].map { product in
      try String(
        contentsOf: directory.appendingPathComponent("\(product).product/Objects.LinkFileList"),
        encoding: .utf8)
    }
    let own =
      Sources.documentedModules + Sources.modulesInC + [
        "BlockRuntimeThreads", "BlockRuntimeSuggestions", "AutoreleasedResults",
        // Of other packages what only documents use.
        "Tracing", "InMemoryTracing", "MetricsTestKit",
      ]
    let lines = Set(lists.joined(separator: "\n").split(separator: "\n")).map(String.init).sorted()
    let libraries = lines.filter { line in own.contains { line.contains("/\($0).build/") } }
    // Of the other packages what is used.
    let others = lines.filter { line in
      line.contains(".build/") && !libraries.contains(line) && !line.contains("Tests.build/")
    }
    let arguments = libraries + ["-Wl,--start-lib"] + others + ["-Wl,--end-lib"]
    let response = try files.write(
      "objects.txt", Array(arguments.joined(separator: "\n").utf8), mode: 0o644)
    let object = "\(files.directory)/Libraries.o"
    try Compiler().run(
      ["-r", "-nostdlib", "-fuse-ld=lld", "-Wl,-S", "@\(response)", "-o", object])
    return object
  }

  /// Type-checks files of Swift as one module.
  ///
  /// - Parameter files: Their paths.
  /// - Throws: `CompilerError`.
  func check(_ files: [String]) throws {
    try Compiler("swiftc").run(
      ["-typecheck", "-wmo", "-swift-version", "6", "-suppress-warnings"] + searchOptions + files)
  }

  /// Compiles a program and runs it.
  ///
  /// - Parameters:
  ///   - file: Its `main.swift`; the program lies beside it.
  ///   - libraries: What `linkLibraries(in:)` made.
  /// - Returns: What it prints to standard output.
  /// - Throws: `CompilerError`, also for a program that fails or does not end within a minute.
  func run(_ file: String, with libraries: String) throws -> String {
    let program = file + ".program"
    try Compiler("swiftc").run(
      [
        "-swift-version", "6", "-suppress-warnings", "-use-ld=lld", "-module-name", "main", "-o",
        program,
      ]
        + searchOptions + [file, libraries, "-lffi"])
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["timeout", "60", program]
    process.currentDirectoryURL = URL(fileURLWithPath: file).deletingLastPathComponent()
    process.standardInput = FileHandle.nullDevice
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let text = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    let printed = String(decoding: text, as: UTF8.self)
    guard process.terminationStatus == 0 else {
      throw CompilerError(
        description:
          "the program ends with \(process.terminationStatus), having printed:\n\(printed)")
    }
    return printed
  }
}
#endif
