// Methods hooked, recorded and sent later by selectors with their types, which a macro makes.
import MessageMacros

@Messages
class Weather: @unchecked Sendable {
  var unit = "C"
  func degrees(_ city: String) throws -> Double { city == "Oslo" ? -3 : 20 }

  /// The client: hooks reach what it sends, not what it calls.
  @NotSent func report(_ cities: String...) -> String {
    cities.map { "\($0) \((try? send(\.degrees, $0)) ?? .nan)" }.joined(separator: ", ")
  }
}

let weather = Weather()

// The closure gets the method, the receiver and the argument, all with their types.
let warmer = try Weather.hook(\.degrees) { original, weather, city in
  try original(city) + 1
}
print(weather.report("Oslo", "Rome"))
warmer.remove()

// One object answers from a table, as a test double, and asks the real method otherwise.
let double = try weather.hook(\.degrees) { original, _, city in
  city == "Atlantis" ? 4 : try original(city)
}
print(weather.report("Atlantis", "Oslo"), "/", Weather().report("Atlantis"))
double.remove()

// A property's setter, as a message.
try Weather.hook(\.setUnit) { original, _, unit in try original(unit.uppercased()) }
try weather.send(\.setUnit, "f")
print("unit:", weather.unit)

// A message as a value, and another implementation in the method's place.
let question = try weather.record(\.degrees, "Rome")
let original = Weather.replaceMethod(\.degrees) { _, city in Double(city.count) }
try question.send()
print("recorded:", try question.result(as: Double.self))
if let original { Weather.replaceMethod(original) }
try question.send()
print("recorded:", try question.result(as: Double.self))
