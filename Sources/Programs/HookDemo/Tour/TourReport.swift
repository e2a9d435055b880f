import CommandOptionsAndResults

/// The tour's outcomes, as text and as JSON.
enum TourReport {
  /// The heading.
  static func introduction(_ title: String, _ style: TextStyle) -> String {
    style.strong(title) + "\n\n"
  }

  /// A step: its number and title, its code, and its log with the marked checks.
  static func text(_ outcome: TourOutcome, number: Int, _ style: TextStyle) -> String {
    let digits = number < 10 ? " \(number)" : "\(number)"
    var text = "\(digits). \(style.strong(outcome.step.title))\n"
    text += "    \(style.code(outcome.step.code))\n"
    for line in outcome.log.lines {
      switch line {
      case .said(let said): text += "    \(style.faint("│")) \(TextStyle.visible(said))\n"
      case .checked(let what, let holds):
        text += "    \(mark(holds, style)) \(TextStyle.visible(what))\n"
      }
    }
    return text + "\n"
  }

  /// The last line.
  static func summary(_ outcomes: [TourOutcome], _ style: TextStyle) -> String {
    let failed = outcomes.filter { !$0.isOK }
    guard !failed.isEmpty else {
      let steps = outcomes.count == 1 ? "the step" : "all \(outcomes.count) steps"
      return "\(mark(true, style)) \(steps) behaved\n"
    }
    let names = failed.map(\.step.name).joined(separator: ", ")
    return "\(mark(false, style)) \(failed.count) of \(outcomes.count) steps did not behave: "
      + "\(names)\n"
  }

  /// The whole tour as a JSON document, with the counts of a trace if there is one.
  static func json(
    _ outcomes: [TourOutcome], isOK: Bool, trace: JSONValue?
  ) -> JSONValue {
    let steps = outcomes.map { outcome in
      JSONValue.object([
        ("name", .string(outcome.step.name)), ("ok", .bool(outcome.isOK)),
        ("log", .array(outcome.log.lines.map { .string(text(of: $0)) })),
      ])
    }
    let traces: [JSONValue.Member] = trace.map { [("trace", $0)] } ?? []
    return .object(
      [("steps", .array(steps)), ("ok", .bool(isOK))] + traces)
  }

  private static func text(of line: StepLog.Line) -> String {
    switch line {
    case .said(let text): text
    case .checked(let text, let holds): (holds ? "✓ " : "✗ ") + text
    }
  }

  private static func mark(_ holds: Bool, _ style: TextStyle) -> String {
    holds ? style.good("✓") : style.bad("✗")
  }
}
