// The program of the README.
import MessageMacros
@Messages class Weather { func degrees(_ city: String) -> Double { 20 } }
try Weather.hook(\.degrees) { original, _, city in try original(city) + 1 }
print(try Weather().send(\.degrees, "Oslo"))
