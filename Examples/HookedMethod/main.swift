// Methods hooked: a server is watched, and answered for, without a change to its class.
import BlockRuntime

class Weather: TypedMessageReceiver {
  func degrees(_ city: String) throws -> Double { city == "Oslo" ? -3 : 20 }

  /// The client of the server: hooks reach what it sends, not what it calls.
  func report(_ cities: [String]) -> String {
    cities.map { "\($0) \((try? send(\.degrees, $0)) ?? .nan)" }.joined(separator: ", ")
  }

  // The attribute `@Messages` of the product `MessageMacros` writes these two.
  struct Messages: MessageNames {
    var degrees: TypedSelector1<Weather, String, Double> { .init("degrees:") }
  }
  class var methods: MethodTable {
    MethodTable(Weather.self) { Method("degrees:", Weather.degrees) }
  }
}

final class Forecast: Weather {}

let weather = Weather()
print(weather.report(["Oslo", "Rome"]))

// Around: every instance of the class, and of its subclasses, says what it is asked.
let trace = try Weather.hook(\.degrees) { original, _, city in
  print("  asked for", city)
  return try original(city)
}
print(Forecast().report(["Rome"]))
trace.remove()

// Instead: this object answers from a table, as a test double, and asks the real one otherwise.
let double = try weather.hook(\.degrees) { original, _, city in
  city == "Atlantis" ? 4 : try original(city)
}
print(weather.report(["Atlantis", "Oslo"]), "/", Weather().report(["Atlantis"]))
double.remove()

// By its name, where the program learns the method only as it runs; after it, the first time only.
try Weather.target("degrees:").hook(.after, when: .times(1)) { call in
  try call.setResult(call.result(as: Double.self) + 273)
}
print(weather.report(["Oslo", "Oslo"]))

// Another implementation in the method's place, with what it replaces at hand.
let original = Weather.replaceMethod(\.degrees) { _, _ in 0.5 }
print(weather.report(["Rome"]))
if let original { Weather.replaceMethod(original) }
print(weather.report(["Rome"]))
