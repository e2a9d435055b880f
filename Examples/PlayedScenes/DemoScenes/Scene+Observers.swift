import BlockRuntime

extension Scene {
  /// Observers of a ship: properties, a path through a link, a computed property, collections.
  package static func observers() throws -> Scene {
    let (ship, log) = (Ship(), Log())
    let options: ObservingOptions = [.old, .new]
    ship.observe(\.name, options: [.prior, .old, .new]) { log.note("name", ToldChange($1)) }
    ship.observe(\.captain?.name, options: options) { log.note("captain's name", ToldChange($1)) }
    ship.observe(\.crew, options: options) { log.note("crew", ToldChange($1)) }
    ship.observe(\.wages, options: options) { log.note("wages", ToldChange($1)) }
    ship.observeElements(of: \.crew, \.wage, options: options) {
      log.note("a sailor's wage", ToldChange($1))
    }
    try ship.observe(keyPath: "crew.@max.wage", options: [.old, .new, .distinct]) {
      log.note("crew.@max.wage", ToldChange($1))
    }
    ship.observe(\.flags, options: options) { log.note("flags", ToldChange($1)) }
    ship.observe(\.cargo, options: options) { log.note("cargo", ToldChange($1)) }
    ship.observe(\.pilot, options: options) { log.note("pilot", ToldChange($1)) }
    return Scene("BlockRuntime: observers of Swift classes", ["": changes(of: ship)], log)
  }

  /// The changes, each of which shows another feature.
  private static func changes(of ship: Ship) -> [Step] {
    [
      Step(#"ship.name = "Fram""#, told: ["name", "name"]) { ship.name = "Fram" },
      Step(#"ship.captain = Sailor("Ada", wage: 9)"#, told: ["captain's name", "wages"]) {
        ship.captain = Sailor("Ada", wage: 9)
      },
      Step(#"ship.captain?.name = "Ada L.""#, told: ["captain's name"]) {
        ship.captain?.name = "Ada L."
      },
      Step(#"ship.$crew.append(Sailor("Bo", wage: 3))"#, told: ["crew", "wages", "crew.@max.wage"])
      {
        ship.$crew.append(Sailor("Bo", wage: 3))
      },
      Step(
        #"ship.$crew.insert(Sailor("Cy", wage: 4), at: 0)"#,
        told: ["crew", "wages", "crew.@max.wage"]
      ) { try ship.$crew.insert(Sailor("Cy", wage: 4), at: 0) },
      Step("ship.crew[1].wage = 5", told: ["wages", "crew.@max.wage", "a sailor's wage"]) {
        ship.crew[1].wage = 5
      },
      Step(
        "withChangeTransaction { captain.wage = 10; crew[0].wage = 5 }",
        told: ["wages", "a sailor's wage"]
      ) {
        withChangeTransaction {
          ship.captain?.wage = 10
          ship.crew[0].wage = 5
        }
      },
      Step("ship.$crew.remove(at: 1)", told: ["crew", "wages"]) {
        _ = try ship.$crew.remove(at: 1)
      },
      Step(#"ship.$flags.formUnion(["P", "Q"])"#, told: ["flags"]) {
        ship.$flags.formUnion(["P", "Q"])
      },
      Step(#"ship.$flags.formUnion(["Q"])"#) { ship.$flags.formUnion(["Q"]) },
      Step(#"ship.$cargo.updateValue(40, forKey: "tea")"#, told: ["cargo"]) {
        _ = ship.$cargo.updateValue(40, forKey: "tea")
      },
      Step(#"ship.$cargo.updateValue(30, forKey: "tea")"#, told: ["cargo"]) {
        _ = ship.$cargo.updateValue(30, forKey: "tea")
      },
      Step(
        "do { let pilot = Sailor(…); ship.pilot = pilot }  // it dies", told: ["pilot", "pilot"]
      ) {
        let pilot = Sailor("Di", wage: 1)
        ship.pilot = pilot
        withExtendedLifetime(pilot) {}
      },
      Step("ship.captain = nil", told: ["captain's name", "wages"]) { ship.captain = nil },
      Step(#"ship.removeObservers(); ship.name = """#) {
        ship.removeObservers()
        ship.name = ""
      },
    ]
  }
}
