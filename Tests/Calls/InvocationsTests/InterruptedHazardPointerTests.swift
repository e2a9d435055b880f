import BlockABI
import BlockHooks
import Invocations
import Synchronization
import TestSupport
import XCTest

/// Calls that have protected what they are about to enter when it is replaced, and enter what comes
/// after that.
final class InterruptedHazardPointerTests: XCTestCase {
  /// Hooks something by what refers to an object, and runs a closure in each call.
  private typealias Install = (
    _ kept: LifetimeTracker.Tracked, _ body: @escaping @Sendable () -> Void
  ) throws -> Hook

  /// Replaces one hook by another before a call enters it, and removes that one inside of the call:
  /// nothing of the first is kept in the call, and nothing of the second behind it.
  private func expectBothFreed(
    _ install: @escaping Install, line: UInt = #line, _ call: () -> Void
  ) throws {
    let (first, second) = (LifetimeTracker(), LifetimeTracker())
    var hook: Hook? = try install(first.track()) {}
    call()
    let later = Mutex<Hook?>(nil)
    let alive = Recorder<Int>()
    try interruptAnnouncement {
      call()
    } by: {
      let new = try install(second.track()) {
        alive.record(first.alive)
        later.withLock { $0.take() }?.remove()
        alive.record(second.alive)
      }
      later.withLock { $0 = new }
      hook.take()?.remove()
      alive.record(first.alive)
    }
    XCTAssertEqual(alive.entries, [1, 0, 1], line: line)
    first.expectNothingAlive(line: line)
    second.expectNothingAlive(line: line)
  }

  func testACallThatGoesOnInAssemblyTellsWhoAwaitsWhatItDidNotEnter() throws {
    let original: @convention(block) (Int32) -> Int32 = { $0 + 1 }
    try expectBothFreed { kept, body in
      try Block(original).hook { call in
        withExtendedLifetime(kept, body)
        try call.proceed()
      }
    } _: {
      XCTAssertEqual(original(41), 42)
    }
  }

  func testACallOfAReplacementDoesSoAndKeepsItsArguments() throws {
    typealias Mixed = @convention(block) (Int32, Int32, Double, Double) -> Double
    let original: Mixed = { _, _, _, _ in 0 }
    try expectBothFreed { kept, body in
      let replacement: Mixed = { a, b, x, y in
        withExtendedLifetime(kept, body)
        return Double(a) * 1000 + Double(b) * 100 + x * 10 + y
      }
      return try Block(original).replace(with: replacement)
    } _: {
      XCTAssertEqual(original(1, 2, 3, 4), 1234)
    }
  }

  func testACallThatIsHandedToSwiftDoesSo() throws {
    let original: @convention(block) (Int, Int, Int, Int) -> Int = { $0 + $1 + $2 + $3 }
    try expectBothFreed { kept, body in
      try Block(original).hook { call in
        withExtendedLifetime(kept, body)
        try call.proceed()
      }
    } _: {
      XCTAssertEqual(original(1, 2, 3, 4), 10)
    }
  }
}
