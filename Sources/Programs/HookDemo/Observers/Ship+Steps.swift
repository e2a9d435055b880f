import BlockRuntime
import CommandOptionsAndResults

extension Ship: Scene {
  static let title = "BlockRuntime: observers of Swift classes"
  static let jsonName = "changes"

  /// The changes, each of which shows another feature.
  static var chapters: KeyValuePairs<String, [SceneStep<Ship>]> { ["": changes] }

  private static var changes: [SceneStep<Ship>] {
    [
      SceneStep(#"ship.name = "Fram""#, told: ["name", "name"]) { $0.name = "Fram" },
      SceneStep(#"ship.captain = Sailor("Ada", wage: 9)"#, told: ["captain's name", "wages"]) {
        $0.captain = Sailor("Ada", wage: 9)
      },
      SceneStep(#"ship.captain?.name = "Ada L.""#, told: ["captain's name"]) {
        $0.captain?.name = "Ada L."
      },
      SceneStep(
        #"ship.$crew.append(Sailor("Bo", wage: 3))"#, told: ["crew", "wages", "crew.@max.wage"]
      ) { $0.$crew.append(Sailor("Bo", wage: 3)) },
      SceneStep(
        #"ship.$crew.insert(Sailor("Cy", wage: 4), at: 0)"#,
        told: ["crew", "wages", "crew.@max.wage"]
      ) { try $0.$crew.insert(Sailor("Cy", wage: 4), at: 0) },
      SceneStep(
        "ship.crew[1].wage = 5", told: ["wages", "crew.@max.wage", "a sailor's wage"]
      ) { $0.crew[1].wage = 5 },
      SceneStep(
        "withChangeTransaction { captain.wage = 10; crew[0].wage = 5 }",
        told: ["wages", "a sailor's wage"]
      ) { ship in
        withChangeTransaction {
          ship.captain?.wage = 10
          ship.crew[0].wage = 5
        }
      },
      SceneStep("ship.$crew.remove(at: 1)", told: ["crew", "wages"]) {
        try $0.$crew.remove(at: 1)
      },
      SceneStep(#"ship.$flags.formUnion(["P", "Q"])"#, told: ["flags"]) {
        $0.$flags.formUnion(["P", "Q"])
      },
      SceneStep(#"ship.$flags.formUnion(["Q"])"#) { $0.$flags.formUnion(["Q"]) },
      SceneStep(#"ship.$cargo.updateValue(40, forKey: "tea")"#, told: ["cargo"]) {
        $0.$cargo.updateValue(40, forKey: "tea")
      },
      SceneStep(#"ship.$cargo.updateValue(30, forKey: "tea")"#, told: ["cargo"]) {
        $0.$cargo.updateValue(30, forKey: "tea")
      },
      SceneStep(
        "do { let pilot = Sailor(…); ship.pilot = pilot }  // it dies", told: ["pilot", "pilot"]
      ) {
        let pilot = Sailor("Di", wage: 1)
        $0.pilot = pilot
        withExtendedLifetime(pilot) {}
      },
      SceneStep("ship.captain = nil", told: ["captain's name", "wages"]) { $0.captain = nil },
      SceneStep(#"ship.removeObservers(); ship.name = """#) {
        $0.removeObservers()
        $0.name = ""
      },
    ]
  }

  static func name(_ entry: ObserverCall) -> String { entry.observer }

  static func lines(_ outcomes: [SceneOutcome<Ship>], _ style: TextStyle) -> [[String]] {
    var table = TextTable(headings: ["  observer of", "is told", "old", "new"])
    for call in outcomes.flatMap(\.entries) {
      table.append(["  " + call.observer, call.what, call.old ?? "", call.new ?? ""])
    }
    var lines = table.text(style: style).split(separator: "\n").map(String.init)[...]
    return [[lines.popFirst() ?? ""]]
      + outcomes.map { outcome in
        let told = Array(lines.prefix(outcome.entries.count))
        lines = lines.dropFirst(told.count)
        return told.isEmpty ? [style.faint("  nobody")] : told
      }
  }

  static func summary(_ outcomes: [SceneOutcome<Ship>]) -> String {
    "\(outcomes.count) changes, \(outcomes.reduce(0) { $0 + $1.entries.count }) calls: "
      + "each observer was told what it observes, once, in order"
  }

  static func json(_ outcome: SceneOutcome<Ship>) -> JSONValue {
    .object([
      ("change", .string(outcome.step.code)),
      ("calls", .array(outcome.entries.map(\.json))),
    ])
  }
}
