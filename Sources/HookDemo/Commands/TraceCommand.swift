import ArgumentParser
import BlockHooks

/// `hook-demo trace [OPTIONS] -- PROGRAM [ARGUMENT…]`: the block calls of any program.
struct TraceCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "trace",
    abstract: "Runs a program and shows the calls of its blocks.",
    usage: "hook-demo trace [<options>] -- <program> [<argument> ...]",
    discussion: """
      The program, C or Swift, needs no preparation: a library is loaded into it that hooks every \
      block it copies or gives to libdispatch. It must be linked dynamically, with libdispatch and \
      the blocks runtime, and not be set-user-id. Its standard streams and its exit status are its \
      own; the trace goes to standard error and to files.

      A line has the time in microseconds, the thread, and the call with its arguments and its \
      result, indented by depth. Calls are written as they end.

      EXAMPLES
        hook-demo trace -- ./server --port 8080
        hook-demo trace --summary --quiet -- ./tool
        hook-demo trace --chrome calls.json -- ./tool     opens in https://ui.perfetto.dev
        hook-demo trace --html calls.html -- ./tool
        hook-demo trace --image tool --queue 'com.example.*' -- ./tool
        hook-demo trace --signature 'v@?*' -- ./tool      takes a C string, returns nothing

      FILTERS
        They may be repeated; a call is shown that matches one of each kind given. Patterns have \
      the shell's *, ? and […]. An image is a path or a file name; a symbol is the demangled name of \
      the block's function; a signature is a type encoding, with frame offsets or without.

      WHAT IS FOLLOWED
        Forks of the program, and programs that it starts or goes on with: of a script or a wrapper \
      its interpreter is traced too. Not followed: programs that are linked statically or \
      set-user-id, and those started with another environment. The trace ends with the program, \
      whatever it has left running. If a signal ends it, the calls that had not ended are shown too.

      EXIT STATUS
        the program's, or 128 + the signal that ended it; 1 if it cannot be started or traced, \
      64 on wrong usage
      """)

  @Option(help: ArgumentHelp("Write a JSON document a call.", valueName: "file"))
  var json: String?

  @Option(help: ArgumentHelp("Write a timeline for Perfetto.", valueName: "file"))
  var chrome: String?

  @Option(help: ArgumentHelp("Write a page with a timeline, for any browser.", valueName: "file"))
  var html: String?

  @Flag(help: "Print a table of what was called, at the end.")
  var summary = false

  @Flag(name: .shortAndLong, help: "Print no line for each call.")
  var quiet = false

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

  @Flag(help: "Do not trace programs that the program starts or goes on with.")
  var noFollow = false

  @Option(help: ArgumentHelp("How much may wait to be shown, in MiB.", valueName: "size"))
  var buffer = TraceStreamWriter.defaultCapacity >> 20

  @Argument(parsing: .postTerminator, help: "The program and its arguments.")
  var program: [String] = []

  private var filters: [String] {
    image + excludeImage + symbol + excludeSymbol + signature + queue
  }

  func validate() throws {
    guard !program.isEmpty else {
      throw ValidationError("name the program behind --, such as hook-demo trace -- ./server")
    }
    guard (1...4095).contains(buffer) else {
      throw ValidationError("--buffer takes a number of MiB from 1 to 4095")
    }
    guard !filters.contains(where: { $0.contains("\n") }) else {
      throw ValidationError("a pattern is one line")
    }
  }

  func run() throws {
    var status: Int32 = 0
    do throws(Failure) {
      status = try trace().status
    } catch {
      StandardError.write(error.text)
      throw ExitCode.failure
    }
    throw ExitCode(status)
  }

  private func trace() throws(Failure) -> TracedProcess.End {
    let inspection = try ProgramInspection(program[0])
    let library = try TracerLibrary()
    let totals = summary ? TraceTotals() : nil
    var sinks: [any TraceSink] = quiet ? [] : [TextTraceSink()]
    if let json { sinks.append(JSONLinesTraceSink(try Self.output(json))) }
    if let chrome { sinks.append(ChromeTraceSink(try Self.output(chrome))) }
    if let html { sinks.append(HTMLTraceSink(try Self.output(html))) }
    if let totals { sinks.append(totals) }
    for note in inspection.notes { Self.say(note) }
    let directory = try TraceRun.makeDirectory()
    let run = TraceRun(inspection, in: directory, sinks: sinks, filters: !filters.isEmpty)
    defer { run.cleanUp() }
    let end = try run.run(words: program.count, settings(directory), library)
    if let totals { StandardError.write(totals.table(TextStyle(isColoured: false))) }
    for remark in run.remarks(on: end) { Self.say(remark) }
    return end
  }

  private func settings(_ directory: String) -> TraceSettings {
    var settings = TraceSettings(directory: directory)
    settings.capacity = buffer << 20
    settings.followsPrograms = !noFollow
    settings.images = image
    settings.excludedImages = excludeImage
    settings.symbols = symbol
    settings.excludedSymbols = excludeSymbol
    settings.signatures = signature
    settings.queues = queue
    return settings
  }

  private static func output(_ path: String) throws(Failure) -> TraceOutput {
    do throws(HookError) {
      return try TraceOutput(path: path)
    } catch {
      throw Failure(code: error.code.rawValue, message: error.message)
    }
  }

  private static func say(_ text: String) {
    StandardError.write("hook-demo: \(TextStyle.visible(text))\n")
  }
}
