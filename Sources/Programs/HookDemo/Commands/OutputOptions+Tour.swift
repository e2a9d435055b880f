#if Everything
import ArgumentParser
import CommandOptionsAndResults

extension OutputOptions {
  /// Takes steps with exhibits, shows each step when it has ended, and ends the trace of the steps.
  ///
  /// - Throws: The exit status 1 if a step does not behave, or the trace is not complete.
  func show(
    _ steps: [TourStep], of exhibits: Exhibits, title: String,
    _ tracing: DemonstrationTrace? = nil
  ) throws {
    let style = TextStyle.forStandardOutput
    if !json { StandardOutput.write(style.title(title)) }
    var documents: [JSONValue] = []
    var failed: [String] = []
    for (index, step) in steps.enumerated() {
      // The trace's hooks must be removed before the step that checks that no hooks are left.
      if step.name == TourStep.restored.name { tracing?.finish() }
      let log = step.take(exhibits)
      if !log.isOK { failed.append(step.name) }
      documents.append(log.json(of: step))
      if !json { StandardOutput.write(log.text(of: step, number: index + 1, style)) }
    }
    tracing?.finish()
    let isOK = failed.isEmpty && tracing?.isComplete ?? true
    let all = steps.count == 1 ? "the step" : "all \(steps.count) steps"
    let summary =
      failed.isEmpty
      ? "\(all) behaved"
      : "\(failed.count) of \(steps.count) steps did not behave: \(failed.joined(separator: ", "))"
    let trace = tracing.map { [("trace", $0.json)] } ?? []
    write(
      .object([("steps", .array(documents)), ("ok", .bool(isOK))] + trace),
      or: "\(style.mark(failed.isEmpty)) \(summary)\n\(tracing?.summary ?? "")")
    if let failure = tracing?.failure { StandardError.write("hook-demo: \(failure)\n") }
    guard isOK else { throw ExitCode.failure }
  }
}

extension StepLog {
  /// The step with its number, title and code, its messages, and its marked checks.
  fileprivate func text(of step: TourStep, number: Int, _ style: TextStyle) -> String {
    let heading = "\(number < 10 ? " " : "")\(number). \(style.strong(step.title))"
    let lines = lines.map { line in
      "\(line.holds.map(style.mark) ?? style.faint("│")) \(TextStyle.visible(line.text))"
    }
    return heading + "\n" + ([style.code(step.code)] + lines).map { "    \($0)\n" }.joined() + "\n"
  }

  fileprivate func json(of step: TourStep) -> JSONValue {
    let lines = lines.map { line in
      JSONValue.string((line.holds.map { $0 ? "✓ " : "✗ " } ?? "") + line.text)
    }
    return .object([
      ("name", .string(step.name)), ("ok", .bool(isOK)), ("log", .array(lines)),
    ])
  }
}
#endif
