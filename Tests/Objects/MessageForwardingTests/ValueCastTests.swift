import BlockHooks
import Invocations
import MessageForwarding
import TestSupport
import XCTest

/// Values for parameters of Swift types other than their own: existentials, optionals, collections.
final class ValueCastTests: XCTestCase {
  /// The receiver itself, one whose methods are hooked, and proxies that forward in each way.
  private func expect<Value>(
    _ selector: Selector, _ value: Value, _ expected: String, line: UInt = #line
  ) throws {
    let (plain, hooked) = (Taker(), Taker())
    let hook = try hooked.target(selector).hook(.before) { _ in }
    defer { hook.remove() }
    for receiver: any MessageReceiver in [
      plain, hooked, NamingProxy(plain), InvocationProxy(plain), TypedProxy(hooked),
      WeakProxy(plain), InvocationProxy(TypedProxy(InvocationProxy(hooked))),
    ] {
      let name = "\(selector) \(type(of: receiver))"
      XCTAssertEqual(try receiver.send(selector, value), expected, name, line: line)
      let invocation = try receiver.record { try $0.send(selector, value) }
      try invocation.send()
      XCTAssertEqual(try invocation.result(), expected, name, line: line)
    }
  }

  private func refuse<Value>(
    _ selector: Selector, _ value: Value, _ code: ErrorCode = .typeMismatch,
    line: UInt = #line
  ) throws {
    let (plain, hooked) = (Taker(), Taker())
    let hook = try hooked.target(selector).hook(.before) { _ in }
    defer { hook.remove() }
    for receiver: any MessageReceiver in [plain, hooked, InvocationProxy(plain)] {
      expectError(code, "argument 2", line: line) {
        _ = try receiver.send(selector, value, returning: String.self)
      }
    }
  }

  func testAnExistentialInAVariableIsTaken() throws {
    let errors: [any Error] = [Failure(code: 3), Mistake.small, Accident()]
    for (error, text) in zip(errors, ["Failure(code: 3)", "small", "accident"]) {
      try expect("error:", error, text)
      try expect("maybeError:", error, text)
      try expect("any:", error, text)
      // The optional of an existential is not opened.
      try expect("maybeError:", error as (any Error)?, text)
    }
    let named: any Named = Accident()
    try expect("named:", named, "accident")
    try expect("maybeNamed:", named, "accident")
    let key: AnyHashable = 4
    try expect("key:", key, "4")
  }

  func testAnyValueThatCastsToTheDeclaredTypeIsTaken() throws {
    try expect("error:", Failure(code: 3), "Failure(code: 3)")
    try expect("error:", Accident(), "accident")
    try expect("named:", Accident(), "accident")
    try expect("key:", "text", "text")
    try expect("key:", 7, "7")
    try expect("list:", [1, 2], "[1, 2]")
    try expect("list:", ["a"], "[\"a\"]")
    try expect("any:", [1: "a"], "[1: \"a\"]")
    try expect("any:", Accident(), "accident")
  }

  func testAnOptionalParameterTakesAPlainValue() throws {
    try expect("maybe:", 1, "Optional(1)")
    try expect("maybe:", 1 as Int?, "Optional(1)")
    try expect("maybe:", Int?.none, "nil")
    try expect("maybeText:", "text", "Optional(\"text\")")
    try expect("maybeError:", (any Error)?.none, "nil")
    try expect("maybeNamed:", Accident?.none, "nil")
    try expect("maybeNamed:", Accident() as Accident?, "accident")
  }

  func testNumbersConvertToTheNumberThatAnOptionalWraps() throws {
    try expect("maybe:", Int8(-1), "Optional(-1)")
    try expect("maybeByte:", 255, "Optional(255)")
    try expect("maybeByte:", 255 as Int?, "Optional(255)")
    try expect("maybeRatio:", 2, "Optional(2.0)")
    try expect("maybeRatio:", Float(0.5), "Optional(0.5)")
    try refuse("maybeByte:", 256, .valueOutOfRange)
    try refuse("maybeByte:", 1.5)
  }

  func testWhatDoesNotCastIsRefused() throws {
    try refuse("error:", 1)
    try refuse("error:", Plain())
    try refuse("named:", Failure(code: 1))
    try refuse("named:", Plain())
    try refuse("maybe:", "text")
    try refuse("maybeText:", 1)
    try refuse("list:", 1)
    try refuse("error:", (any Error)?.none)
  }

  func testAHooksNewValueIsCastToo() throws {
    let taker = Taker()
    let hook = try taker.target("maybeError:").hook { call in
      try call.setArgument(2, Accident())
      try call.proceed()
    }
    XCTAssertEqual(try taker.send("maybeError:", (any Error)?.none), "accident")
    hook.remove()
    let result = try taker.target("last:").hook(.after) { call in
      XCTAssertNil(try call.result(as: Int?.self))
      try call.setResult(3)
    }
    XCTAssertEqual(try taker.send("last:", [Int](), returning: Int?.self), 3)
    result.remove()
    let small = try taker.target("error:").hook(.before) { call in
      XCTAssertEqual(try call.argument(2, as: Failure.self), Failure(code: 5))
      XCTAssertTrue(try call.argument(2, as: (any Error).self) is Failure)
    }
    try taker.send("error:", Failure(code: 5))
    small.remove()
  }

  func testADelegatesClosureGetsTheValue() throws {
    let errors = try MessageProtocol(
      "Errors", [.required("failed:", signature: "@\"Swift.String\"@:@\"Swift.Error\"")])
    let delegate = DynamicDelegate(errors)
    try delegate.implement("failed:") { (error: any Error) in "\(error)" }
    let error: any Error = Mistake.small
    XCTAssertEqual(try delegate.send("failed:", error), "small")
    expectError(.typeMismatch, "argument 2") {
      _ = try delegate.send("failed:", 3, returning: String.self)
    }
  }

  func testTheNamesOfAnyAndErrorNeedNoDeclaration() throws {
    let object = try DynamicClass("Listener")
    object.addMethod(
      Method("failed:", signature: "@\"Swift.String\"@:@\"Swift.Error\"") { call in
        try call.setResult("\(call.argument(2, as: (any Error).self))")
      })
    try object.register()
    XCTAssertEqual(try object.makeInstance().send("failed:", Failure(code: 1)), "Failure(code: 1)")
  }

  func testWhatIsTakenEndsWithTheMessage() throws {
    let tracker = LifetimeTracker()
    let taker = Taker()
    for _ in 0..<3 {
      let tracked: any Sendable = tracker.track()
      try taker.send("any:", tracked)
      try taker.send("maybeAny:", tracked)
    }
    tracker.expectNothingAlive()
  }
}

// MARK: - The receiver

private struct Failure: Error, Equatable { let code: Int }

private enum Mistake: Error { case small }

private protocol Named: AnyObject {}

private final class Accident: Error, Named, CustomStringConvertible, Sendable {
  let description = "accident"
}

private final class Plain: Sendable {}

private final class Taker: MessageReceiver {
  static var methods: MethodTable {
    MethodTable(Taker.self) {
      Method("error:") { (_: Taker, error: any Error) in "\(error)" }
      Method("maybeError:") { (_: Taker, error: (any Error)?) in error.map { "\($0)" } ?? "nil" }
      Method("named:") { (_: Taker, named: any Named) in "\(named)" }
      Method("maybeNamed:") { (_: Taker, named: (any Named)?) in named.map { "\($0)" } ?? "nil" }
      Method("key:") { (_: Taker, key: AnyHashable) in "\(key)" }
      Method("any:") { (_: Taker, value: Any) in "\(value)" }
      Method("maybeAny:") { (_: Taker, value: Any?) in value.map { "\($0)" } ?? "nil" }
      Method("list:") { (_: Taker, list: [Any]) in "\(list)" }
      Method("maybe:") { (_: Taker, number: Int?) in "\(number as Any)" }
      Method("maybeByte:") { (_: Taker, number: UInt8?) in "\(number as Any)" }
      Method("maybeRatio:") { (_: Taker, number: Double?) in "\(number as Any)" }
      Method("maybeText:") { (_: Taker, text: String?) in "\(text as Any)" }
      Method("last:") { (_: Taker, numbers: [Int]) in numbers.last }
    }
  }
}
