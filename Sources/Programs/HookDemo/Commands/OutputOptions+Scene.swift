#if Everything
import ArgumentParser
import CommandOptionsAndResults
import DemoScenes

extension OutputOptions {
  /// Plays a scene and shows the outcomes of its steps.
  ///
  /// - Parameters:
  ///   - scene: Makes the scene.
  ///   - name: The name of the steps in JSON.
  ///   - document: Writes a step's outcome as JSON.
  ///   - summary: Makes the last line, if all is as it must be; it receives the number of steps,
  ///     and how often anybody was told.
  /// - Throws: The exit status 1 if a step has another outcome than it must have.
  func show(
    _ scene: () throws -> Scene, _ name: String, document: (Scene.Outcome) -> JSONValue,
    summary: (_ steps: Int, _ told: Int) -> String
  ) throws {
    let made = try reporting { () throws(Failure) in try Failure.catching(scene) }
    let outcomes = made.play()
    let faults = outcomes.compactMap(\.fault)
    let style = TextStyle.forStandardOutput
    let told = outcomes.reduce(0) { $0 + $1.told.count }
    write(
      .object([(name, .array(outcomes.map(document))), ("ok", .bool(faults.isEmpty))]),
      or: style.title(made.title) + text(outcomes, style) + "\n"
        + style.marked(faults, or: summary(outcomes.count, told)))
    guard faults.isEmpty else { throw ExitCode.failure }
  }

  /// Each step with those that were told: in the rows of a table, if they were told of changes;
  /// otherwise in a line, with the step's answer.
  private func text(_ outcomes: [Scene.Outcome], _ style: TextStyle) -> String {
    var table = TextTable(headings: ["  observer of", "is told", "old", "new"])
    for told in outcomes.flatMap(\.told) {
      guard let change = told.change else { continue }
      table.append(["  " + told.name, change.summary, change.old ?? "", change.new ?? ""])
    }
    let hasTable = !table.rows.isEmpty
    var rows = table.text(style: style).split(separator: "\n").map { "\($0)\n" }[...]
    let heading = rows.removeFirst()
    var text = hasTable ? heading : ""
    var chapter = ""
    for outcome in outcomes {
      if outcome.chapter != chapter {
        text += (chapter.isEmpty ? "" : "\n") + style.strong(outcome.chapter) + "\n"
        chapter = outcome.chapter
      }
      text += style.code(outcome.code) + "\n"
      if hasTable {
        text += outcome.told.isEmpty ? style.faint("  nobody") + "\n" : ""
        text += rows.prefix(outcome.told.count).joined()
        rows = rows.dropFirst(outcome.told.count)
      } else {
        let names = outcome.told.map(\.name).joined(separator: ", ")
        text += names.isEmpty ? "" : "  → \(names)\n"
        text += outcome.answer.isEmpty ? "" : "  = \(outcome.answer)\n"
      }
    }
    return text
  }
}
#endif
