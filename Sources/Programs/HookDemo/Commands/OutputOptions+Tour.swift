#if Everything
import ArgumentParser
import CommandOptionsAndResults

extension OutputOptions {
  /// Takes steps, and shows each when it has ended.
  ///
  /// - Parameters:
  ///   - steps: The steps.
  ///   - exhibits: The blocks that they act on.
  ///   - title: The heading.
  ///   - tracing: The trace of the steps, which is ended.
  /// - Throws: The exit status 1 if a step does not behave, or the trace is not complete.
  func show(
    _ steps: [TourStep], of exhibits: Exhibits, title: String,
    _ tracing: DemonstrationTrace? = nil
  ) throws {
    let style = TextStyle.forStandardOutput
    if !json { StandardOutput.write(TourReport.introduction(title, style)) }
    var outcomes: [TourOutcome] = []
    for (index, step) in steps.enumerated() {
      // The trace's hooks must be removed before the step that checks that no hooks are left.
      if step.name == "restored" { tracing?.finish() }
      let outcome = step.run(exhibits)
      outcomes.append(outcome)
      if !json { StandardOutput.write(TourReport.text(outcome, number: index + 1, style)) }
    }
    tracing?.finish()
    let isOK = outcomes.allSatisfy(\.isOK) && tracing?.isComplete ?? true
    StandardOutput.write(
      json
        ? TourReport.json(outcomes, isOK: isOK, trace: tracing?.json).text + "\n"
        : TourReport.summary(outcomes, style) + (tracing?.summary ?? ""))
    if let failure = tracing?.failure { StandardError.write("hook-demo: \(failure)\n") }
    guard isOK else { throw ExitCode.failure }
  }
}
#endif
