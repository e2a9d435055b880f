import BlockRuntime

/// A change that `hook-demo observe` makes.
struct ObserverStep {
  /// The change as program text.
  let code: String

  /// The expected observers, in the order of their calls.
  let told: [String]

  /// Makes the change.
  let change: (Ship) throws(KeyValueError) -> Void
}

extension ObserverStep {
  /// The changes, each of which shows another feature.
  static func all(of ship: Ship) -> [ObserverStep] {
    [
      ObserverStep(code: #"ship.name = "Fram""#, told: ["name", "name"]) { $0.name = "Fram" },
      ObserverStep(
        code: #"ship.captain = Sailor("Ada", wage: 9)"#, told: ["captain's name", "wages"]
      ) { $0.captain = Sailor("Ada", wage: 9) },
      ObserverStep(code: #"ship.captain?.name = "Ada L.""#, told: ["captain's name"]) {
        $0.captain?.name = "Ada L."
      },
      ObserverStep(
        code: #"ship.$crew.append(Sailor("Bo", wage: 3))"#,
        told: ["crew", "wages", "crew.@max.wage"]
      ) { $0.$crew.append(Sailor("Bo", wage: 3)) },
      ObserverStep(
        code: #"ship.$crew.insert(Sailor("Cy", wage: 4), at: 0)"#,
        told: ["crew", "wages", "crew.@max.wage"]
      ) { ship throws(KeyValueError) in
        try ship.$crew.insert(Sailor("Cy", wage: 4), at: 0)
      },
      ObserverStep(
        code: "ship.crew[1].wage = 5", told: ["wages", "crew.@max.wage", "a sailor's wage"]
      ) {
        $0.crew[1].wage = 5
      },
      ObserverStep(
        code: "withChangeTransaction { captain.wage = 10; crew[0].wage = 5 }",
        told: ["wages", "a sailor's wage"]
      ) { ship in
        withChangeTransaction {
          ship.captain?.wage = 10
          ship.crew[0].wage = 5
        }
      },
      ObserverStep(code: "ship.$crew.remove(at: 1)", told: ["crew", "wages"]) {
        ship throws(KeyValueError) in
        try ship.$crew.remove(at: 1)
      },
      ObserverStep(code: #"ship.$flags.formUnion(["P", "Q"])"#, told: ["flags"]) {
        $0.$flags.formUnion(["P", "Q"])
      },
      ObserverStep(code: #"ship.$flags.formUnion(["Q"])"#, told: []) {
        $0.$flags.formUnion(["Q"])
      },
      ObserverStep(code: #"ship.$cargo.updateValue(40, forKey: "tea")"#, told: ["cargo"]) {
        $0.$cargo.updateValue(40, forKey: "tea")
      },
      ObserverStep(code: #"ship.$cargo.updateValue(30, forKey: "tea")"#, told: ["cargo"]) {
        $0.$cargo.updateValue(30, forKey: "tea")
      },
      ObserverStep(
        code: "do { let pilot = Sailor(…); ship.pilot = pilot }  // it dies",
        told: ["pilot", "pilot"]
      ) { ship in
        let pilot = Sailor("Di", wage: 1)
        ship.pilot = pilot
        withExtendedLifetime(pilot) {}
      },
      ObserverStep(code: "ship.captain = nil", told: ["captain's name", "wages"]) {
        $0.captain = nil
      },
      ObserverStep(code: "ship.removeObservers(); ship.name = \"\"", told: []) {
        $0.removeObservers()
        $0.name = ""
      },
    ]
  }

  /// Registers the observers of the ship.
  static func observe(_ ship: Ship, _ log: ObserverLog) throws(KeyValueError) {
    ship.observe(\.name, options: [.prior, .old, .new]) { log.note("name", $1) }
    ship.observe(\.captain?.name, options: [.old, .new]) { log.note("captain's name", $1) }
    ship.observe(\.crew, options: [.old, .new]) { log.note("crew", $1) }
    ship.observe(\.wages, options: [.old, .new]) { log.note("wages", $1) }
    ship.observeElements(of: \.crew, \.wage, options: [.old, .new]) {
      log.note("a sailor's wage", $1)
    }
    try ship.observe(keyPath: "crew.@max.wage", options: [.old, .new, .distinct]) {
      log.note("crew.@max.wage", $1)
    }
    ship.observe(\.flags, options: [.old, .new]) { log.note("flags", $1) }
    ship.observe(\.cargo, options: [.old, .new]) { log.note("cargo", $1) }
    ship.observe(\.pilot, options: [.old, .new]) { log.note("pilot", $1) }
  }
}
