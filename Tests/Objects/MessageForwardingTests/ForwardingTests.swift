import BlockHooks
import Invocations
import MessageForwarding
import TestSupport
import TypeEncodings
import XCTest

/// Forwards what it does not know, and says in which order it was asked.
private final class Forwarder: MessageReceiver {
  let log = Recorder<String>()
  var target: (any MessageReceiver)?
  var invocationTarget: (any MessageReceiver)?
  var answer: Int32?

  static var methods: MethodTable {
    MethodTable(Forwarder.self) { Method("own") { (_: Forwarder) -> Int in 1 } }
  }

  func forwardingTarget(for selector: Selector) -> (any MessageReceiver)? {
    log.record("target")
    return target
  }

  func methodSignature(for selector: Selector) -> MethodSignature? {
    log.record("signature")
    return invocationTarget?.methodSignature(for: selector)
      ?? answer.map { _ in try? MethodSignature(parsing: "i@:i") } ?? nil
  }

  func forwardInvocation(_ invocation: Invocation) throws {
    log.record("invocation")
    if let answer {
      try invocation.setResult(answer)
    } else if let invocationTarget {
      try invocation.send(to: invocationTarget)
    }
  }
}

/// A forwarding target that counts how often its methods are looked up.
private final class Target: MessageReceiver {
  static let log = Recorder<String>()
  var lookUps = 0

  static var methods: MethodTable {
    MethodTable(Target.self) {
      Method("scale:") { (_: Target, number: Int32) -> Int32 in
        log.record("scale")
        if number == 13 { throw CancellationError() }
        return number * 2
      }
    }
  }

  var _messageIdentity: MessageIdentity {
    lookUps += 1
    // SAFETY: the identity of an instance is the address of its class, as a number.
    return unsafe unsafeBitCast(ObjectIdentifier(Target.self), to: MessageIdentity.self)
  }

  deinit { Self.log.record("deinit") }
}

/// Says that it has added a method, and has not.
private final class Liar: MessageReceiver {
  static let log = Recorder<String>()
  static var methods: MethodTable { MethodTable(Liar.self) }

  static func resolveMethod(_ selector: Selector) -> Bool {
    log.record("resolve")
    return true
  }

  func forwardingTarget(for selector: Selector) -> (any MessageReceiver)? {
    Self.log.record("target")
    return Target()
  }
}

final class ForwardingTests: XCTestCase {
  func testAMethodOfItsOwnIsNotForwarded() throws {
    let forwarder = Forwarder()
    forwarder.target = Shape()
    XCTAssertEqual(try forwarder.send("own"), 1)
    XCTAssertEqual(forwarder.log.entries, [])
  }

  func testAForwardingTargetGetsTheMessage() throws {
    let forwarder = Forwarder()
    forwarder.target = Shape()
    XCTAssertEqual(try forwarder.send("scale:", Int32(21)), Int32(42))
    XCTAssertEqual(try forwarder.send("scale:", 21, returning: Int.self), 42)
    XCTAssertEqual(try forwarder.send("scale:", values: [4]), 8)
    XCTAssertEqual(forwarder.log.entries, ["target", "target", "target", "target"])
  }

  func testTheMethodOfATargetIsLookedUpOnceIfItHasTheMessagesTypes() throws {
    let (forwarder, target) = (Forwarder(), Target())
    forwarder.target = target
    func lookUps(_ body: () throws -> Void) rethrows -> Int {
      target.lookUps = 0
      try body()
      return target.lookUps
    }
    try forwarder.send("scale:", 1 as Int32)
    XCTAssertEqual(
      try lookUps { XCTAssertEqual(try forwarder.send("scale:", Int32(21)), Int32(42)) }, 1)
    XCTAssertEqual(
      lookUps { expectError(.thrown) { _ = try forwarder.send("scale:", Int32(13)) as Int32 } }, 1)
    let hook = try target.target("scale:").hook { call in
      try call.setArgument(2, Int32(5))
      try call.proceed()
    }
    XCTAssertEqual(try forwarder.send("scale:", Int32(21)), Int32(10))
    hook.remove()
    XCTAssertGreaterThan(
      try lookUps {
        XCTAssertEqual(try forwarder.send("scale:", 21, returning: Int.self), 42)
      }, 1)
    let outer = Forwarder()
    outer.target = forwarder
    XCTAssertEqual(try outer.send("scale:", Int32(21)), Int32(42))
    XCTAssertEqual(outer.log.entries, ["target"])
    forwarder.target = forwarder
    XCTAssertEqual(outer.log.entries, ["target"])
    expectError(.unrecognizedSelector) { try outer.send("scale:", Int32(21)) }
  }

  func testATargetThatNobodyElseRetainsLivesUntilItsMethodEnds() throws {
    let start = (Target.log.entries.count, Liar.log.entries.count)
    func ofTarget() -> [String] { Array(Target.log.entries.dropFirst(start.0)) }
    XCTAssertEqual(try Liar().send("scale:", Int32(3)), Int32(6))
    XCTAssertEqual(ofTarget(), ["scale", "deinit"])
    expectError(.thrown) { _ = try Liar().send("scale:", Int32(13)) as Int32 }
    XCTAssertEqual(try Liar().send("scale:", 3, returning: Int.self), 6)
    XCTAssertEqual(ofTarget(), ["scale", "deinit", "scale", "deinit", "scale", "deinit"])
    XCTAssertEqual(
      Array(Liar.log.entries.dropFirst(start.1)),
      ["resolve", "target", "resolve", "target", "resolve", "target"])
  }

  func testAnInvocationIsForwarded() throws {
    let forwarder = Forwarder()
    forwarder.invocationTarget = Shape()
    XCTAssertEqual(try forwarder.send("scale:", Int32(21)), Int32(42))
    XCTAssertEqual(forwarder.log.entries, ["target", "signature", "invocation"])
    XCTAssertEqual(try forwarder.send("scale:", values: [4]), 8)
    try forwarder.send("setTitle:", "forwarded")
    XCTAssertEqual(try forwarder.send("title"), "forwarded")
  }

  func testAnInvocationIsAnsweredInPlace() throws {
    let forwarder = Forwarder()
    forwarder.answer = 5
    XCTAssertEqual(try forwarder.send("anything:", Int32(1)), Int32(5))
    XCTAssertEqual(try forwarder.send("anything:", values: [1]), 5)
    expectError(.argumentCount, "takes 1") { try forwarder.send("anything::", 1, 2) }
  }

  func testAMessageThatNobodyAnswersIsAnError() {
    let forwarder = Forwarder()
    expectError(.unrecognizedSelector, "Forwarder") { try forwarder.send("nothing") }
    XCTAssertEqual(forwarder.log.entries, ["target", "signature"])
    forwarder.target = Shape()
    expectError(.unrecognizedSelector, "Shape") { try forwarder.send("nothing") }
  }

  func testAnInvocationThatNobodyAnswersHasNoResult() {
    final class Silent: MessageReceiver {
      static var methods: MethodTable { MethodTable(Silent.self) }
      func methodSignature(for selector: Selector) -> MethodSignature? {
        try? MethodSignature(parsing: "i@:")
      }
      func forwardInvocation(_ invocation: Invocation) {}
    }
    expectError(.noResult, "neither") { try Silent().send("x", returning: Int32.self) }
    XCTAssertNoThrow(try Silent().send("x"))
  }

  func testLoopsAreDetected() {
    let (first, second) = (Forwarder(), Forwarder())
    (first.target, second.target) = (second, first)
    expectError(.forwardingLoop, "each other") { try first.send("scale:", Int32(1)) }
    (first.target, second.target) = (nil, nil)
    (first.invocationTarget, second.invocationTarget) = (Looping(), nil)
    expectError(.forwardingLoop, "each other") { try first.send("scale:", Int32(1)) }
    first.target = first
    first.invocationTarget = nil
    expectError(.unrecognizedSelector, "scale:") { try first.send("scale:", Int32(1)) }
  }

  /// Sends every invocation to itself again.
  private final class Looping: MessageReceiver {
    static var methods: MethodTable { MethodTable(Looping.self) }
    func methodSignature(for selector: Selector) -> MethodSignature? {
      try? MethodSignature(parsing: "i@:i")
    }
    func forwardInvocation(_ invocation: Invocation) throws { try invocation.send(to: self) }
  }

  func testAnInvocationIsReplayedOnOtherReceivers() throws {
    let invocation = try Invocation(message: "setTitle:", signature: "v@:@\"Swift.String\"")
    try invocation.setArgument(2, "replayed")
    let shapes = [Shape(), Square()]
    for shape in shapes { try invocation.send(to: shape) }
    XCTAssertEqual(shapes.map(\.title), ["replayed", "replayed"])
    XCTAssertTrue(invocation.receiver === shapes[1])
    XCTAssertEqual(invocation.selector, "setTitle:")
    try invocation.setArgument(2, "again")
    try invocation.send()
    XCTAssertEqual(shapes.map(\.title), ["replayed", "again"])
  }

  func testAnInvocationThatDoesNotFitIsRefused() throws {
    let invocation = try Invocation(message: "scale:", signature: "i@:q")
    expectError(.missingArgument, "argument 2") {
      try invocation.send(to: Shape())
    }
    try invocation.setArgument(2, 1)
    expectError(.typeMismatch, "argument 2") { try invocation.send(to: Shape()) }
    expectError(.deadReceiver, "send(to:)") {
      try Invocation(message: "name", signature: "v@:").send()
    }
    expectError(.invalidMethod, "@:") { _ = try Invocation(message: "x", signature: "v@") }
    expectError(.invalidMethod, "no message") {
      try Invocation(signature: "ii").send(to: Shape())
    }
  }
}
