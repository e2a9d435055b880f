// A timer keeps its block, the block its object, and the object its timer: so the object never dies.
// And the cure: a block for an object, which ends when the object does.
import BlockRuntime

let clock = ManualClock()
let timer = DelayTimer(clock: clock)

/// Refreshes every second; its closure refers to it strongly.
final class LeakyPage: Sendable {
  func startRefreshing() throws {
    try timer.repeat(every: .seconds(1)) { _ in self.refresh() }
  }

  func refresh() { print("  leaky page refreshes") }
}

/// The same, with a block that belongs to it.
final class Page: Sendable {
  func startRefreshing() throws {
    try timer.repeat(every: .seconds(1), for: self) { page, tick in page.refresh(tick.number) }
  }

  func refresh(_ number: Int) { print("  page refreshes, tick \(number)") }

  deinit { print("  the page is gone") }
}

print("The closure captures its object:")
var leaky: LeakyPage? = LeakyPage()
if let leaky {
  try leaky.startRefreshing()
  try onDeinit(of: leaky) { print("  the leaky page is gone: never printed") }
}
clock.advance(by: .seconds(1))
leaky = nil
print("given up, but the timer keeps it")
clock.advance(by: .seconds(1))
print("blocks that wait: \(timer.pendingCount)")

print("The block belongs to its object:")
var page: Page? = Page()
try page?.startRefreshing()
clock.advance(by: .seconds(1))
print("given up")
page = nil
print("blocks that wait: \(timer.pendingCount), which is the leaky one")
clock.advance(by: .seconds(1))
