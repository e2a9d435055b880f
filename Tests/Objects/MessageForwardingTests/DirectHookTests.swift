import BlockHooks
import Invocations
import MessageForwarding
import ObjectLifetimes
import TestSupport
import XCTest

/// Finds how many hazard pointers the calls in progress on a thread hold.
private final class Probe: MessageReceiver {
  static var methods: MethodTable {
    MethodTable(Probe.self) { Method("end") { (_: Probe) -> UInt64 in 0 } }
  }

  /// The end of the hazard pointer that a call takes now.
  static func end() throws -> UInt64 {
    let probe = Probe()
    // SAFETY: the address is only counted with.
    try probe.target("end").hook { try $0.setResult(UInt64(unsafe UInt(bitPattern: $0.hazardEnd))) }
    return try probe.send("end")
  }

  /// The size of a hazard pointer.
  static let size: UInt64 = 40
}

private struct Failure: Error, Equatable { let number: Int }

private class Adder: MessageReceiver, @unchecked Sendable {
  // SAFETY: each test uses its objects on its own thread.
  /// How many hazard pointers the message holds in the method.
  var hazards: UInt64?
  var start: UInt64?
  var calls = 0
  var base: Int32 { 0 }

  class var methods: MethodTable {
    MethodTable(Adder.self) {
      Method("add:to:") { (self: Adder, first: Int32, second: Double) -> Int32 in
        self.hazards = try self.start.map { (try Probe.end() - $0) / Probe.size }
        self.calls += 1
        if first == 13 { throw Failure(number: self.calls) }
        return self.base + first + Int32(second)
      }
      Method("note:") { (self: Adder, number: Int64) in self.calls += Int(number) }
      Method("bytes:of:and:and:") {
        (_: Adder, a: Int8, b: UInt16, c: Float, d: UInt64) -> Float in
        Float(a) + Float(b) + c + Float(d)
      }
      Method("few:bytes:each:here:") {
        (_: Adder, a: Int8, b: UInt8, c: Int16, d: Int8) -> Int8 in
        if c == 13 { throw Failure(number: 13) }
        return Int8(truncatingIfNeeded: Int(a) + 3 * Int(b) + 5 * Int(c) + 7 * Int(d))
      }
      Method("negated:") { (_: Adder, number: Int8) -> Int8 in -number }
      Method("zero") { (_: Adder) -> Double in 0.5 }
      Method("text:") { (_: Adder, number: Int32) -> String in "\(number)" }
    }
  }
}

private final class Heir: Adder, @unchecked Sendable {
  override var base: Int32 { 1_000 }
  override class var methods: MethodTable { MethodTable(Heir.self) }
}

private final class Stranger: MessageReceiver, Sendable {
  static var methods: MethodTable { MethodTable(Stranger.self) }
}

/// Messages to hooked methods whose Swift types are numbers, which enter no code between the sender
/// and the method.
final class DirectHookTests: XCTestCase {
  private var hooks: [Hook] = []
  private let selector: Selector = "add:to:"

  /// How many hazard pointers a message holds that enters no code.
  ///
  /// It is one, for the hooked method and its hooks. Code that calls enter holds one of its own:
  /// with libffi, that of the hooks and that of the method inside of them.
  private let direct: UInt64 =
    (try? CallInterface.of("i@:id").engine) == .plans ? 1 : 3

  override func tearDown() {
    for hook in hooks { hook.remove() }
    hooks = []
  }

  private func send(_ receiver: Adder, _ first: Int32) throws -> Int32 {
    receiver.start = try Probe.end()
    return try receiver.send(selector, first, 2.0)
  }

  /// What a message threw.
  private func failure(_ body: () throws -> Void) -> Failure? {
    do { try body() } catch { return (error as? MessageError)?.underlyingError as? Failure }
    return nil
  }

  func testMessagesOfTheMethodsTypesEnterNoCode() throws {
    let (object, heir) = (Adder(), Heir())
    hooks = [try Adder.target(selector).hook { try $0.proceed() }]
    XCTAssertEqual(try send(object, 3), 5)
    XCTAssertEqual(object.hazards, direct)
    XCTAssertEqual(try send(heir, 3), 1_005)
    XCTAssertEqual(heir.hazards, direct)
    try object.send(selector, 3 as Int32, 2.0)
    XCTAssertEqual(object.hazards, direct)
    XCTAssertEqual(object.calls, 2)
    hooks.append(try object.target(selector).hook(.after) { try $0.setResult(Int32(9)) })
    XCTAssertEqual(try send(object, 3), 9)
    XCTAssertEqual(try send(Adder(), 3), 5)
  }

  func testMessagesOfOtherTypesDo() throws {
    let object = Adder()
    hooks = [try Adder.target(selector).hook { try $0.proceed() }]
    object.start = try Probe.end()
    XCTAssertEqual(try object.send(selector, 3, 2, returning: Int.self), 5)
    XCTAssertEqual(object.hazards, max(2, direct))
    let replaced = Method("add:to:", signature: "i@:id") { call in
      try call.setResult(try call.argument(2, as: Int32.self) * 100)
    }
    let kept = Adder.replaceMethod(replaced)
    XCTAssertEqual(try send(object, 3), 300)
    if let kept { Adder.replaceMethod(kept) }
    XCTAssertEqual(try send(object, 3), 5)
    XCTAssertEqual(object.hazards, direct)
  }

  func testNumbersOfEveryWidthPass() throws {
    let object = Adder()
    for selector in ["bytes:of:and:and:", "negated:", "zero", "note:", "text:"] as [Selector] {
      hooks.append(try object.target(selector).hook { try $0.proceed() })
    }
    XCTAssertEqual(
      try object.send("bytes:of:and:and:", Int8(-100), UInt16(60_000), Float(0.5), UInt64(4)),
      Float(59_904.5))
    for number in [Int8.min + 1, -1, 0, 1, .max] {
      XCTAssertEqual(try object.send("negated:", number), -number)
    }
    XCTAssertEqual(try object.send("zero"), 0.5)
    try object.send("note:", Int64(-7))
    XCTAssertEqual(object.calls, -7)
    XCTAssertEqual(try object.send("text:", Int32(5)), "5")
  }

  func testNumbersOfFewBytesDoNotMix() throws {
    let object = Adder()
    @Sendable func sum(_ a: Int, _ b: Int, _ c: Int, _ d: Int) -> Int8 {
      Int8(truncatingIfNeeded: a + 3 * b + 5 * c + 7 * d)
    }
    let seen = Recorder<[Int]>()
    hooks = [
      try Adder.target("few:bytes:each:here:").hook { call in
        seen.record([
          Int(try call.argument(2, as: Int8.self)), Int(try call.argument(3, as: UInt8.self)),
          try call.argument(4, as: Int.self), try call.argument(5, as: Int.self),
        ])
        XCTAssertEqual(try call.argumentValue(3), .integer(200))
        try call.proceed()
        XCTAssertEqual(try call.result(as: Int.self), Int(sum(-1, 200, -300, -128)))
        try call.setArgument(3, UInt8(7))
        try call.proceed()
        XCTAssertEqual(try call.resultValue(), .integer(Int128(sum(-1, 7, -300, -128))))
      }
    ]
    XCTAssertEqual(
      try object.send("few:bytes:each:here:", Int8(-1), UInt8(200), Int16(-300), Int8(-128)),
      sum(-1, 7, -300, -128))
    XCTAssertEqual(seen.entries, [[-1, 200, -300, -128]])
  }

  func testAnErrorRemovesTheResultOfAnEarlierCall() throws {
    let object = Adder()
    hooks = [
      try Adder.target("few:bytes:each:here:").hook { call in
        try call.proceed()
        XCTAssertEqual(try call.result(as: Int8.self), 1)
        try call.setArgument(4, Int16(13))
        try call.proceed()
        XCTAssertEqual(call.error as? Failure, Failure(number: 13))
        XCTAssertThrowsError(try call.result(as: Int8.self))
        try call.setArgument(4, Int16(1))
        try call.proceed()
        XCTAssertNil(call.error)
        XCTAssertEqual(try call.result(as: Int8.self), 6)
        try call.setArgument(4, Int16(13))
        try call.proceed()
      },
      try Adder.target("note:").hook { call in for _ in 0..<3 { try call.proceed() } },
    ]
    XCTAssertEqual(
      failure {
        _ = try object.send("few:bytes:each:here:", Int8(1), UInt8(0), Int16(0), Int8(0)) as Int8
      }, Failure(number: 13))
    try object.send("note:", Int64(5))
    XCTAssertEqual(object.calls, 15)
  }

  func testHandlersChangeArgumentsAndResultsAndProceedAnyNumberOfTimes() throws {
    let object = Adder()
    for times in 0..<3 {
      object.calls = 0
      let hook = try object.target(selector).hook { call in
        for number in 0..<times {
          try call.setArgument(2, Int32(10 * number))
          try call.proceed()
          XCTAssertEqual(try call.result(as: Int32.self), Int32(10 * number + 2))
        }
      }
      XCTAssertEqual(try send(object, 1), [0, 2, 12][times])
      XCTAssertEqual(object.calls, times)
      hook.remove()
    }
    hooks = [
      try object.target(selector).hook { call in
        try call.setArgument(3, 40.0)
        try call.proceed()
        try call.setResult(call.result(as: Int32.self) * 2)
      }
    ]
    XCTAssertEqual(try send(object, 1), 82)
  }

  func testErrorsReachTheSenderAndMayBeAnswered() throws {
    let object = Adder()
    hooks = [try Adder.target(selector).hook { try $0.proceed() }]
    XCTAssertEqual(failure { _ = try send(object, 13) }, Failure(number: 1))
    hooks.append(
      try Adder.target(selector).hook { call in
        try call.proceed()
        XCTAssertEqual(call.error as? Failure, Failure(number: 2))
        try call.setResult(Int32(77))
      })
    XCTAssertEqual(try send(object, 13), 77)
    XCTAssertEqual(hooks.removeLast().remove(), true)
    let reported = Recorder<Int>()
    hooks.append(
      try Adder.target(selector).hook(onError: { reported.record(($0 as? Failure)?.number ?? 0) }) {
        _ in
        throw Failure(number: 9)
      })
    XCTAssertEqual(try send(object, 3), 5)
    XCTAssertEqual(reported.entries, [9])
    hooks.append(try Adder.target(selector).hook { try $0.setError(Failure(number: 8)) })
    XCTAssertEqual(failure { _ = try send(object, 3) }, Failure(number: 8))
  }

  func testTheReceiverMayBeReplacedByOneOfTheMethodsClass() throws {
    let (object, heir, stranger) = (Adder(), Heir(), Stranger())
    let other = try object.target(selector).hook { call in
      try call.setArgument(0, heir)
      try call.proceed()
    }
    XCTAssertEqual(try send(object, 3), 1_005)
    XCTAssertEqual([object.calls, heir.calls], [0, 1])
    other.remove()
    hooks = [
      try object.target(selector).hook { call in
        try call.setArgument(0, stranger)
        try call.proceed()
      }
    ]
    expectError(.typeMismatch, "the receiver is a Stranger") { _ = try send(object, 3) }
  }

  func testTheMethodMayBeReplacedWhileAHandlerRuns() throws {
    let page = try DynamicClass("Direct")
    try page.register()
    page.replaceMethod(
      Method("add:to:") { (_: DynamicObject, first: Int32, second: Double) -> Int32 in first })
    let object = try page.makeInstance()
    let steps = Recorder<Int>()
    hooks = [
      try page.instanceTarget(selector).hook { call in
        steps.record(1)
        try call.proceed()
        page.replaceMethod(
          Method("add:to:") { (_: DynamicObject, first: Int32, second: Double) -> Int32 in
            first * 7
          })
        try call.proceed()
      }
    ]
    XCTAssertEqual(try object.send(selector, 3 as Int32, 2.0), 21 as Int32)
    XCTAssertEqual(steps.entries, [1])
  }

  func testHooksThatGoDuringTheirCallFinishIt() throws {
    let object = Adder()
    let tracker = LifetimeTracker()
    let alive = Recorder<Int>()
    let handle = Recorder<Hook>()
    handle.record(
      try object.target(selector).hook { [tracked = tracker.track()] call in
        for hook in handle.entries {
          XCTAssertTrue(hook.remove())
          hook.removeAndWait()
        }
        // The method gets another signature, and so another chain when it is hooked again.
        let last = Adder.replaceMethod(
          Method("add:to:", signature: "d@:id") { try $0.setResult(0.25) })
        let next = try object.target("add:to:").hook { try $0.proceed() }
        XCTAssertEqual(try object.send("add:to:", 3 as Int32, 2.0), 0.25)
        next.remove()
        if let last { Adder.replaceMethod(last) }
        alive.record(tracker.alive)
        try call.proceed()
        withExtendedLifetime(tracked) {}
      })
    XCTAssertEqual(try send(object, 3), 5)
    XCTAssertEqual(try send(object, 4), 6)
    XCTAssertEqual(object.calls, 2)
    XCTAssertEqual(alive.entries, [1])
    tracker.expectNothingAlive()
  }
}
