#if Everything
package import ArgumentParser
import BlockHooks
import CallTracing
import CommandOptionsAndResults
import Invocations
import TypeEncodings

/// `hook-demo interpose LIBRARY SYMBOL SIGNATURE -- PROGRAM [ARGUMENT…]`: the calls of a C
/// function.
package struct InterposeCommand: ParsableCommand {
  package static let configuration = CommandConfiguration(
    commandName: "interpose",
    abstract: "Runs a program and shows its calls of any C function of a library.",
    usage: """
      hook-demo interpose [<options>] <library> <symbol> <signature> -- <program> [<argument> ...]
      hook-demo interpose [<options>] <library> <declaration> -- <program> [<argument> ...]
      hook-demo interpose [<options>] - <known function> -- <program> [<argument> ...]
      """,
    discussion: """
      The program needs no preparation: a library is loaded into it that hooks the function where \
      the program and its libraries import it, by the type encoding that you give, which must be the \
      true one. The program must be linked dynamically, and not be set-user-id. Its standard streams \
      and its exit status are its own; the calls go to standard error and to files.

      A line has how long the call took, the number of its thread, and the call with its arguments \
      and its result, indented by depth. Calls are written as they end.

      EXAMPLES
        hook-demo interpose - open -- cat /etc/hostname     known by name
        hook-demo interpose - 'int abs(int)' -- ./tool      -: any library
        hook-demo interpose - getenv '*r*' -- ls            by its encoding
        hook-demo interpose --header zlib.h - crc32 -- ./tool
        hook-demo interpose --summary -q - malloc '^vQ' -- ls
        hook-demo interpose --html calls.html libm.so.6 pow ddd -- ./tool
        hook-demo interpose --image 'libz*' - malloc '^vQ' -- ./tool   its calls
        hook-demo interpose --fail ENOSPC --nth 3 - write -- ./tool    a full disk
        hook-demo interpose --delay 200ms - connect -- ./client        a slow network

      WHAT IS SEEN
        Calls from one object to another: of the program, and of each library. Not seen are calls \
      that a library makes of its own functions other than by an import, and calls by addresses. A function with further arguments is declared by '...' at the end. The formats \
      of printf, scanf and syslog say what their calls pass. Of other such calls the result is not shown, \
      and the time is not the function's.
        600 functions of the C library are known by name; calls by the names that fortified programs use, \
      such as __open_2 and __read_chk, are shown too.
        What the program starts, or goes on with, is traced too, unless it is given another \
      environment.

      EXIT STATUS
        the program's, or 128 + the signal that ended it; INT, TERM and HUP are passed on to \
      it, and the files written when it has ended. 1 if it cannot be started, or if nothing \
      has the function; 64 on wrong usage.
        A function that the program and its libraries do not have is refused before the program \
      begins. If it may load libraries or start programs, it goes on, and what these have is traced.
      """)

  @OptionGroup var tracing: TracingOptions

  @OptionGroup(title: "FAULTS") var faults: FaultOptions

  @Option(help: ArgumentHelp("Only calls by this program or library.", valueName: "pattern"))
  var image: [String] = []

  @Option(help: ArgumentHelp("No calls by this program or library.", valueName: "pattern"))
  var excludeImage: [String] = []

  @Option(
    help: ArgumentHelp(
      "Read the declaration from a header, by clang: zlib.h, or a path.", valueName: "file"))
  var header: String?

  @Argument(help: "The file name or path of the library that defines it, - for whichever does.")
  var library: String

  @Argument(help: "The function's name, or its declaration in C.")
  var symbol: String

  @Argument(
    help: "The function's type encoding, such as *r* for getenv; none if it is declared or known.")
  var signature: String?

  @Argument(parsing: .postTerminator, help: "The program and its arguments.")
  var program: [String] = []

  /// Creates the command, without its arguments.
  package init() {}

  package func validate() throws {
    let words = [("library", library), ("symbol", symbol), ("signature", signature ?? "none")]
    if let empty = words.first(where: \.1.isEmpty) {
      throw ValidationError("The \(empty.0) is empty; see the examples of --help.")
    }
    let isDeclared = CDeclaration.isWritten(symbol)
    if let extra = signature ?? header, isDeclared {
      throw ValidationError("The declaration \(symbol) holds the signature; leave \(extra) out.")
    }
    let lines = image + excludeImage + [library, signature ?? ""] + (isDeclared ? [] : [symbol])
    try tracing.validate(program, command: "interpose - getenv '*r*'", lines: lines)
  }

  package func run() throws {
    try tracing.reporting { () throws(Failure) in
      let functions = try functions()
      try faults.check(functions[0].name)
      if library == "-" || library.hasPrefix("libc.so"), let warning = functions[0].warning {
        StandardError.say(warning)
      }
      let inspection = try ProgramInspection(program[0], mustImportBlocks: false)
      return try tracing.trace(
        inspection, words: program.count, .functions(functions.map(\.name))
      ) { settings in
        settings.tracesBlocks = false
        settings.functions = functions.map(\.setting)
        settings.library = library == "-" ? nil : library
        settings.images = image
        settings.excludedImages = excludeImage
        settings.fault = faults.fault
      }
    }
  }

  /// The functions whose calls are shown.
  private func functions() throws(Failure) -> [NamedFunction] {
    if let signature { return [try NamedFunction(symbol, signature: signature)] }
    if let header { return [try NamedFunction.declared(symbol, inHeader: header)] }
    return CDeclaration.isWritten(symbol)
      ? [try NamedFunction.declared(symbol)] : try NamedFunction.known(symbol)
  }
}
#endif
