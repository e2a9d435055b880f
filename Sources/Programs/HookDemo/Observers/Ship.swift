import BlockRuntime

/// The graph that `hook-demo observe` changes: a ship, its captain, its crew, its cargo.
final class Ship: KeyValueCoding {
  @Observed var name = "Beagle"
  @Observed var captain: Sailor?
  @Observed var crew: [Sailor] = []
  @Observed var flags: Set<String> = []
  @Observed var cargo: [String: Int] = [:]
  @ObservedWeak var pilot: Sailor?

  let log = SceneLog<ObserverCall>()

  static var keys: KeyTable { ["crew": \Ship.crew, "captain": \Ship.captain] }

  /// A computed property, observed through the properties that it reads.
  var wages: Int { crew.reduce(captain?.wage ?? 0) { $0 + $1.wage } }

  /// Creates a ship with its observers.
  init() throws {
    let log = log
    let options: ObservingOptions = [.old, .new]
    observe(\.name, options: [.prior, .old, .new]) { log.note("name", $1) }
    observe(\.captain?.name, options: options) { log.note("captain's name", $1) }
    observe(\.crew, options: options) { log.note("crew", $1) }
    observe(\.wages, options: options) { log.note("wages", $1) }
    observeElements(of: \.crew, \.wage, options: options) { log.note("a sailor's wage", $1) }
    try observe(keyPath: "crew.@max.wage", options: [.old, .new, .distinct]) {
      log.note("crew.@max.wage", $1)
    }
    observe(\.flags, options: options) { log.note("flags", $1) }
    observe(\.cargo, options: options) { log.note("cargo", $1) }
    observe(\.pilot, options: options) { log.note("pilot", $1) }
  }
}

/// A member of the crew.
final class Sailor: KeyValueCoding, CustomStringConvertible {
  @Observed var name: String
  @Observed var wage: Int

  init(_ name: String, wage: Int) {
    self.name = name
    self.wage = wage
  }

  static var keys: KeyTable { ["name": \Sailor.name, "wage": \Sailor.wage] }

  var description: String { name }
}
