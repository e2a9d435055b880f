import BlockRuntime

/// The graph that is observed: a ship, its captain, its crew, its cargo.
final class Ship: KeyValueCoding {
  @Observed var name = "Beagle"
  @Observed var captain: Sailor?
  @Observed var crew: [Sailor] = []
  @Observed var flags: Set<String> = []
  @Observed var cargo: [String: Int] = [:]
  @ObservedWeak var pilot: Sailor?

  static var keys: KeyTable { ["crew": \Ship.crew, "captain": \Ship.captain] }

  /// A computed property, observed through the properties that it reads.
  var wages: Int { crew.reduce(captain?.wage ?? 0) { $0 + $1.wage } }
}

/// A member of the crew.
final class Sailor: KeyValueCoding, CustomStringConvertible {
  @Observed var name: String
  @Observed var wage: Int

  init(_ name: String, wage: Int) { (self.name, self.wage) = (name, wage) }

  static var keys: KeyTable { ["name": \Sailor.name, "wage": \Sailor.wage] }

  var description: String { name }
}
