import BlockRuntime
import CommandOptionsAndResults

/// The messages of `hook-demo forward`: the receivers and the answer of each.
struct ForwardReport {
  private struct Outcome {
    let step: ForwardStep
    let told: [String]
    let answer: String

    var isOK: Bool { told == step.told && answer == step.answer }
  }

  private let outcomes: [Outcome]

  /// Sends the messages.
  ///
  /// - Throws: The failure of a step whose answer is not an expected error.
  init() throws(Failure) {
    var outcomes: [Outcome] = []
    do throws(MessageError) {
      let scene = try ForwardScene()
      for step in ForwardStep.all {
        let answer = try step.send(scene)
        outcomes.append(Outcome(step: step, told: scene.log.take(), answer: answer))
      }
    } catch {
      throw Failure(code: error.code.rawValue, message: error.message)
    }
    self.outcomes = outcomes
  }

  /// Whether each message reached the expected receivers, in order, with the expected answer.
  var isOK: Bool { outcomes.allSatisfy(\.isOK) }

  /// Each message with its receivers and its answer, and the outcome.
  func text(_ style: TextStyle) -> String {
    var text = ""
    var chapter = ""
    for outcome in outcomes {
      if outcome.step.chapter != chapter {
        chapter = outcome.step.chapter
        text += (text.isEmpty ? "" : "\n") + style.strong(chapter) + "\n"
      }
      text += style.code(outcome.step.code) + "\n"
      if !outcome.told.isEmpty { text += "  → \(outcome.told.joined(separator: ", "))\n" }
      if !outcome.answer.isEmpty {
        let lines = outcome.answer.split(separator: "\n")
        text += lines.map { "  = \($0)\n" }.joined()
      }
    }
    return text + "\n" + summary(style)
  }

  private func summary(_ style: TextStyle) -> String {
    guard isOK else {
      return outcomes.filter { !$0.isOK }.map { outcome in
        "\(style.bad("✗")) \(outcome.step.code) reached \(outcome.told), not \(outcome.step.told), "
          + "or answered \(outcome.answer), not \(outcome.step.answer)\n"
      }.joined()
    }
    return
      "\(style.good("✓")) \(outcomes.count) steps: each message reached whom it was to reach, in "
      + "order\n"
  }

  /// The steps as a JSON document.
  var json: JSONValue {
    let steps = outcomes.map { outcome in
      JSONValue.object([
        ("chapter", .string(outcome.step.chapter)), ("step", .string(outcome.step.code)),
        ("told", .array(outcome.told.map { .string($0) })), ("answer", .string(outcome.answer)),
      ])
    }
    return .object([("steps", .array(steps)), ("ok", .bool(isOK))])
  }
}
