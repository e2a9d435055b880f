// Methods hooked: a server is watched, and answered for, without a change to its class.
import BlockRuntime

class Weather: MessageReceiver {
  func degrees(_ city: String) throws -> Double { city == "Oslo" ? -3 : 20 }

  /// The client of the server: hooks reach what it sends, not what it calls.
  func report(_ cities: [String]) -> String {
    cities.map { city in
      let degrees = (try? send("degrees:", city, returning: Double.self)) ?? .nan
      return "\(city) \(degrees)"
    }.joined(separator: ", ")
  }

  class var methods: MethodTable {
    MethodTable(Weather.self) {
      Method("degrees:", Weather.degrees)
      Method("report:", Weather.report)
    }
  }
}

final class Forecast: Weather {}

let weather = Weather()
print(weather.report(["Oslo", "Rome"]))

// Before: every instance of the class, and of its subclasses, says what it is asked.
let trace = try Weather.hook("degrees:", .before) { call in
  print("  asked for", try call.argument(2, as: String.self))
}
print(Forecast().report(["Rome"]))
trace.remove()

// Instead: this object answers from a table, as a test double, and asks the real one otherwise.
let double = try weather.hook("degrees:") { call in
  if try call.argument(2, as: String.self) == "Atlantis" {
    try call.setResult(4.0)
  } else {
    try call.proceed()
  }
}
print(weather.report(["Atlantis", "Oslo"]), "/", Weather().report(["Atlantis"]))
double.remove()

// After, once: the first answer only is changed.
try Weather.hook("degrees:", .after, when: .times(1)) { call in
  try call.setResult(call.result(as: Double.self) + 273)
}
print(weather.report(["Oslo", "Oslo"]))

// Another implementation in the method's place, with what it replaces at hand.
let original = Weather.replaceMethod(Method("degrees:") { (_: Weather, _: String) in 0.5 })
print(weather.report(["Rome"]))
if let original { Weather.replaceMethod(original) }
print(weather.report(["Rome"]))
