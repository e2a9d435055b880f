#if Everything
import ArgumentParser
import BlockRuntime
import CommandOptionsAndResults

extension OutputOptions {
  /// Takes the steps of a scene and shows their outcomes.
  ///
  /// - Throws: The exit status 1 if a step has another outcome than it must have.
  func show<S: Scene>(_: S.Type) throws {
    var scene: S?
    try reporting { () throws(Failure) in
      do {
        scene = try S()
      } catch {
        let refusal = error as? any BlockRuntimeError
        throw Failure(
          code: refusal?.code.rawValue ?? "unknown", message: refusal?.message ?? "\(error)")
      }
    }
    guard let scene else { return }
    let outcomes = S.chapters.flatMap { chapter, steps in
      steps.map { step in
        let answer = step.answer(in: scene)
        return SceneOutcome(
          chapter: chapter, step: step, entries: scene.log.take(), answer: answer)
      }
    }
    let isOK = outcomes.allSatisfy(\.isOK)
    if json {
      let document = JSONValue.object([
        (S.jsonName, .array(outcomes.map(S.json))), ("ok", .bool(isOK)),
      ])
      StandardOutput.write(document.text + "\n")
    } else {
      StandardOutput.write(Self.text(outcomes, .forStandardOutput))
    }
    guard isOK else { throw ExitCode.failure }
  }

  private static func text<S: Scene>(
    _ outcomes: [SceneOutcome<S>], _ style: TextStyle
  ) -> String {
    var text = TourReport.introduction(S.title, style)
    var lines = S.lines(outcomes, style)[...]
    for line in lines.popFirst() ?? [] { text += line + "\n" }
    var chapter = ""
    for (outcome, lines) in zip(outcomes, lines) {
      if outcome.chapter != chapter {
        text += (chapter.isEmpty ? "" : "\n") + style.strong(outcome.chapter) + "\n"
        chapter = outcome.chapter
      }
      text += style.code(outcome.step.code) + "\n" + lines.map { $0 + "\n" }.joined()
    }
    let failures = outcomes.filter { !$0.isOK }.map { outcome in
      let step = outcome.step
      let told = outcome.told == step.told ? [] : ["told \(outcome.told), not \(step.told)"]
      let answered =
        outcome.answer == step.answer ? [] : ["answered \(outcome.answer), not \(step.answer)"]
      return "\(style.bad("✗")) \(step.code) \((told + answered).joined(separator: ", and "))"
    }
    let results = failures.isEmpty ? ["\(style.good("✓")) \(S.summary(outcomes))"] : failures
    return text + "\n" + results.map { $0 + "\n" }.joined()
  }
}
#endif
