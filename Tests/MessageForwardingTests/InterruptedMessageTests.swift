import Invocations
import MessageForwarding
import TestSupport
import XCTest

/// Messages that have protected an implementation when it is replaced, and enter what comes after
/// it.
final class InterruptedMessageTests: XCTestCase {
  private final class Model: MessageReceiver {
    static var methods: MethodTable {
      MethodTable(Model.self) { Method("number") { (_: Model) -> Int in 0 } }
    }
  }

  /// Replaces the method by one that keeps an object.
  private static func replace(
    _ kept: LifetimeTracker.Tracked?, with number: Int, _ body: @escaping @Sendable () -> Void = {}
  ) {
    Model.replaceMethod(
      Method("number") { (_: Model) -> Int in
        withExtendedLifetime(kept, body)
        return number
      })
  }

  func testWhoAwaitsAnImplementationThatAMessageDidNotEnterIsTold() throws {
    let (first, second) = (LifetimeTracker(), LifetimeTracker())
    let model = Model()
    Self.replace(first.track(), with: 1)
    XCTAssertEqual(try model.send("number"), 1)
    let alive = Recorder<Int>()
    try interruptAnnouncement {
      XCTAssertEqual(try model.send("number"), 2)
    } by: {
      Self.replace(second.track(), with: 2) {
        alive.record(first.alive)
        Self.replace(nil, with: 3)
        alive.record(second.alive)
      }
      alive.record(first.alive)
    }
    XCTAssertEqual(alive.entries, [1, 0, 1])
    XCTAssertEqual(try model.send("number"), 3)
    first.expectNothingAlive()
    second.expectNothingAlive()
  }
}
