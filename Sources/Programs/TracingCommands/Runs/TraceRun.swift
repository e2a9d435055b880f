import BlockHooks
import CallTracing
import CommandOptionsAndResults
import Glibc

/// One run of a traced program, from its start to the report on its end.
final class TraceRun {
  private let program: ProgramInspection
  private let directory: TraceDirectory
  private let collector: TraceCollector
  private let sinks: [any TraceSink]
  private let subject: TraceRunSubject
  private let locations: CodeLocations

  /// The totals of the tables, and how these are sorted; nil if there are no tables.
  private let totals: TraceTotals?
  private let order: TableOrder

  /// When the run began, by `CLOCK_MONOTONIC`.
  private let begin = ClockReading.monotonic.nanoseconds

  /// Takes what `hook-demo tell` asks; nil where that is not possible.
  private let tell: TellServer?

  /// The request that is not answered yet.
  private var asked: TellServer.Asked?

  /// The switch of a run that begins idle; nil for one that is traced from its beginning.
  private let control: RunSwitch?

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
      let hasMore = collector.collect()
      if !isWaiting, let refusal = collector.refusals.first, !refusal.endsProgram {
        isWaiting = true
        StandardError.say(
          "\(refusal.message) (\(program.path) goes on; what it loads or starts is looked at)")
      }
      serve(hasMore: hasMore)
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

  /// Goes on with the request that is not answered yet, or takes the next one.
  private func serve(hasMore: Bool) {
    let now = ClockReading.monotonic.nanoseconds
    if asked == nil {
      guard let next = tell?.next() else { return }
      asked = next
      control?.begin(next.request.verb, at: now)
    }
    guard control?.step(hasMore: hasMore, at: now) != false, let asked else { return }
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
    let programCount = collector.counts.programs
    guard refusals.count == programCount else { return nil }
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
  private var time: Time {
    let now = ClockReading.monotonic.nanoseconds
    return Time(
      unix: WallClock.atZero &+ begin, duration: control?.duration(at: now) ?? now &- begin,
      cost: TraceCost(measuredIn: directory.path))
  }

  /// The tables of the run so far, with what the trace cost.
  func tables(_ style: TextStyle) -> String {
    guard let totals else { return "" }
    let time = time
    let tables = totals.tables(
      by: order, queueLoads: collector.queueLoads, actorLoads: collector.actorLoads,
      lasting: time.duration, locations, style)
    guard !tables.isEmpty else { return "" }
    return tables + "\n" + style.faint(text(of: totals.rows, time)) + "\n"
  }

  /// The table of the Swift functions whose calls were counted.
  func countedCalls(_ style: TextStyle) -> String {
    SwiftCallTable.text(collector.countedCalls, by: order, style)
  }

  /// The tables of the run as a JSON document.
  func document(_ unfinished: UnfinishedRows) -> String {
    guard let totals else { return "" }
    return TableDocument(
      counts: collector.counts, time: time, totals: totals.rows, loads: collector.queueLoads,
      actors: collector.actorLoads.longest,
      unfinished: unfinished,
      functions: subject.functions, swiftCalls: collector.countedCalls, order: order,
      locations: locations
    ).text
  }

  /// What the trace has, by kinds as the tables count it, and what it cost.
  private func text(of rows: TraceTotals.State, _ time: Time) -> String {
    let counts = collector.counts
    let calls = rows.calls.all.map(\.value)
    let others = [
      (rows.waits.all.reduce(0) { $0 + Int($1.value.durations.count) }, "wait", ""),
      (rows.tasks.all.reduce(0) { $0 + Int($1.value.parts.count) }, "part", " of tasks"),
      (calls.reduce(0) { $0 + $1.unstarted }, "block", " not run"),
    ]
    let kinds =
      [calls.reduce(0) { $0 + Int($1.durations.count) }.of("call")]
      + others.filter { $0.0 > 0 }.map { $0.0.of($0.1) + $0.2 }
    let lost = counts.dropped == 0 ? "none lost" : "\(counts.dropped.of("call")) lost"
    let start =
      "the trace: \(kinds.joined(separator: ", ")); \(counts.submissions) sent to queues, \(lost)"
      + "; it lasted \(TableCells.seconds(time.duration)) s"
    guard let cost = time.cost else { return start }
    // A hop of a task is a record as a submission is.
    let total =
      UInt64(counts.calls) * cost.call
      + UInt64(counts.submissions + counts.hops) * cost.submission
    return "\(start) and took the program about \(TableCells.milliseconds(total)) ms, "
      + "\(cost.call) ns a call and \(cost.submission) ns a submission on this machine"
  }

  /// Remarks for the user on the end of the run, each of them one line.
  func remarks(on end: TracedProcess.End) -> [String] {
    var remarks: [String] = []
    let open = collector.unfinishedRecords
    // A call rather than a wait, which ends no program.
    let inside = (open.last { $0.kind == .call } ?? open.last).map { innermost in
      let others = open.count - 1
      let task = innermost.task.map { ", \($0)" } ?? ""
      let words = "\(innermost)\(locations.suffix(innermost.subject.place))\(task)"
      return others > 0 ? "\(words) and \(others.of("other call"))" : words
    }
    if case .killed = end {
      let place = inside.map { "had not ended: \($0)" } ?? "no call was running"
      remarks.append("\(program.path) \(end.words); \(place)")
    } else if let inside {
      remarks.append("had not ended: \(inside)")
    }
    let counts = collector.counts
    if counts.running > 0 {
      let areRunning =
        counts.running == 1 ? "program still runs, and is" : "programs still run, and are"
      remarks.append("\(counts.running) \(areRunning) not traced any more")
    }
    if counts.dropped > 0 {
      let areMissing =
        counts.dropped == 1 ? "call found no room and is" : "calls found no room and are"
      remarks.append(
        "\(counts.dropped) \(areMissing) missing; give a larger --buffer, or a filter")
    }
    if counts.missing > 0 {
      remarks.append(
        "\(counts.missing.of("record")) of submissions, actors and waits found no room, so tables lack "
          + "what they tell; give a larger --buffer, or a filter")
    }
    let lost = sinks.reduce(0) { $0 + $1.lostRecordCount }
    if lost > 0 { remarks.append("\(lost.of("call")) could not be written") }
    remarks += collector.errors.map(\.message)
    if let remark = locations.remark { remarks.append(remark) }
    if case .blocks = subject, control?.hasStarted != false {
      remarks += Set(collector.refusals.map { "not traced: \($0.message)" }).sorted()
    }
    if let control, !control.hasStarted {
      remarks.append("nothing was traced: hook-demo tell was not asked to start")
    } else if case .blocks(_, _, let patterns) = subject, !patterns.isEmpty,
      collector.countedCalls.isEmpty
    {
      remarks.append(
        "no call of \(patterns.joined(separator: ", ")) was counted: the program called none, or "
          + "is not built with -Xswiftc -Xfrontend -Xswiftc -enable-implicit-dynamic")
    } else if counts.calls == 0, collector.countedCalls.isEmpty {
      remarks.append(subject.remarkOnNothing)
      if case .blocks(areFiltered: false, _, _) = subject, let doubt = program.doubt {
        remarks.append(doubt)
      }
    }
    return remarks
  }
}

/// The calls of a program that are traced.
enum TraceRunSubject {
  /// The blocks, C functions of these names, and Swift functions that match these patterns.
  case blocks(areFiltered: Bool, functions: [String], _ swiftCalls: [String])
  /// A C function, and its other names.
  case functions([String])

  /// The title of a page with these calls, which a command made.
  func title(of command: String) -> String {
    switch self {
    case .blocks: command
    case .functions(let names): "Calls of \(names[0]): \(command)"
    }
  }

  /// The names of the C functions whose calls are traced.
  var functions: Set<String> {
    switch self {
    case .blocks(_, let functions, _), .functions(let functions): Set(functions)
    }
  }

  /// Why there may have been no calls.
  var remarkOnNothing: String {
    switch self {
    case .blocks(_, let functions, _) where !functions.isEmpty:
      "no call of a block was seen, nor of \(functions.joined(separator: ", ")): the program makes "
        + "none, or not through an import"
    case .blocks(areFiltered: true, _, _):
      "no call of a block was seen: the filters match none, or the program calls none that they "
        + "could"
    case .blocks(areFiltered: false, _, _):
      "no call of a block was seen: the program calls none, or only such as pass neither _Block_copy "
        + "nor libdispatch"
    case .functions(let names):
      "no call of \(names[0]) was seen: the program does not call it, or not through an import"
    }
  }
}
