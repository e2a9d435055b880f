// Requests with a timeout: each schedules a block that gives up, and cancels it when the answer comes.
import BlockRuntime

let clock = ManualClock()
let timer = DelayTimer(clock: clock)

/// What a request needs until it is over: the closure of its timeout keeps it.
final class Buffer: Sendable {
  let name: String

  init(_ name: String) { self.name = name }

  deinit { print("  buffer of \(name) freed") }
}

/// A request that is answered, or times out.
struct Request {
  let name: String
  let timeout: DelayedBlock

  init(_ name: String) {
    self.name = name
    let buffer = Buffer(name)
    timeout = timer.perform(after: .seconds(5)) { print("  \(buffer.name) timed out") }
  }

  /// Notes the answer, unless it is too late.
  func answer(_ text: String) {
    // True: the block never runs, and its closure with the buffer is freed already.
    print(timeout.cancel() ? "\(name): \(text)" : "\(name): \(text), not waited for")
  }
}

let users = Request("users")
let orders = Request("orders")
print("requests that wait: \(timer.pendingCount)")

clock.advance(by: .seconds(2))
users.answer("12 users")
users.answer("12 users again")
print("users' timeout \(await users.timeout.end), waiting: \(timer.pendingCount)")

clock.advance(by: .seconds(3))
orders.answer("3 orders")
print("orders' timeout \(await orders.timeout.end)")

// A block that returns something: `value` waits for it, or throws where the block is cancelled.
let report = timer.perform(after: .seconds(1)) { "a report at \(clock.now.nanoseconds) ns" }
let second = timer.perform(after: .seconds(9)) { "another report" }
clock.advance(by: .seconds(1))
print(try await report.value)
second.cancel()
do {
  print(try await second.value)
} catch {
  print("another report: \(type(of: error))")
}
