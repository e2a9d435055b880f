import BlockHooks
import Invocations
import MessageForwarding
import ObjectLifetimes
import TestSupport
import XCTest

final class DynamicClassTests: XCTestCase {
  func testAClassIsMadeUsedAndDisposedOf() throws {
    let shape = try DynamicClass("DynamicShape")
    shape.addMethod(Method("area", signature: "d@:") { try $0.setResult(2.5) })
    shape.addMethod(Method("twice:") { (_: DynamicObject, number: Int) -> Int in number * 2 })
    shape.addMethod(Method("make") { (_: ClassObject) -> Int in 1 }.ofClass())
    expectError(.classState, "allocated") { _ = try shape.makeInstance() }
    XCTAssertNil(DynamicClass.named("DynamicShape"))
    try shape.register()
    XCTAssertTrue(DynamicClass.named("DynamicShape") === shape)
    expectError(.classState, "already") { try shape.register() }
    do {
      let object = try shape.makeInstance()
      XCTAssertEqual(try object.send("area"), 2.5)
      XCTAssertEqual(try object.send("twice:", 21), 42)
      XCTAssertEqual(try shape.send("make"), 1)
      expectError(.unrecognizedSelector, "an instance of DynamicShape") {
        try object.send("make")
      }
      expectError(.classState, "1 instances") { try shape.dispose() }
    }
    try shape.dispose()
    expectError(.classState, "disposed") { try shape.dispose() }
    expectError(.classState, "disposed") { _ = try shape.makeInstance() }
    XCTAssertNil(DynamicClass.named("DynamicShape"))
  }

  func testAClassInheritsOverridesAndCallsSuper() throws {
    let base = try DynamicClass("DynamicBase")
    base.addMethod(Method("name") { (_: DynamicObject) -> String in "base" })
    base.addMethod(Method("kind") { (_: DynamicObject) -> String in "kind" })
    expectError(.classState, "allocated") {
      _ = try DynamicClass("Early", superclass: base)
    }
    try base.register()
    let sub = try DynamicClass("DynamicSub", superclass: base)
    sub.addMethod(
      Method("name") { [unowned sub] (object: DynamicObject) -> String in
        try "sub of " + object.sendSuper(of: sub, "name")
      })
    try sub.register()
    expectError(.classState, "a dynamic class DynamicSub") {
      _ = try DynamicClass("DynamicSub")
    }
    let object = try sub.makeInstance()
    XCTAssertEqual(try object.send("name"), "sub of base")
    XCTAssertEqual(try object.send("kind"), "kind")
    let hook = try base.instanceTarget("kind").hook(.after) { try $0.setResult("hooked") }
    XCTAssertEqual(try object.send("kind"), "hooked")
    hook.remove()
    expectError(.classState, "1 subclasses") { try base.dispose() }
    withExtendedLifetime(object) {}
  }

  func testAClassThatIsDroppedIsForgotten() throws {
    let base = try DynamicClass("DroppedBase")
    try base.register()
    do {
      let dropped = try DynamicClass("Dropped", superclass: base)
      expectError(.classState, "a dynamic class Dropped") {
        _ = try DynamicClass("Dropped", superclass: base)
      }
      expectError(.classState, "1 subclasses") { try base.dispose() }
      withExtendedLifetime(dropped) {}
    }
    XCTAssertNoThrow(try DynamicClass("Dropped"))
    try base.dispose()
  }

  func testADisposedClassIsForgottenWithItsMethods() throws {
    let tracker = LifetimeTracker()
    for number in 0..<3 {
      let captured = tracker.track()
      let one = try DynamicClass("Short-lived")
      one.addMethod(
        Method("number") { (_: DynamicObject) -> Int in
          withExtendedLifetime(captured) { number }
        })
      try one.register()
      XCTAssertEqual(try one.makeInstance().send("number"), number)
      try one.dispose()
    }
    tracker.expectNothingAlive()
  }

  func testADroppedClassFreesItsMethodsAndEndsItsHooks() throws {
    let tracker = LifetimeTracker()
    var hook: Hook?
    do {
      let (captured, seen) = (tracker.track(), tracker.track())
      let one = try DynamicClass("Dropped with methods")
      one.addMethod(
        Method("note") { (_: DynamicObject) in withExtendedLifetime(captured) {} })
      try one.register()
      hook = try one.instanceTarget("note").hook(.before) { _ in withExtendedLifetime(seen) {} }
      try one.makeInstance().send("note")
    }
    tracker.expectNothingAlive()
    XCTAssertEqual(hook?.isInstalled, false)
  }

  func testClassesOfOneNameAreMadeAndDroppedByManyThreads() throws {
    let threads = ThreadGroup()
    let outcomes = Recorder<ErrorCode?>()
    for _ in 0..<3 {
      threads.start {
        for _ in 0..<2_000 {
          do throws(MessageError) {
            _ = try DynamicClass("Contended")
            outcomes.record(nil)
          } catch {
            outcomes.record(error.code)
          }
        }
      }
    }
    threads.wait()
    // One is made, or the name is another thread's at the moment; and in the end it is free.
    XCTAssertEqual(outcomes.entries.count, 6_000)
    XCTAssertTrue(outcomes.entries.contains(nil))
    XCTAssertTrue(outcomes.entries.allSatisfy { $0 == nil || $0 == .classState })
    XCTAssertNoThrow(try DynamicClass("Contended").dispose())
  }
}
