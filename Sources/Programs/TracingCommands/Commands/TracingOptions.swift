#if Everything
import ArgumentParser
import BlockHooks
import CallTracing
import CommandOptionsAndResults

/// The options that all tracing commands have: where and how the calls are written.
struct TracingOptions: ParsableArguments {
  @Option(help: ArgumentHelp("Write a JSON document a call.", valueName: "file"))
  var json: String?

  @Option(help: ArgumentHelp("Write a timeline for Perfetto.", valueName: "file"))
  var perfetto: String?

  /// The option of versions before 0.2, which is refused.
  @Option(help: .private)
  var chrome: String?

  @Option(help: ArgumentHelp("Write a page with a timeline, for any browser.", valueName: "file"))
  var html: String?

  @Option(
    help: ArgumentHelp(
      "Write stacks for a flame graph: the time that calls took.", valueName: "file"))
  var folded: String?

  @Option(
    help: ArgumentHelp(
      "Write stacks for a flame graph: the time that blocks waited.", valueName: "file"))
  var foldedWaits: String?

  @Flag(help: "Print tables of what was called, of queues, waits and tasks, at the end.")
  var summary = false

  @Flag(
    help: ArgumentHelp(
      "Print only these tables.",
      discussion: """
        own: the time of the calls without the traced calls inside of them
        not run: the blocks that were sent, and had not begun when the trace ended or were cancelled
        busy %: how much of the trace a serial queue ran its blocks, of all its processes together
        deepest: the most blocks that waited in the queue at once
        at once: the most blocks of the queue that ran at once
        per s: how often in a second of the trace something ran
        """))
  var count = false

  @Option(help: ArgumentHelp("Write these tables as one JSON document.", valueName: "file"))
  var tables: String?

  @Option(
    help: ArgumentHelp(
      "Sort the tables by this column; wait is the longest one.",
      valueName: "column"))
  var sort = TableOrder.total

  @Option(
    help: ArgumentHelp(
      "Only calls that took so long, such as 10ms, or reach another limit.",
      discussion: """
        Limits choose what is in lines and in all files but that of --tables; without one, that is \
        every call.
        """, valueName: "time"))
  var slowerThan: TimeLimit?

  @Option(
    help: ArgumentHelp(
      "Only blocks that waited so long for their queue, or reach another limit.",
      discussion: """
        The call behind which such a block waited is named in its line, and shown if it reaches a limit \
        itself: do not look for culprits by this option.
        """, valueName: "time"))
  var waitedLongerThan: TimeLimit?

  @Option(
    help: ArgumentHelp(
      "Only calls that kept the main thread or queue so long, or reach another limit.",
      valueName: "time"))
  var mainBlocked: TimeLimit?

  @Flag(
    help: ArgumentHelp(
      "Trace nothing until it is started: hook-demo tell PID start.",
      discussion: """
        Until then, and when it is stopped, no call of the program leads to the tracer: it may stay in \
        a deployment. The tables that tell reports need no option.
        """))
  var startIdle = false

  @Flag(name: .shortAndLong, help: "Print no line for each call.")
  var quiet = false

  @Flag(help: "Leave out arguments and results.")
  var noValues = false

  @Flag(help: "Do not trace programs that the program starts or goes on with.")
  var noFollow = false

  @Option(help: ArgumentHelp("How much may wait to be shown, in MiB.", valueName: "size"))
  var buffer = TraceStreamWriter.defaultCapacity >> 20

  /// Checks conditions that the parser cannot check.
  ///
  /// - Parameters:
  ///   - program: The program and its arguments.
  ///   - command: The command's name, for an example.
  ///   - lines: Words that must not contain line breaks, as declarations in C may.
  /// - Throws: `ValidationError`.
  func validate(_ program: [String], command: String, lines: [String]) throws {
    guard !program.isEmpty else {
      throw ValidationError("name the program behind --, such as hook-demo \(command) -- ./server")
    }
    guard chrome == nil else {
      throw ValidationError(
        "--chrome is gone: use --perfetto FILE, which https://ui.perfetto.dev opens and which shows "
          + "who sent each block")
    }
    guard (1...4095).contains(buffer) else {
      throw ValidationError("--buffer takes a number of MiB from 1 to 4095")
    }
    let files = [json, perfetto, html, folded, foldedWaits, tables].compactMap { $0 }
    guard Set(files).count == files.count else {
      throw ValidationError("each output takes a file of its own")
    }
    guard !lines.contains(where: { $0.contains("\n") }) else {
      throw ValidationError("a pattern or a name is one line")
    }
  }

  /// Throws the program's exit status, or reports why the program was not run.
  func reporting(_ body: () throws(Failure) -> TracedProcess.End) throws {
    var status = ExitCode.failure
    do throws(Failure) {
      status = ExitCode(try body().status)
    } catch {
      StandardError.write(error.text)
    }
    throw status
  }

  /// Runs the program and shows its calls.
  ///
  /// - Parameters:
  ///   - inspection: The program, which can be traced.
  ///   - words: The number of last words of the command line that are its name and arguments.
  ///   - subject: The calls that are traced.
  ///   - tasks: Patterns of the names of tasks that have tables of their own.
  ///   - set: Sets these in the settings for the library in the program.
  /// - Returns: The program's end.
  /// - Throws: A failure if a file cannot be opened or the program cannot be started.
  func trace(
    _ inspection: ProgramInspection, words: Int, _ subject: TraceRunSubject,
    tasks: [String] = [], _ set: (inout TraceSettings) -> Void
  ) throws(Failure) -> TracedProcess.End {
    let library = try TracerLibrary()
    try ProgramRuntime.check(inspection, with: library)
    let totals = summary || count || tables != nil || startIdle ? TraceTotals() : nil
    var outputs = Outputs()
    let document = try outputs.open(tables)
    let zero = WallClock.atZero
    let locations = CodeLocations(begin: zero &+ ClockReading.monotonic.nanoseconds)
    var sinks: [any TraceSink] = quiet || count ? [] : [TextTraceSink()]
    if let output = try outputs.open(json) {
      sinks.append(
        JSONLinesTraceSink(output, wallClockAtZero: zero, locating: locations.search))
    }
    if let output = try outputs.open(perfetto) {
      sinks.append(
        PerfettoTraceSink(output, wallClockAtZero: zero, locating: locations.search))
    }
    if let output = try outputs.open(html) {
      let command = CommandLine.arguments.suffix(words).joined(separator: " ")
      sinks.append(
        HTMLTraceSink(
          output, title: subject.title(of: command), wallClockAtZero: zero,
          locating: locations.search))
    }
    if let output = try outputs.open(folded) { sinks.append(FoldedTraceSink(output)) }
    if let output = try outputs.open(foldedWaits) {
      sinks.append(FoldedTraceSink(output, weight: .wait))
    }
    let limits = TraceLimits(
      duration: slowerThan, wait: waitedLongerThan, mainThread: mainBlocked)
    if let limits { sinks = [SelectingSink(limits, sinks)] }
    for note in inspection.notes { StandardError.say(note) }
    let directory = try Failure.catching {
      try TraceDirectory(in: ProcessEnvironment["TMPDIR"] ?? "/tmp")
    }
    defer { directory.remove() }
    var settings = TraceSettings(directory: directory.path)
    settings.capacity = buffer << 20
    settings.startsIdle = startIdle
    settings.followsPrograms = !noFollow
    settings.recordsValues = !noValues
    set(&settings)
    let injections = settings.fault.map { _ in InjectionTable() }
    let requests = tasks.isEmpty ? nil : RequestTable(tasks, wallClockAtZero: zero)
    let loops = settings.tracesLoops ? LoopTable() : nil
    // What these print is of all calls.
    let optional: [(any TraceSink)?] = [totals, injections, requests, loops]
    sinks += optional.compactMap(\.self)
    let run = try TraceRun(
      inspection, in: directory, sinks: sinks, settings, subject, totals, by: sort, locations)
    let end = try run.run(words: words, settings, library)
    if let failure = run.failure(end) { throw failure }
    let unfinished = run.unfinished(end)
    if summary || count { StandardError.write(run.tables(.forStandardError)) }
    if let document, !document.write(Array(run.document(unfinished).utf8)) {
      StandardError.say("the tables could not be written")
    }
    StandardError.write(run.countedCalls(.forStandardError))
    StandardError.write(UnfinishedTable.text(unfinished, locations, .forStandardError))
    if let requests { StandardError.write(requests.text(.forStandardError)) }
    if let loops { StandardError.write(loops.text(.forStandardError)) }
    if let injections { StandardError.write(injections.text(locations, .forStandardError)) }
    for remark in run.remarks(on: end) { StandardError.say(remark) }
    return end
  }
}

/// The files that are written, each another one.
private struct Outputs {
  private var opened: [(path: String, output: TraceOutput)] = []

  /// Opens a file, if a path is given.
  mutating func open(_ path: String?) throws(Failure) -> TraceOutput? {
    guard let path else { return nil }
    let output = try Failure.catching { try TraceOutput(path: path) }
    if let other = opened.first(where: { $0.output.isSameFile(as: output) }) {
      throw Failure(
        code: "outputUnavailable",
        message: "\(other.path) and \(path) are one file; give each output a file of its own")
    }
    opened.append((path, output))
    return output
  }
}

extension TableOrder: ExpressibleByArgument {}
extension TimeLimit: ExpressibleByArgument {}
#endif
