#if Macros
import Foundation

/// A package that is built so that its functions can be replaced while it runs.
struct ReloadedPackage {
  /// A module of the package, with its compiler and what the compiler was given.
  struct Module {
    let name: String
    let compiler: String
    let sources: [String]
    let arguments: [String]
    let importPath: String
  }

  let modules: [Module]

  /// The folder of the programs.
  let programs: URL

  /// The folder of the libraries that replace functions.
  let libraries: URL

  /// Builds the package in a folder, beside its other builds.
  ///
  /// - Throws: `ReloadFailure`, after the compiler's words.
  init(building directory: URL) throws {
    let manifest = directory.appendingPathComponent("Package.swift").path
    guard FileManager.default.fileExists(atPath: manifest) else {
      throw ReloadFailure(message: "reload: there is no \(manifest); name the folder of a package")
    }
    let scratch = directory.appendingPathComponent(".build/reload")
    let flags = [
      "-Xswiftc", "-Xfrontend", "-Xswiftc", "-enable-implicit-dynamic",
      "-Xswiftc", "-Xfrontend", "-Xswiftc", "-enable-private-imports",
      "-Xlinker", "--export-dynamic",
    ]
    let build = try Command(
      "swift", ["build", "--package-path", directory.path, "--scratch-path", scratch.path] + flags)
    guard build.status == 0 else {
      throw ReloadFailure(message: build.output + "reload: the package does not build; mend that")
    }
    programs = scratch.appendingPathComponent("debug")
    libraries = scratch.appendingPathComponent(
      "libraries-\(ProcessInfo.processInfo.processIdentifier)")
    let file = programs.appendingPathComponent("description.json")
    guard let data = try? Data(contentsOf: file),
      let description = try? JSONDecoder().decode(Description.self, from: data)
    else {
      throw ReloadFailure(
        message: "reload: \(file.path) is not as Swift 6.2 and 6.3 write it; use one of these")
    }
    let root = directory.resolvingSymlinksInPath().path + "/"
    modules = description.swiftCommands.values.compactMap { command in
      let sources = command.sources.filter {
        let path = URL(fileURLWithPath: $0).resolvingSymlinksInPath().path
        return path.hasPrefix(root) && !path.hasPrefix(root + ".build/")
      }
      // Tests are described, but not built; what plugins run is built a second time.
      let isBuilt = FileManager.default.fileExists(atPath: command.moduleOutputPath)
      return sources.isEmpty || !isBuilt || command.importPath.hasSuffix("-tool")
        ? nil
        : Module(
          name: command.moduleName, compiler: command.executable, sources: sources,
          arguments: Self.kept(of: command.otherArguments), importPath: command.importPath)
    }.sorted { $0.name < $1.name }
  }

  /// The parts that are read here of the description that SwiftPM writes of a build.
  private struct Description: Decodable {
    struct Command: Decodable {
      let executable: String
      let moduleName: String
      let sources: [String]
      let otherArguments: [String]
      let importPath, moduleOutputPath: String
    }

    let swiftCommands: [String: Command]
  }

  /// The arguments of a module's compiler that a library of replacements needs too.
  private static func kept(of arguments: [String]) -> [String] {
    let dropped: Set = [
      "-incremental", "-enable-batch-mode", "-serialize-diagnostics", "-parseable-output",
      "-parse-as-library", "-emit-objc-header", "-whole-module-optimization",
    ]
    let droppedWithValue: Set = ["-index-store-path", "-emit-objc-header-path"]
    // Behind `-Xfrontend`.
    let droppedOfFrontend: Set = [
      "-enable-implicit-dynamic", "-enable-private-imports", "-entry-point-function-name",
    ]
    var kept: [String] = []
    var rest = arguments[...]
    while let argument = rest.popFirst() {
      if argument == "-Xfrontend", let next = rest.first, droppedOfFrontend.contains(next) {
        rest.removeFirst()
        // The name of the entry point is an argument of its own.
        if next == "-entry-point-function-name" { rest = rest.dropFirst(2) }
      } else if droppedWithValue.contains(argument) {
        rest = rest.dropFirst()
      } else if !dropped.contains(argument), !argument.hasPrefix("-j") {
        kept.append(argument)
      }
    }
    return kept
  }
}
#endif
