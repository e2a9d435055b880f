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

  /// Calls of a method's code that a signal interrupts at each of their instructions.
  func testImplementations() throws {
    typealias Code = @convention(c) (UnsafeRawPointer, UnsafeRawPointer, Int) -> Int
    try InterruptedScene.expectNothingWrong("a method of any signature") {
      let model = Model()
      let selector: Selector = "add:"
      let method = Method(selector, signature: "q@:q") { call in
        try call.setResult(call.argument(2, as: Int.self) + 3)
      }
      // SAFETY: the method has this signature, and lives as long as the closure.
      let code = unsafe try unsafeBitCast(method.unsafeImplementation(), to: Code.self)
      return InterruptedScene(adding: 3) { argument in
        withExtendedLifetime((method, model)) {
          unsafe code(Unmanaged.passUnretained(model).toOpaque(), selector.address, argument)
        }
      }
    }
  }
}
