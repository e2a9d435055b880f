import Foundation

let q = DispatchQueue(label: "com.example.heartbeat")
let t1 = DispatchSource.makeTimerSource(queue: q);
t1.schedule(deadline: .now(), repeating: .milliseconds(1)); t1.setEventHandler {}; t1.resume()
let t2 = DispatchSource.makeTimerSource(queue: q);
t2.schedule(deadline: .now(), repeating: .milliseconds(100)); t2.setEventHandler {}; t2.resume()
var n = 0
let t3 = Timer.scheduledTimer(withTimeInterval: 0.005, repeats: true) { _ in n += 1 }
RunLoop.main.run(until: Date(timeIntervalSinceNow: 1))
print("n", n)
