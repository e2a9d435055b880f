import Dispatch
import Foundation

let low = DispatchQueue(label: "com.example.index", qos: .background)
let ui = DispatchQueue(label: "com.example.ui", qos: .userInteractive)
@inline(never) func reindex() {
  var x = 1; for i in 0..<300_000_000 { x = x &* 31 &+ i }; if x == 42 { print(x) }
}
let done = DispatchSemaphore(value: 0)
low.async { reindex() }
usleep(20_000)
ui.async {
  low.sync {}; done.signal()
}
done.wait(); print("done")
