// Typed text is searched for when the typing rests; progress is shown at most every 100 ms.
import BlockRuntime

let clock = ManualClock()
let timer = DelayTimer(clock: clock)

/// The clock's time, for the log.
func time() -> String { "\(clock.now.nanoseconds / 1_000_000) ms" }

// Runs when no key was pressed for 300 ms, with the last text; in a long burst at least every second.
let search = Debouncer<String>(delay: .milliseconds(300), maximumWait: .seconds(1), timer: timer) {
  print("  \(time()): search for \"\($0)\"")
}

print("Typing quickly, then resting:")
for length in 1...5 {
  search(String("swift".prefix(length)))
  clock.advance(by: .milliseconds(100))
}
clock.advance(by: .milliseconds(500))

print("Typing without a rest:")
for length in 1...14 {
  search(String("delayed blocks".prefix(length)))
  clock.advance(by: .milliseconds(100))
}
print("return is pressed: \(search.flush() ? "searched at once" : "nothing to search")")

print("Leaving the page:")
search("never searched")
print("  cancelled: \(search.cancel())")
clock.advance(by: .seconds(1))

// The first value at once, then the newest at most every 100 ms, and always the last.
let progress = Throttler<Int>(interval: .milliseconds(100), timer: timer) {
  print("  \(time()): \($0) %")
}

print("A download that reports every 30 ms:")
for percent in stride(from: 0, through: 100, by: 10) {
  progress(percent)
  clock.advance(by: .milliseconds(30))
}
clock.advance(by: .milliseconds(100))
print("waiting: \(progress.isPending)")
