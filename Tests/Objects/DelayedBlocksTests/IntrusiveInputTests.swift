import DelayedBlocks
import TestSupport
import XCTest

/// What blocks capture and what rates are limited of, whose ends use the timer.
final class IntrusiveInputTests: XCTestCase {
  private final class Owner: Sendable {}

  private struct Subject: Sendable {
    let clock: ManualClock
    let timer: DelayTimer
    let owner = Owner()
    let debouncer: Debouncer<Intruder>
    let throttler: Throttler<Intruder>

    init() {
      let manual = ManualTimer()
      (clock, timer) = (manual.clock, manual.timer)
      debouncer = Debouncer(delay: .seconds(1), timer: timer) { _ in }
      throttler = Throttler(interval: .seconds(1), timer: timer) { _ in }
    }
  }

  private static let uses: [(name: String, body: @Sendable (Subject) throws -> Void)] = [
    (
      "wait for a value",
      { subject in
        let value = subject.timer.perform(after: .seconds(1)) { Intruder(3) }
        subject.clock.advance(by: .seconds(1))
        withExtendedLifetime(value) {}
      }
    ),
    ("cancel the debouncer", { _ = $0.debouncer.cancel() }),
    ("cancel the throttler", { _ = $0.throttler.cancel() }),
    ("flush the debouncer", { _ = $0.debouncer.flush() }),
    ("flush the throttler", { _ = $0.throttler.flush() }),
    ("cancel by name", { _ = DelayedBlock.cancelAll(named: "name", of: $0.owner) }),
    ("cancel by owner", { _ = DelayedBlock.cancelAll(of: $0.owner) }),
    ("cancel all", { _ = $0.timer.cancelAll() }),
    ("advance", { $0.clock.advance(by: .seconds(1)) }),
    (
      "delay",
      { subject in
        let captured = Intruder(1)
        subject.timer.perform(after: .seconds(1)) { withExtendedLifetime(captured) {} }
        subject.timer.perform(after: .seconds(1), for: subject.owner, name: "name") { _ in
          withExtendedLifetime(captured) {}
        }
      }
    ),
    (
      "repeat",
      { subject in
        let captured = Intruder(2)
        try subject.timer.repeat(every: .seconds(1), for: subject.owner, name: "name") { _, _ in
          withExtendedLifetime(captured) {}
        }
      }
    ),
    (
      "delay and cancel",
      { subject in
        let captured = Intruder(4)
        let block = subject.timer.perform(after: .seconds(1)) {
          withExtendedLifetime(captured) {}
        }
        block.cancel()
      }
    ),
    (
      "delay for an owner that ends",
      { subject in
        let captured = Intruder(5)
        subject.timer.perform(after: .seconds(1), for: Owner()) { _ in
          withExtendedLifetime(captured) {}
        }
      }
    ),
    ("debounce", { $0.debouncer(Intruder(6)) }),
    ("throttle", { $0.throttler(Intruder(7)) }),
  ]

  func testInputsAndClosuresMayUseTheTimerWhereverTheyAreFreed() {
    let occasions = expectIntrudersMay(do: Self.uses) { Subject() }
    XCTAssertEqual(occasions, [.end])
  }
}
