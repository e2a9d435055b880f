// The program of the README.
import MessageMacros
@Messages(.calls) class Weather { func degrees(_ city: String) -> Double { 20 } }
try Weather.hook(\.degrees) { original, _, city in try original(city) + 1 }
print(Weather().degrees("Oslo"))  // 21.0, as by send(\.degrees, "Oslo")
