import BlockRuntimeErrors
package import CommandOptionsAndResults

/// The result of inspecting a program's file: whether a preloaded library can trace the program.
package struct ProgramInspection {
  /// The path that the program is started by.
  package let path: String

  /// The path of the traced file: the program, or a script's interpreter.
  package let tracedPath: String

  /// Notes for the user: that a script's interpreter is traced.
  package let notes: [String]

  /// Whether it is linked with the Swift runtime.
  package let isSwift: Bool

  /// Whether it contains the tracer, so that none is preloaded.
  package let containsTracer: Bool

  /// Why blocks may be missed although the program can be traced; nil if no reason is known.
  package let doubt: String?

  /// Functions of the blocks runtime and libdispatch; a program that defines them contains these.
  private static let hookedFunctions = ["_Block_copy", "dispatch_async"]

  /// The longest chain of scripts that the kernel follows.
  private static let scriptLimit = 5

  /// Inspects a program.
  ///
  /// - Parameters:
  ///   - name: Its name or path, as `execvp` takes it.
  ///   - mustImportBlocks: Whether its blocks are to be traced, so that libdispatch and the blocks
  ///     runtime must not be linked into it.
  ///   - mustImportSwift: Whether its Swift calls are to be counted, so that the Swift runtime must
  ///     not be linked into it.
  ///   - searchPath: The directories in which a name is looked up; by default the variable PATH.
  /// - Throws: A failure that names the program, the obstacle and the remedy.
  package init(
    _ name: String, mustImportBlocks: Bool = true, mustImportSwift: Bool = false,
    searchPath: String? = nil
  ) throws(Failure) {
    let searchPath = searchPath ?? ProcessEnvironment["PATH"] ?? "/bin:/usr/bin"
    path = try ProgramSearch.path(of: name, on: searchPath)
    var file = try ProgramFile(path: path)
    var notes: [String] = []
    while let line = ScriptLine(try file.beginning(ScriptLine.byteLimit)) {
      guard notes.count < Self.scriptLimit else {
        throw Failure(
          code: "notAProgram",
          message: "\(path) is a script whose interpreters are scripts, \(notes.count) deep; name "
            + "the program that runs it")
      }
      file = try Self.interpreter(line, of: file.path, searchPath)
      notes.append(
        "\(notes.isEmpty ? path : "its interpreter") is a script: \(file.path) is traced")
    }
    try Self.check(file)
    let program = try ELFProgram(file)
    try Self.check(program, file)
    let usesRuntime = try program.needs("libswiftCore.so")
    containsTracer = try program.containsTracer && !usesRuntime
    if mustImportBlocks, !containsTracer { try Self.checkImports(program, file) }
    if mustImportSwift, try program.defines(anyOf: ["swift_getFunctionReplacement"]) != nil {
      throw Failure(
        code: "staticRuntime",
        message: "\(file.path) has the Swift runtime inside of it, which its functions call "
          + "directly; link it without -static-stdlib")
    }
    isSwift = containsTracer || usesRuntime
    doubt =
      program.hasSymbols || containsTracer
      ? nil : "\(file.path) is stripped: libdispatch linked into it would not be noticed"
    if containsTracer, !program.hasSymbols {
      notes.append(
        "\(file.path) is stripped: blocks are named by their signatures, and callers by addresses; "
          + "calls of Swift's library stand beside the tasks that they run")
    }
    tracedPath = file.path
    self.notes = notes
  }

  /// Opens a script's interpreter or, if that is `env`, the program that it finds.
  private static func interpreter(
    _ line: ScriptLine, of script: String, _ searchPath: String
  ) throws(Failure) -> ProgramFile {
    do throws(Failure) {
      try ProgramSearch.check(line.interpreter)
      guard let name = line.programOfEnv else { return try ProgramFile(path: line.interpreter) }
      return try ProgramFile(path: ProgramSearch.path(of: name, on: searchPath))
    } catch {
      throw Failure(
        code: error.code, message: "the interpreter of \(script): \(error.message)")
    }
  }

  /// Checks the kind of file.
  private static func check(_ file: ProgramFile) throws(Failure) {
    let identity = ELFProgram.Identity(try file.beginning(20))
    guard identity.isELF else {
      throw Failure(
        code: "notAProgram",
        message: "\(file.path) is neither an ELF program nor a script that begins with #! and its "
          + "interpreter; name the program that runs it, such as sh \(file.path)")
    }
    guard file.size >= 20 else { throw file.damaged("it has \(file.size.of("byte"))") }
    guard identity.isOurs else {
      throw Failure(
        code: "otherMachine",
        message: "\(file.path) is a program for \(identity.machine), and the tracer is for "
          + "\(ELFProgram.machineName); build it for \(ELFProgram.machineName)")
    }
    guard identity.isProgram else {
      throw Failure(
        code: "notAProgram",
        message: "\(file.path) is an ELF file, but not a program; link it to one")
    }
    if let privilege = file.privilege {
      throw Failure(
        code: "privilegedProgram",
        message: "\(file.path) has \(privilege), with which the dynamic loader ignores preloaded "
          + "libraries; trace a copy without: cp \(file.path) ./copy")
    }
  }

  /// Checks how the program is linked.
  private static func check(_ program: ELFProgram, _ file: ProgramFile) throws(Failure) {
    guard let loader = program.interpreter else {
      let option = program.isPositionIndependent ? "-static-pie" : "-static"
      throw Failure(
        code: "staticProgram",
        message: "\(file.path) is linked statically: no dynamic loader could preload the tracer; "
          + "link it without \(option)")
    }
    guard loader.fileName == ELFProgram.loader else {
      throw Failure(
        code: "otherLoader",
        message: "\(file.path) is loaded by \(loader), and the tracer needs glibc's "
          + "\(ELFProgram.loader); build it for glibc")
    }
  }

  /// Checks that the functions through which blocks pass are not defined in the program.
  private static func checkImports(
    _ program: ELFProgram, _ file: ProgramFile
  ) throws(Failure) {
    if try program.defines(anyOf: ["__tsan_init"]) != nil {
      throw Failure(
        code: "threadSanitizer",
        message:
          "\(file.path) is built with ThreadSanitizer, which puts functions of its own in the "
          + "place of libdispatch's; build it without -fsanitize=thread")
    }
    if let function = try program.defines(anyOf: hookedFunctions) {
      throw Failure(
        code: "staticDispatch",
        message: "\(file.path) has a \(function) of its own: libdispatch or the blocks runtime is "
          + "linked into it, where no other library can hook it; link it to the shared ones, Swift "
          + "programs without -static-stdlib, or with the product StaticTracing and the flags that "
          + "hook-demo trace --linker-flags prints")
    }
  }
}
