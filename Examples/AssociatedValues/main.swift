// Values and an end for objects of a class that is not ours: nothing of it is changed, and nothing is
// left behind.
import BlockRuntime

/// A class of somebody else's library.
final class Connection: Sendable {
  let port: Int

  init(port: Int) { self.port = port }

  deinit { print("  deinit of connection \(port)") }
}

/// What we add to a connection.
final class Statistics: Sendable {
  let port: Int

  init(port: Int) { self.port = port }

  deinit { print("  statistics of \(port) freed") }
}

/// Our keys, in a space of our own.
enum Ours {
  static let space = AssociationSpace("statistics")
  static let label = AssociationKey<String>("label", in: space)
  static let statistics = AssociationKey<Statistics>("statistics", in: space)
}

/// Uses a connection, and gives it up.
func useConnection(port: Int) throws {
  let connection = Connection(port: port)
  // An optimised program would give it up after its last use.
  defer { withExtendedLifetime(connection) {} }
  print("  label: \(Ours.label.value(of: connection) ?? "none")")
  try Ours.label.set("connection to \(port)", on: connection)
  _ = try Ours.statistics.value(of: connection, default: Statistics(port: port))
  print("  label: \(Ours.label.value(of: connection) ?? "none")")

  try onDeinit(of: connection, .before) { print("  before the deinit of \(port)") }
  try onDeinit(of: connection) { print("  \(port) is gone, its values too") }
  let unwanted = try onDeinit(of: connection) { print("  never printed") }
  print("  a hook is removed: \(unwanted.remove())")
}

print("An object with values:")
try useConnection(port: 80)
print("The next object, often at the same address:")
try useConnection(port: 443)

print("Values taken away:")
let connection = Connection(port: 22)
try Ours.label.set("temporary", on: connection)
try Ours.statistics.set(Statistics(port: 22), on: connection)
Ours.space.removeAll(from: connection)
print("  label: \(Ours.label.value(of: connection) ?? "none")")
