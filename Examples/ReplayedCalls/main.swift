// Calls of a block recorded in a file, and made again on another block: a test out of real calls.
import BlockRuntime
import CallRecording
import Glibc

typealias Price = @convention(block) (Int32, Double) -> Double

// The program as it runs today.
let today: Price = { count, price in Double(count) * price }

let path = "/tmp/replayed-\(getpid()).calls"
defer { unsafe unlink(path) }

let recorder = try CallRecorder(path: path)
let hook = try Block(today).install(.recording(to: recorder, as: "price"))
for (count, price): (Int32, Double) in [(1, 20), (10, 20), (12, 0.5), (0, 99)] {
  _ = today(count, price)
}
hook.remove()
try recorder.close()

// Another day, another process: the calls are in the file, with arguments and results.
let recording = try Recording(path: path)
for call in recording.calls { print(call) }
print("as before:", try recording.replay(on: Block(today)).isClean)

// The program as it is to be: what has changed is listed call by call.
let tomorrow: Price = { count, price in Double(count) * price * (count >= 10 ? 0.9 : 1) }
print(try recording.replay(on: Block(tomorrow)))
