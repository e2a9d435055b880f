import BlockRuntime
import CommandOptionsAndResults

/// The changes of `hook-demo observe`, and the calls of observers for each.
struct ObserverReport {
  private struct Outcome {
    let step: ObserverStep
    let log: [ObserverLog.Call]

    var isOK: Bool { log.map(\.observer) == step.told }
  }

  private let outcomes: [Outcome]

  /// Makes the changes.
  ///
  /// - Throws: The failure of a change.
  init() throws(Failure) {
    let ship = Ship()
    let log = ObserverLog()
    var outcomes: [Outcome] = []
    do throws(KeyValueError) {
      try ObserverStep.observe(ship, log)
      for step in ObserverStep.all(of: ship) {
        try step.change(ship)
        outcomes.append(Outcome(step: step, log: log.take()))
      }
    } catch {
      throw Failure(code: error.code.rawValue, message: error.message)
    }
    self.outcomes = outcomes
  }

  /// Whether each change called the expected observers, in order.
  var isOK: Bool { outcomes.allSatisfy(\.isOK) }

  /// Each change with a table of the observers' calls, and the outcome.
  func text(_ style: TextStyle) -> String {
    var table = TextTable(headings: ["  observer of", "is told", "old", "new"])
    for entry in outcomes.flatMap(\.log) {
      table.append(["  " + entry.observer, entry.what, entry.old ?? "", entry.new ?? ""])
    }
    var lines = table.text(style: style).split(separator: "\n")[...]
    var text = (lines.popFirst() ?? "") + "\n"
    for outcome in outcomes {
      text += style.code(outcome.step.code) + "\n"
      if outcome.log.isEmpty { text += style.faint("  nobody") + "\n" }
      text += lines.prefix(outcome.log.count).map { $0 + "\n" }.joined()
      lines = lines.dropFirst(outcome.log.count)
    }
    return text + "\n" + summary(style)
  }

  private func summary(_ style: TextStyle) -> String {
    guard isOK else {
      return outcomes.filter { !$0.isOK }.map { outcome in
        "\(style.bad("✗")) \(outcome.step.code) was told to \(outcome.log.map(\.observer)), "
          + "not to \(outcome.step.told)\n"
      }.joined()
    }
    let calls = outcomes.reduce(0) { $0 + $1.log.count }
    return "\(style.good("✓")) \(outcomes.count) changes, \(calls) calls: each observer was told "
      + "what it observes, once, in order\n"
  }

  /// The changes as a JSON document.
  var json: JSONValue {
    let changes = outcomes.map { outcome in
      JSONValue.object([
        ("change", .string(outcome.step.code)), ("calls", .array(outcome.log.map(\.json))),
      ])
    }
    return .object([("changes", .array(changes)), ("ok", .bool(isOK))])
  }
}
