import BlockHooks
import CallTracing
import CommandOptionsAndResults
import Glibc

/// One run of a traced program, from its start to the report on its end.
final class TraceRun {
  let program: ProgramInspection
  private let directory: TraceDirectory
  let collector: TraceCollector
  let sinks: [any TraceSink]
  let subject: TraceRunSubject
  let locations: CodeLocations

  /// The totals of the tables, and how these are sorted; nil if there are no tables.
  let totals: TraceTotals?
  let order: TableOrder

  /// When the run began, by `CLOCK_MONOTONIC`.
  private let begin = ClockReading.monotonic.nanoseconds

  /// Takes what `hook-demo tell` asks; nil where that is not possible.
  private let tell: TellServer?

  /// The request that is not answered yet.
  private var asked: TellServer.Asked?

  /// The switch of a run that begins idle; nil for one that is traced from its beginning.
  let control: RunSwitch?

  /// When a run began, in nanoseconds since 1970, how long it took, and what tracing took of that.
  struct Time {
    let unix: UInt64
    let duration: UInt64
    let cost: TraceCost?
  }

  /// Prepares a run.
  ///
  /// - Parameters:
  ///   - program: The program to run.
  ///   - directory: The directory of the run.
  ///   - sinks: The receivers of the calls.
  ///   - settings: The settings for the library in the program.
  ///   - subject: The calls that are traced.
  ///   - totals: The totals for tables, one of the sinks; nil for no tables.
  ///   - order: How tables are sorted.
  ///   - locations: Where code was written.
  /// - Throws: `outputUnavailable`, if the run is to begin idle.
  init(
    _ program: ProgramInspection, in directory: TraceDirectory, sinks: [any TraceSink],
    _ settings: TraceSettings, _ subject: TraceRunSubject, _ totals: TraceTotals?,
    by order: TableOrder, _ locations: CodeLocations
  ) throws(Failure) {
    self.locations = locations
    self.program = program
    self.directory = directory
    self.sinks = sinks
    self.subject = subject
    self.totals = totals
    self.order = order
    collector = TraceCollector(
      directory: directory.path, sinks: sinks, capacity: settings.capacity)
    tell = TellServer(in: directory)
    guard settings.startsIdle else {
      control = nil
      return
    }
    guard tell != nil else {
      throw Failure(
        code: "outputUnavailable",
        message: "no socket can be made in \(directory.path), by which hook-demo tell would start "
          + "the trace; set TMPDIR to where one can")
    }
    control = RunSwitch(
      try Failure.catching { try TraceSwitch(of: directory) }, collector)
  }

  /// Runs the program, and passes its calls to the sinks as they arrive.
  ///
  /// - Parameters:
  ///   - words: The number of last words of the command line that are its name and arguments.
  ///   - settings: The settings for the library in the program.
  ///   - library: The library that is loaded into the program.
  /// - Returns: The program's end.
  /// - Throws: `noProcess`.
  func run(
    words: Int, _ settings: TraceSettings, _ library: TracerLibrary
  ) throws(Failure) -> TracedProcess.End {
    var variables = [TraceSettings.variable: settings.text]
    // A second one would bring a second Swift runtime.
    if !program.containsTracer {
      let others = ProcessEnvironment["LD_PRELOAD"].map { ":\($0)" } ?? ""
      variables["LD_PRELOAD"] = library.path + others
    }
    // The library loads the Swift runtime, which would handle the signals of a program in C.
    if !program.isSwift, ProcessEnvironment["SWIFT_BACKTRACE"] == nil {
      variables["SWIFT_BACKTRACE"] = "enable=no"
    }
    var process = try TracedProcess(
      path: program.path, words: words,
      environment: ProcessEnvironment.changed(variables))
    if control != nil {
      StandardError.say("nothing is traced until: hook-demo tell \(process.number) start")
    }
    defer { tell?.end() }
    var isWaiting = false
    while true {
      takeRequest()
      let hasMore = collector.collect()
      if !isWaiting, let refusal = collector.refusals.first, !refusal.endsProgram {
        isWaiting = true
        StandardError.say(
          "\(refusal.message) (\(program.path) goes on; what it loads or starts is looked at)")
      }
      answerRequest(hasMore: hasMore)
      if let end = process.wait(milliseconds: hasMore ? Self.shortPause : pause) {
        collector.finish()
        asked?.answer { () throws(Failure) in throw TellTarget.ended }
        return end
      }
      if process.isReportWanted {
        let text = UnfinishedTable.text(unfinished(nil), locations, .forStandardError)
        StandardError.write(text.isEmpty ? "hook-demo: nothing waits or runs\n" : text)
      }
    }
  }

  /// How long to wait between two looks while calls arrive, in milliseconds.
  ///
  /// Reading what came in ten takes a processor for several, for which the program's threads would
  /// wait.
  private static let shortPause = 1

  /// How long to wait between two looks at the streams, in milliseconds: while nothing is traced,
  /// only requests and programs are awaited.
  private var pause: Int { control?.isIdle == true ? 100 : 10 }

  /// Takes the next request, unless one is not answered yet: then what happened before it is collected
  /// before it is answered.
  private func takeRequest() {
    guard asked == nil, let next = tell?.next() else { return }
    asked = next
    control?.begin(next.request.verb, at: ClockReading.monotonic.nanoseconds)
  }

  /// Answers the request that was taken, if that is possible by now.
  private func answerRequest(hasMore: Bool) {
    let now = ClockReading.monotonic.nanoseconds
    guard let asked, control?.step(hasMore: hasMore, at: now) != false else { return }
    asked.answer { () throws(Failure) in try answer(to: asked.request, at: now) }
    self.asked = nil
  }

  private func answer(to request: TellRequest, at now: UInt64) throws(Failure) -> String {
    switch request.verb {
    case .start, .stop:
      guard let control else {
        throw Failure(
          code: "alwaysTraced",
          message: "this trace goes on from the program's start to its end; begin one by hook-demo "
            + "trace --start-idle to start and stop it")
      }
      return request.isJSON ? control.document(at: now).text + "\n" : control.text(at: now)
    case .report:
      guard totals != nil else {
        throw Failure(
          code: "noTables",
          message: "this trace has no tables; begin it with --summary, --count, --tables or "
            + "--start-idle")
      }
      if request.isJSON { return document(unfinished(nil)) }
      let text = tables(.plain) + countedCalls(.plain)
      return text.isEmpty ? "nothing was traced so far\n" : text
    case .unfinished:
      let rows = unfinished(nil)
      if request.isJSON { return TableDocument.unfinished(rows, locations).text + "\n" }
      let text = UnfinishedTable.text(rows, locations, .plain)
      return text.isEmpty ? "nothing waits or runs\n" : text
    }
  }

  /// What has not finished.
  ///
  /// - Parameter end: The program's end; nil while it runs.
  /// - Returns: The rows of the table.
  func unfinished(_ end: TracedProcess.End?) -> UnfinishedRows {
    let hasExited = if case .exited = end { true } else { false }
    return UnfinishedRows(collector.openRecords(), hasExited: hasExited)
  }

  /// The failure if no process could be traced; nil if one was, even if it made no calls.
  func failure(_ end: TracedProcess.End) -> Failure? {
    if let control, control.hasListeners { return nil }
    let refusals = collector.refusals
    guard collector.refusedProgramCount == collector.counts.programs else { return nil }
    // Without one of the functions, the blocks were traced.
    if case .blocks = subject, let refusal = refusals.last, !refusal.endsProgram { return nil }
    guard let refusal = refusals.last else {
      let reason =
        collector.errors.first?.message
        ?? (program.containsTracer
          ? "it contains the tracer, but is linked without the flags that hook-demo trace "
            + "--linker-flags prints" : "the tracer was not loaded, or could not begin")
      return Failure(
        code: "notTraced", message: "\(reason); \(program.path) \(end.words), untraced")
    }
    // The tracer ends the program so; another end shows that it ran, whatever its stream says.
    let isStopped = if case .exited(127) = end { refusal.endsProgram } else { false }
    let ending = isStopped ? "was not started" : "\(end.words), untraced"
    let mark = refusal.message.hasSuffix("?") ? "" : ";"
    return Failure(
      code: refusal.code, message: "\(refusal.message)\(mark) \(program.path) \(ending)")
  }

  /// When the run began, how long it was traced so far, and what that took.
  var time: Time {
    let now = ClockReading.monotonic.nanoseconds
    return Time(
      unix: WallClock.atZero &+ begin, duration: control?.duration(at: now) ?? now &- begin,
      cost: TraceCost(measuredIn: directory.path))
  }
}
