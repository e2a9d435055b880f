#if Everything
import ArgumentParser
import CommandOptionsAndResults

/// `hook-demo hook`: hooks in depth, on real blocks.
struct HookCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "hook",
    abstract: "Shows hooks in depth on real blocks, and traces their calls.",
    discussion: """
      The tour's blocks are intercepted, hooked under load, on conditions and in groups, wrapped by \
      closures of their own type, memoized, traced, recorded and replayed. A step that does not \
      behave is marked, and the exit status is 1.

      STEPS
        intercept, removal, conditions, groups, typed, memoize, trace, record,
        restored

      EXAMPLES
        hook-demo hook
        hook-demo hook --step memoize --step trace
        hook-demo hook --trace text calls.txt      indented by depth
        hook-demo hook --trace json calls.jsonl    a JSON document per call
        hook-demo hook --trace perfetto calls      opens in https://ui.perfetto.dev
        hook-demo hook --trace html calls.html     a page with a timeline
        hook-demo hook --json
          {"steps":[{"name","ok","log":[…]}],"ok":true,
           "trace":{"format","file","written",…}}
      """)

  @Option(
    name: .customLong("step"),
    help: ArgumentHelp("Show this step only; may be repeated.", valueName: "name"))
  var names: [String] = []

  @Option(
    parsing: .upToNextOption,
    help: ArgumentHelp(
      "Trace the calls to a file, at most 10000 a second; the format is text, json, perfetto or html.",
      valueName: "format> <file"))
  var trace: [String] = []

  @OptionGroup var engine: EngineOptions
  @OptionGroup var output: OutputOptions

  func validate() throws {
    for name in names where !HookDemonstration.steps.contains(where: { $0.name == name }) {
      let known = HookDemonstration.steps.map(\.name).joined(separator: ", ")
      throw ValidationError("there is no step \(name); the steps are \(known)")
    }
    guard !trace.isEmpty else { return }
    guard trace.first != "chrome" else {
      throw ValidationError(
        "the format chrome is gone: use --trace perfetto FILE, which https://ui.perfetto.dev opens")
    }
    guard trace.count == 2, DemonstrationTrace.Format(rawValue: trace[0]) != nil else {
      throw ValidationError(
        "--trace takes a format (text, json, perfetto or html) and a file, such as "
          + "--trace html out.html")
    }
  }

  func run() throws {
    engine.choose()
    var prepared: (Exhibits, DemonstrationTrace?)?
    try output.reporting { () throws(Failure) in
      let exhibits = try Exhibits.collected()
      var tracing: DemonstrationTrace?
      if trace.count == 2, let format = DemonstrationTrace.Format(rawValue: trace[0]) {
        tracing = try DemonstrationTrace(format, path: trace[1], exhibits)
      }
      prepared = (exhibits, tracing)
    }
    guard let (exhibits, tracing) = prepared else { return }
    let isOK = show(exhibits, tracing)
    guard isOK else { throw ExitCode.failure }
  }

  /// Runs the steps and reports them.
  ///
  /// - Returns: Whether all steps behaved and the trace is complete.
  private func show(_ exhibits: Exhibits, _ tracing: DemonstrationTrace?) -> Bool {
    let style = TextStyle.forStandardOutput
    let steps = HookDemonstration.steps.filter { names.isEmpty || names.contains($0.name) }
    if !output.json {
      StandardOutput.write(TourReport.introduction("BlockRuntime: hooks in depth", style))
    }
    var outcomes: [TourOutcome] = []
    for (index, step) in steps.enumerated() {
      // The trace's hooks must be removed before the step that checks that no hooks are left.
      if step.name == "restored" { tracing?.finish() }
      let outcome = step.run(exhibits)
      outcomes.append(outcome)
      if !output.json { StandardOutput.write(TourReport.text(outcome, number: index + 1, style)) }
    }
    tracing?.finish()
    let isOK = outcomes.allSatisfy(\.isOK) && tracing?.isComplete ?? true
    if output.json {
      let document = TourReport.json(outcomes, isOK: isOK, trace: tracing?.json)
      StandardOutput.write(document.text + "\n")
    } else {
      StandardOutput.write(TourReport.summary(outcomes, style) + (tracing?.summary ?? ""))
    }
    if let failure = tracing?.failure { StandardError.write("hook-demo: \(failure)\n") }
    return isOK
  }
}
#endif
