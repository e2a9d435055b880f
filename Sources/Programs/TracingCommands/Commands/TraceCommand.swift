#if Everything
package import ArgumentParser
import BlockHooks
import CallTracing
import CommandOptionsAndResults
import Invocations
import TypeEncodings

/// `hook-demo trace [OPTIONS] -- PROGRAM [ARGUMENT…]`: the block calls of a program.
package struct TraceCommand: ParsableCommand {
  package static let configuration = CommandConfiguration(
    commandName: "trace",
    abstract: "Runs a program and shows the calls of its blocks.",
    usage: "hook-demo trace [<options>] -- <program> [<argument> ...]",
    discussion: """
      The program, C or Swift, needs no preparation: a library is loaded into it that hooks every \
      block it copies or gives to libdispatch. It must be linked dynamically, with libdispatch and \
      the blocks runtime, or contain the tracer (--linker-flags), and not be set-user-id. Its standard streams and its exit status are its \
      own; the trace goes to standard error and to files.

      A line has how long the call took, the number of its thread, and the call with its arguments \
      and its result, indented by depth; of a block that was sent to a queue also the queue, and how \
      long it waited there. Waits in libdispatch and parts of Swift tasks are lines, too. Calls are \
      written as they end.

      EXAMPLES
        hook-demo trace -- ./server --port 8080
        hook-demo trace --summary --quiet -- ./tool
        hook-demo trace --count --sort wait -- ./server
        hook-demo trace --quiet --tables tables.json -- ./tool    for scripts
        hook-demo trace --folded own.txt --folded-waits waits.txt -- ./tool
        hook-demo trace --slower-than 10ms --waited-longer-than 10ms -- ./server
        hook-demo trace --perfetto calls -- ./tool       for https://ui.perfetto.dev
        hook-demo trace --html calls.html -- ./tool
        hook-demo trace --image tool --queue 'com.example.*' -- ./tool
        hook-demo trace --signature 'v@[?]r[*]' -- ./tool  [?] stands for ?
        hook-demo trace --function getenv --function malloc --count -- ls
        hook-demo trace --function 'setlocale=*ir*' -- ls
        hook-demo trace --quiet --swift-calls 'Shop.*' -- ./server
        hook-demo trace --swift-durations 'Shop.Cart.*' -- ./server
        hook-demo trace --quiet --task 'request*' -- ./server
        hook-demo trace --start-idle --html calls.html -- ./server   see tell
        hook-demo trace --quiet --loops --function 'SSL_read=i^v^vi' -- ./server
        hook-demo trace --stacks 8 --no-values --json calls.json -- ./server

      FILTERS
        They may be repeated; a call is shown that matches one of each kind given. Patterns have \
      the shell's *, ? and […]. An image is a path or a file name; a symbol is the demangled name of \
      the block's function; a signature is a type encoding, with frame offsets or without.

      LIMITS
        --slower-than, --waited-longer-than and --main-blocked take a number with ns, us, ms or s. A \
      call is shown that reaches any of those given, in lines and in all files but that of --tables: \
      the tables are of all calls. To see what kept a queue busy, use tables, or --html without limits.

      ENDING
        A server is ended by Ctrl-C, or by TERM to hook-demo, which passes INT, TERM and HUP on to \
      the program, and writes its files and tables when that has ended. What a script starts in the \
      background ignores INT: send TERM.
          hook-demo trace --count -- ./server & sleep 60; kill -TERM $!

      WHAT HANGS
        hook-demo tell prints a table of what has not finished, from another terminal, and so does \
      hook-demo itself at QUIT; the program goes on: tasks that \
      are suspended, with what they await as far as that is seen, blocks that have not begun, waits \
      and calls. The same table comes at the end, if anything is left then; of a program that exits \
      without the calls that still run.
          hook-demo tell $(pgrep -ox server) unfinished

      C FUNCTIONS
        Their calls are in the same timeline: those from one object to another, by an import. 600 \
      functions of the C library need no signature, and stand for the names by which fortified programs \
      call them (__read_chk); another one needs its declaration or type encoding, which must be the true \
      one. --image and --exclude-image select their \
      callers; the other filters are for blocks.

      SWIFT FUNCTIONS
        --swift-calls counts all calls of the functions that match, also those in parallel and those \
      that throw; of async functions, when they begin. Not counted: closures, inlinable functions of \
      other modules, and what libraries have that are loaded later. --swift-durations shows the calls, \
      too, in the same timeline: not those of async functions and of accessors that yield, which end \
      elsewhere, nor those inside of 64 others. The program must be built with
          swift build -Xswiftc -Xfrontend -Xswiftc -enable-implicit-dynamic

      WHAT IS FOLLOWED
        Forks of the program, and programs that it starts or goes on with: of a script or a wrapper \
      its interpreter is traced too. Not followed: programs that are linked statically, \
      set-user-id or built with ThreadSanitizer, and those started with another environment. The trace ends with the program, \
      whatever it has left running. If a signal ends it, the calls that had not ended are shown too.

      EXIT STATUS
        the program's, or 128 + the signal that ended it, passed on or not (143 for TERM); 1 if it \
      cannot be started or traced, 64 on wrong usage
      """)

  @OptionGroup var tracing: TracingOptions

  @Option(help: ArgumentHelp("Only blocks of this program or library.", valueName: "pattern"))
  var image: [String] = []

  @Option(help: ArgumentHelp("No blocks of this program or library.", valueName: "pattern"))
  var excludeImage: [String] = []

  @Option(help: ArgumentHelp("Only blocks of this name.", valueName: "pattern"))
  var symbol: [String] = []

  @Option(help: ArgumentHelp("No blocks of this name.", valueName: "pattern"))
  var excludeSymbol: [String] = []

  @Option(help: ArgumentHelp("Only blocks of this signature.", valueName: "pattern"))
  var signature: [String] = []

  @Option(help: ArgumentHelp("Only calls on queues of this label.", valueName: "pattern"))
  var queue: [String] = []

  @Option(
    help: ArgumentHelp(
      "Also the calls of this C function: a name, a declaration in C, or name=signature.",
      valueName: "function"))
  var function: [String] = []

  @Option(
    help: ArgumentHelp(
      "Count the calls of these Swift functions: Module.*, or Module.Type.method.",
      valueName: "pattern"))
  var swiftCalls: [String] = []

  @Option(
    help: ArgumentHelp(
      "Show the calls of these Swift functions with their durations, and count them.",
      valueName: "pattern"))
  var swiftDurations: [String] = []

  @Option(
    help: ArgumentHelp(
      "Print tables of the tasks of this name, such as 'request*': where their time went.",
      discussion: """
        A program names its tasks: Task(name: "request 7") { … }. at is the time of the day of their \
        beginning; a sleep is a continuation; children are the tasks below them, blocks what all these sent.
        """, valueName: "pattern"))
  var task: [String] = []

  @Flag(
    help: ArgumentHelp(
      "Print tables of the event loops at the end: their ticks, and what ran in the longest.",
      discussion: """
        A loop is a thread that waits in epoll_wait, poll or select, as NIO's and GLib's do; a tick is \
        the time from one wait to the next. These waits are idle time, and in the table of waits.
        """))
  var loops = false

  @Option(
    help: ArgumentHelp(
      "How many callers to show of who enqueued, waited or called a function, 1 to 32.",
      discussion: """
        They are in JSON documents (stack, the innermost first), pages, stacks for flame graphs, and \
        tables of the longest calls. A function that has no symbol is an address.
        """, valueName: "count"))
  var stacks = 1

  @Flag(
    help: ArgumentHelp(
      "Print the linker's options for a program with the product StaticTracing, and nothing else.",
      discussion: """
        A program in Swift that is linked statically (swift build --static-swift-stdlib) contains the \
        libraries whose calls are traced. It is traced if it contains the tracer, too: the product \
        StaticTracing, and these options, in the manifest's target of the program:
            linkerSettings: [.unsafeFlags(["@hook-demo.flags"])]
        where a file of the package's folder has them: hook-demo trace --linker-flags > hook-demo.flags
        """))
  var linkerFlags = false

  @Argument(parsing: .postTerminator, help: "The program and its arguments.")
  var program: [String] = []

  private var filters: [String] {
    image + excludeImage + symbol + excludeSymbol + signature + queue
  }

  private var swiftPatterns: [String] { swiftCalls + swiftDurations }

  /// Creates the command, without its arguments.
  package init() {}

  package func validate() throws {
    if linkerFlags { return }
    try tracing.validate(
      program, command: "trace",
      lines: filters + function.filter { !CDeclaration.isWritten($0) } + swiftPatterns)
    guard !tracing.startIdle || swiftPatterns.isEmpty else {
      throw ValidationError(
        "--swift-calls and --swift-durations count from the beginning: leave --start-idle out")
    }
    guard (1...32).contains(stacks) else {
      throw ValidationError("--stacks takes a number of callers from 1 to 32")
    }
  }

  package func run() throws {
    if linkerFlags { return print(WrappedFunctions.linkerFlags) }
    try tracing.reporting { () throws(Failure) in
      var functions: [NamedFunction] = []
      for text in function {
        for named in try NamedFunction.all(text) where !functions.contains(named) {
          functions.append(named)
          if let warning = named.warning { StandardError.say(warning) }
        }
      }
      let inspection = try ProgramInspection(
        program[0], mustImportBlocks: functions.isEmpty && swiftPatterns.isEmpty && !loops,
        mustImportSwift: !swiftPatterns.isEmpty)
      return try tracing.trace(
        inspection, words: program.count,
        .blocks(areFiltered: !filters.isEmpty, functions: functions.map(\.name), swiftPatterns),
        tasks: task
      ) { settings in
        settings.images = image
        settings.excludedImages = excludeImage
        settings.symbols = symbol
        settings.excludedSymbols = excludeSymbol
        settings.signatures = signature
        settings.queues = queue
        settings.functions = functions.map(\.setting)
        settings.swiftCalls = swiftCalls
        settings.swiftDurations = swiftDurations
        settings.callerCount = stacks
        settings.tracesLoops = loops
      }
    }
  }
}
#endif
