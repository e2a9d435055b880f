// Ordinary Swift calls hooked, of a class that says so.
import MessageMacros

@Messages(.calls)
class Weather {
  func degrees(_ city: String) -> Double { 20 }
}

@Messages(.calls)
final class Forecast: Weather {
  override func degrees(_ city: String) -> Double { super.degrees(city) + 5 }
}

let (weather, forecast) = (Weather(), Forecast())
let ofClass = try Weather.hook(\.degrees) { original, _, city in try original(city) + 1 }
print(weather.degrees("Oslo"), forecast.degrees("Oslo"))

let ofObject = try weather.target("degrees:").hook(.before) { call in
  print("degrees of", try call.argument(2, as: String.self))
}
print(weather.degrees("Rome"), try weather.send(\.degrees, "Lima"))

ofObject.remove()
ofClass.remove()
print(weather.degrees("Oslo"), forecast.degrees("Oslo"))
