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
      "Trace calls to a file, at most 10000 a second; the format is text, json, perfetto or html.",
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
    let exhibits = try output.reporting(Exhibits.collected)
    let tracing = try output.reporting { () throws(Failure) -> DemonstrationTrace? in
      guard trace.count == 2, let format = DemonstrationTrace.Format(rawValue: trace[0]) else {
        return nil
      }
      return try DemonstrationTrace(format, path: trace[1], exhibits)
    }
    let steps = HookDemonstration.steps.filter { names.isEmpty || names.contains($0.name) }
    try output.show(steps, of: exhibits, title: "BlockRuntime: hooks in depth", tracing)
  }
}
#endif
