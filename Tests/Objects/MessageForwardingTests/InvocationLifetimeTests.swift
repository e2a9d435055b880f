import Invocations
import MessageForwarding
import TestSupport
import TypeEncodings
import XCTest

/// What invocations of messages keep, and what becomes of their results.
final class InvocationLifetimeTests: XCTestCase {
  private final class Maker: MessageReceiver {
    struct Failure: Error {}

    let tracker = LifetimeTracker()
    var fails = false

    static var methods: MethodTable {
      MethodTable(Maker.self) {
        Method("make") { (self: Maker) -> LifetimeTracker.Tracked in self.tracker.track() }
        Method("take:") { (_: Maker, _: LifetimeTracker.Tracked) in }
        Method("number") { (self: Maker) throws -> Int in
          if self.fails { throw Failure() }
          return 5
        }
      }
    }
  }

  private let maker = Maker()

  private func isWithoutResult(_ invocation: Invocation) -> Bool {
    do throws(InvocationError) { _ = try invocation.result(as: Int.self) } catch {
      return error.code == .noResult
    }
    return false
  }

  func testAnObjectThatIsReturnedIsKept() throws {
    for receiver in [maker, InvocationProxy(maker)] as [any MessageReceiver] {
      var invocation: Invocation? = try receiver.record { try $0.send("make") }
      try invocation?.send()
      XCTAssertEqual(maker.tracker.alive, 1)
      try invocation?.send()
      XCTAssertEqual(maker.tracker.alive, 1)
      XCTAssertNotNil(try invocation?.result(as: LifetimeTracker.Tracked.self))
      invocation = nil
      // A thread keeps the last object that a method returned, until the next is.
      try Maker().record { try $0.send("make") }.send()
      maker.tracker.expectNothingAlive()
    }
  }

  func testArgumentsAreKept() throws {
    for retainsFirst in [true, false] {
      var invocation: Invocation? = try XCTUnwrap(try maker.makeInvocation(of: "take:"))
      if retainsFirst { invocation?.retainArguments() }
      try invocation?.setArgument(2, maker.tracker.track())
      if !retainsFirst { invocation?.retainArguments() }
      XCTAssertEqual(maker.tracker.alive, 1)
      try invocation?.send()
      try invocation?.setArgument(2, maker.tracker.track())
      XCTAssertEqual(maker.tracker.alive, 1)
      invocation = nil
      maker.tracker.expectNothingAlive()
    }
  }

  func testAnInvocationOfNilHasAZeroResult() throws {
    let invocation = try maker.record { try $0.send("number") }
    try invocation.sendOrZero(to: maker)
    XCTAssertEqual(try invocation.result(as: Int.self), 5)
    try invocation.sendOrZero(to: nil)
    XCTAssertEqual(try invocation.result(as: Int.self), 0)
    let object = try maker.record { try $0.send("make") }
    try object.sendOrZero(to: nil)
    XCTAssertNil(try object.result(as: LifetimeTracker.Tracked?.self))
    let nothing = try Invocation(message: "take:", signature: "v@:@")
    try nothing.sendOrZero(to: nil)
    XCTAssertFalse(nothing.hasResult)
  }

  func testAnInvocationWithoutAReceiverIsNotSent() throws {
    let invocation = try Invocation(message: "number", signature: "q@:")
    expectError(.deadReceiver) { _ = try invocation.send() }
  }

  func testWhatTheMethodThrowsPassesThroughAndLeavesNoResult() throws {
    for receiver in [maker, NamingProxy(maker), InvocationProxy(maker), TypedProxy(maker)]
      as [any MessageReceiver]
    {
      let invocation = try receiver.record { try $0.send("number") }
      for isAfterAGoodCall in [false, true] {
        maker.fails = !isAfterAGoodCall
        if isAfterAGoodCall {
          try invocation.send()
          XCTAssertEqual(try invocation.result(as: Int.self), 5)
          XCTAssertNil(invocation.error)
          maker.fails = true
        }
        XCTAssertThrowsError(try invocation.send()) { error in
          XCTAssertTrue((error as? MessageError)?.underlyingError is Maker.Failure)
        }
        XCTAssertTrue(isWithoutResult(invocation))
        XCTAssertTrue(invocation.error is Maker.Failure, "\(String(describing: invocation.error))")
        maker.fails = false
        try invocation.send()
        XCTAssertNil(invocation.error)
      }
      maker.fails = true
      XCTAssertThrowsError(try receiver.send("number", returning: Int.self)) { error in
        XCTAssertTrue((error as? MessageError)?.underlyingError is Maker.Failure)
      }
    }
  }

  func testAResultThatIsSetBeforeAnErrorIsNoResult() throws {
    final class Liar: MessageReceiver {
      static var methods: MethodTable { MethodTable(Liar.self) }

      func methodSignature(for selector: Selector) -> MethodSignature? {
        try? MethodSignature(parsing: "q@:")
      }

      func forwardInvocation(_ invocation: Invocation) throws {
        try invocation.setResult(1)
        throw Maker.Failure()
      }
    }
    let invocation = try Liar().record { try $0.send("number") }
    XCTAssertThrowsError(try invocation.send())
    XCTAssertTrue(isWithoutResult(invocation))
  }
}
