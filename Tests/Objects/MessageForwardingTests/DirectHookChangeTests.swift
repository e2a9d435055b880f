import BlockHooks
import Dispatch
import Glibc
import Invocations
import MessageForwarding
import Synchronization
import TestSupport
import XCTest

private struct Failure: Error, Equatable { let number: Int }

/// Messages to hooked methods whose types are numbers, while methods and hooks change, and errors
/// come from elsewhere.
final class DirectHookChangeTests: XCTestCase {
  private let selector: Selector = "scale:by:"

  private func method(
    _ factor: Int64, _ kept: LifetimeTracker.Tracked? = nil
  ) -> Method {
    Method(selector) { (_: DynamicObject, number: Int64, other: Double) -> Int64 in
      withExtendedLifetime(kept) { factor * number + Int64(other) }
    }
  }

  private func makeClass(_ name: String) throws -> (DynamicClass, DynamicObject) {
    let made = try DynamicClass(name)
    try made.register()
    made.replaceMethod(method(1))
    return (made, try made.makeInstance())
  }

  func testAMethodThatIsRemovedInAHandlerIsMissedByTheCall() throws {
    let delegate = DynamicDelegate(
      try MessageProtocol("Scales", [.optional(selector, signature: "q@:qd")]))
    try delegate.implement(selector) { (number: Int64, other: Double) in
      number + Int64(other)
    }
    let hook = try delegate.target(selector).hook { [selector] call in
      try call.proceed()
      XCTAssertEqual(try call.result(as: Int64.self), 7)
      XCTAssertTrue(try call.argument(0, as: DynamicDelegate.self).removeMethod(selector))
      try call.proceed()
      XCTAssertEqual((call.error as? MessageError)?.code, .unrecognizedSelector)
      XCTAssertThrowsError(try call.result(as: Int64.self))
    }
    expectError(.unrecognizedSelector, "was removed") {
      _ = try delegate.send(self.selector, Int64(5), 2.0) as Int64
    }
    hook.remove()
  }

  func testHooksOfAMethodThatIsNoMoreAreSkippedUntilItIsAgain() throws {
    let (_, real) = try makeClass("Real")
    let delegate = DynamicDelegate(
      try MessageProtocol("Scales", [.optional(selector, signature: "q@:qd")]))
    let answer: @Sendable (Int64, Double) -> Int64 = { number, _ in 100 * number }
    let method = try delegate.implement(selector, answer)
    let calls = Recorder<Int64>()
    let hook = try delegate.target(selector).hook { call in
      calls.record(try call.argument(2, as: Int64.self))
      try call.proceed()
    }
    XCTAssertEqual(try delegate.send(selector, Int64(5), 2.0), Int64(500))
    method.remove()
    XCTAssertFalse(delegate.responds(to: selector))
    expectError(.unrecognizedSelector, "no method for it") {
      _ = try delegate.send(self.selector, Int64(6), 2.0) as Int64
    }
    try delegate.setRealDelegate(real)
    XCTAssertEqual(try delegate.send(selector, Int64(7), 2.0), Int64(9))
    try delegate.implement(selector, answer)
    XCTAssertEqual(try delegate.send(selector, Int64(8), 2.0), Int64(800))
    XCTAssertEqual(calls.entries, [5, 8])
    hook.remove()
  }

  func testAHandlerThatThrowsAfterEverythingIsGoneLetsTheMethodRun() throws {
    let (made, object) = try makeClass("Passed over")
    let reported = Recorder<Failure>()
    let handle = Recorder<Hook>()
    handle.record(
      try made.instanceTarget(selector).hook(
        .instead, onError: { if let failure = $0 as? Failure { reported.record(failure) } }
      ) { [selector] _ in
        for hook in handle.entries { hook.remove() }
        // Another signature needs another chain: the first one is freed.
        made.replaceMethod(
          Method(selector, signature: "d@:qd") { try $0.setResult(0.25) })
        let next = try made.instanceTarget(selector).hook(.before) { _ in }
        next.remove()
        made.replaceMethod(Self.tenfold(selector))
        throw Failure(number: 1)
      })
    XCTAssertEqual(try object.send(selector, Int64(5), 2.0), Int64(52))
    XCTAssertEqual(reported.entries, [Failure(number: 1)])
    XCTAssertEqual(try object.send(selector, Int64(6), 2.0), Int64(62))
  }

  private static func tenfold(_ selector: Selector) -> Method {
    Method(selector) { (_: DynamicObject, number: Int64, other: Double) -> Int64 in
      10 * number + Int64(other)
    }
  }

  func testWhoWaitsForAHookWaitsForItsHandler() throws {
    let (made, object) = try makeClass("Awaited")
    let (entered, leave) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let hasWaited = Atomic(false)
    let isSeen = Atomic(false)
    let hook = try made.instanceTarget(selector).hook { call in
      entered.signal()
      leave.wait()
      // A thread that does not wait is faster than this.
      for _ in 0..<50_000 where !hasWaited.load(ordering: .sequentiallyConsistent) {
        sched_yield()
      }
      isSeen.store(
        hasWaited.load(ordering: .sequentiallyConsistent), ordering: .sequentiallyConsistent)
      try call.proceed()
    }
    let threads = ThreadGroup()
    threads.start { [selector] in
      XCTAssertEqual(try? object.send(selector, Int64(5), 2.0, returning: Int64.self), 7)
    }
    entered.wait()
    hook.remove()
    XCTAssertEqual(try object.send(selector, Int64(6), 2.0), Int64(8))
    leave.signal()
    hook.removeAndWait()
    hasWaited.store(true, ordering: .sequentiallyConsistent)
    threads.wait()
    XCTAssertFalse(isSeen.load(ordering: .sequentiallyConsistent))
  }

  /// An error that a method throws to C code is that of the innermost message.
  func testAnErrorBehindCCodeIsTheMethods() throws {
    let (made, object) = try makeClass("Behind C")
    made.replaceMethod(
      Method("fail:") { (_: DynamicObject, number: Int64) in throw Failure(number: Int(number)) })
    let failing = try XCTUnwrap(made.method("fail:"))
    // SAFETY: the method stays in its class, and has the signature.
    let function = unsafe try CFunction(
      unsafeAddress: failing.unsafeImplementation(), signature: "v@:q")
    @Sendable func fail(_ object: DynamicObject, _ number: Int) throws {
      let invocation = Invocation(function)
      try invocation.setArgument(0, object)
      try invocation.setArgument(1, Selector("fail:"))
      try invocation.setArgument(2, Int64(number))
      try invocation.invoke()
    }
    made.replaceMethod(
      Method(selector) { (self: DynamicObject, number: Int64, _: Double) -> Int64 in
        if number < 0 { try fail(self, -Int(number)) }
        return number
      })
    let answers = try made.instanceTarget(selector).hook { call in
      try call.proceed()
      XCTAssertEqual(call.error as? Failure, Failure(number: 3))
      try call.setResult(Int64(30))
    }
    XCTAssertEqual(try object.send(selector, Int64(-3), 2.0), Int64(30))
    answers.remove()
    let fails = try made.instanceTarget(selector).hook { call in
      try call.proceed()
      XCTAssertNil(call.error)
      try fail(call.argument(0, as: DynamicObject.self), 4)
      XCTAssertNil(call.error)
    }
    expectError(.thrown, "4") { _ = try object.send(self.selector, Int64(3), 2.0) as Int64 }
    fails.remove()
    XCTAssertEqual(try object.send(selector, Int64(3), 2.0), Int64(3))
  }

  /// Hooks of the class, of its subclass and of an object, each of which enters the next.
  func testHooksOfAHierarchyPassNumbersAndErrors() throws {
    let (base, _) = try makeClass("Base of hooks")
    let derived = try DynamicClass("Derived of hooks", superclass: base)
    try derived.register()
    let object = try derived.makeInstance()
    let steps = Recorder<String>()
    @Sendable func hook(_ name: String) -> HookDefinition {
      HookDefinition(.instead) { call in
        steps.record(name)
        try call.setArgument(2, call.argument(2, as: Int64.self) + 1)
        try call.proceed()
        if call.error == nil { try call.setResult(call.result(as: Int64.self) * 2) }
      }
    }
    let hooks = [
      try base.instanceTarget(selector).install(hook("base")),
      try derived.instanceTarget(selector).install(hook("derived")),
      try object.target(selector).hook { call in
        steps.record("object")
        try call.proceed()
      },
    ]
    XCTAssertEqual(try object.send(selector, Int64(5), 2.0), Int64(36))
    XCTAssertEqual(steps.entries, ["object", "derived", "base"])
    base.replaceMethod(
      Method(selector) { (_: DynamicObject, number: Int64, _: Double) -> Int64 in
        throw Failure(number: Int(number))
      })
    do {
      _ = try object.send(selector, Int64(5), 2.0) as Int64
      XCTFail("no error")
    } catch {
      XCTAssertEqual(error.underlyingError as? Failure, Failure(number: 7))
    }
    base.replaceMethod(method(3))
    for hook in hooks { hook.remove() }
    XCTAssertEqual(try object.send(selector, Int64(5), 2.0), Int64(17))
  }

  /// Under ThreadSanitizer and AddressSanitizer it finds what is freed too early.
  func testMethodsAndHooksChangeWhileMessagesAreSent() throws {
    let (made, object) = try makeClass("Changing")
    let lives = LifetimeTracker()
    let wrong = Recorder<String>()
    let isOver = Atomic(false)
    let group = ThreadGroup()
    let (selector, rounds) = (selector, shortened(1_000))
    let isSending = DispatchSemaphore(value: 0)
    for _ in 0..<2 {
      group.start {
        var isFirst = true
        while !isOver.load(ordering: .relaxed) {
          defer {
            if isFirst { isSending.signal() }
            isFirst = false
          }
          do {
            let answer = try object.send(selector, Int64(5), 2.0) as Int64
            if ![7, 12, 107, 112].contains(answer) { wrong.record("\(answer)") }
          } catch {
            // A method of another signature came between the handler and what it proceeds to.
            if (error as? MessageError)?.code != .typeMismatch { wrong.record("\(error)") }
          }
        }
      }
    }
    for _ in 0..<2 { isSending.wait() }
    for round in 0..<rounds {
      let kept = lives.track()
      let hook = try made.instanceTarget(selector).hook { call in
        try call.proceed()
        guard call.error == nil else { return }
        try withExtendedLifetime(kept) {
          try call.setResult(call.result(as: Int64.self) + 100)
        }
      }
      made.replaceMethod(method(2, lives.track()))
      if round % 3 == 0 {
        made.replaceMethod(Method(selector, signature: "d@:qd") { try $0.setResult(112.0) })
      }
      if round % 2 == 0 { hook.remove() } else { hook.removeAndWait() }
      made.replaceMethod(method(1, lives.track()))
    }
    isOver.store(true, ordering: .relaxed)
    group.wait()
    XCTAssertEqual(wrong.entries, [])
    made.replaceMethod(method(1))
    lives.expectNothingAlive()
  }
}
