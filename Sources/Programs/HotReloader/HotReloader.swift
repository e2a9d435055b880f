#if Macros
import Foundation

/// `hot-reload`: runs a program of a package, and replaces its functions when their sources change.
@main
enum HotReloader {
  private static let help = """
    USAGE: hot-reload --package DIR -- PROGRAM [ARGUMENTS…]
           hot-reload --package DIR --check

    Builds the package with flags of its own in DIR/.build/reload, runs a program of it (or any
    program by its path that has the package's code), and watches the sources. When a file is saved,
    the functions whose bodies have changed are compiled and replaced in the running program; what
    they refer to stays as it is. It says what was replaced, or what cannot be, and why.

    Bodies of functions, methods, and computed properties are replaced, private and static ones too,
    those of structures, enumerations, actors and generic types, and new functions are added. Stored
    properties, new types, conformances, initializers, subscripts and code outside of functions need
    a new start. A file that does not compile leaves the program as it was. Experimental.

    --check runs nothing: it replaces all functions of the package by themselves, and lists those
    that the compiler refuses.

    """

  static func main() {
    do {
      exit(try run(Array(CommandLine.arguments.dropFirst())))
    } catch {
      report((error as? ReloadFailure)?.message ?? "\(error)")
      exit(64)
    }
  }

  /// Writes a text to standard error, behind `reload: `.
  static func report(_ text: String) {
    let line = text.hasPrefix("reload: ") ? text : "reload: \(text)"
    FileHandle.standardError.write(Data((line.hasSuffix("\n") ? line : line + "\n").utf8))
  }

  private static func run(_ arguments: [String]) throws -> Int32 {
    if arguments.contains("--help") || arguments.contains("-h") {
      print(help, terminator: "")
      return 0
    }
    let isCheck = arguments.count == 3 && arguments.last == "--check"
    guard arguments.first == "--package", isCheck || arguments.count >= 4 && arguments[2] == "--"
    else {
      throw ReloadFailure(message: "reload: give --package DIR -- PROGRAM; see --help")
    }
    let directory = URL(fileURLWithPath: arguments[1]).resolvingSymlinksInPath()
    report("building \(directory.path) …")
    let package = try ReloadedPackage(building: directory)
    defer { try? FileManager.default.removeItem(at: package.libraries) }
    if isCheck {
      try ReplacementCheck(package).report()
      return 0
    }
    let own = package.programs.appendingPathComponent(arguments[3]).path
    let isOwn = !arguments[3].contains("/") && FileManager.default.isExecutableFile(atPath: own)
    let agent = Bundle.main.bundleURL.appendingPathComponent("libReloadAgent.so").path
    guard FileManager.default.fileExists(atPath: agent) else {
      throw ReloadFailure(message: "reload: \(agent) is missing; build the product ReloadAgent")
    }
    let program = try ReloadedProgram(
      isOwn ? own : arguments[3], Array(arguments[4...]), agent: agent)
    var session = ReloadSession(package, program)
    let files = package.modules.map(\.sources.count).reduce(0, +)
    report("watching \(files) files")
    while program.isRunning {
      Thread.sleep(forTimeInterval: 0.1)
      session.look()
    }
    return program.status
  }
}
#else
@main
enum HotReloader {
  static func main() { print("hot-reload is built by Scripts/demo reload, with the trait Macros.") }
}
#endif
