import Foundation

@inline(never) func loadConfig() { usleep(250_000) }
@inline(never) func parse() {
  var x = 1; for i in 0..<100_000_000 { x = x &* 31 &+ i }; if x == 42 { print(x) }
}
let bg = DispatchQueue(label: "com.example.bg")
DispatchQueue.main.async { bg.sync { loadConfig() } }
DispatchQueue.main.async { parse() }
let asked = Date()
DispatchQueue.main.async {
  print("late by", Int(Date().timeIntervalSince(asked) * 1000), "ms"); exit(0)
}
dispatchMain()
