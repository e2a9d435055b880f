import BlockABI
import BlockHooks
import CFixtures
import Invocations
import MessageForwarding
import ObjectLifetimes
import TestSupport
import TypeEncodings
import XCTest

private class Root: MessageReceiver {
  class var methods: MethodTable {
    MethodTable(Root.self) {
      Method("one") { (_: Root) -> Int in 1 }
      Method("two") { (_: Root) -> Int in 2 }
      Method("text") { (_: Root) -> String in "text" }
    }
  }
}

private final class Leaf: Root {
  override class var methods: MethodTable {
    MethodTable(Leaf.self) { Method("own") { (_: Leaf) -> Int in 10 } }
  }
}

final class MethodChangeTests: XCTestCase {
  func testHooksHoldForTheSignatureThatTheyWereInstalledFor() throws {
    class Base: MessageReceiver {
      class var methods: MethodTable {
        MethodTable(Base.self) { Method("value:") { (_: Base, number: Int) -> Int in number } }
      }
    }
    final class Derived: Base {
      override class var methods: MethodTable { MethodTable(Derived.self) }
    }
    let object = Derived()
    let steps = Recorder<String>()
    let hooks = try [("base", nil), ("derived", nil), ("object", object)].map { name, own in
      let handler: HookDefinition.Handler = { call in
        steps.record(name)
        try call.proceed()
      }
      if let own { return try own.target("value:").hook(.instead, handler) }
      return try name == "base"
        ? Base.target("value:").hook(.instead, handler)
        : Derived.target("value:").hook(.instead, handler)
    }
    func run() -> [String] {
      let before = steps.entries.count
      _ = try? object.send("value:", 1) as Int
      return Array(steps.entries[before...])
    }
    XCTAssertEqual(run(), ["object", "derived", "base"])
    let last = try XCTUnwrap(
      Base.replaceMethod(Method("value:") { (_: Base, text: String) -> String in text + "!" }))
    XCTAssertEqual(try object.send("value:", "new"), "new!")
    XCTAssertEqual(try Base().send("value:", "new"), "new!")
    XCTAssertEqual(run(), [])
    XCTAssertTrue(hooks.allSatisfy(\.isInstalled))
    XCTAssertEqual(object.target("value:").hooks.count, 1)
    XCTAssertEqual(Derived.target("value:").hooks.count, 1)
    expectError(.signatureConflict, "remove those hooks first") {
      try object.target("value:").hook(.before) { _ in }
    }
    Base.replaceMethod(last)
    XCTAssertEqual(run(), ["object", "derived", "base"])
    // With the old ones gone the new signature is hooked.
    for hook in hooks { hook.remove() }
    Base.replaceMethod(Method("value:") { (_: Base, text: String) -> String in text + "?" })
    let hook = try object.target("value:").hook { call in try call.setResult("hooked") }
    XCTAssertEqual(try object.send("value:", "new"), "hooked")
    hook.remove()
  }

  func testAMethodIsAddedOnce() throws {
    final class Empty: MessageReceiver {
      static var methods: MethodTable { MethodTable(Empty.self) }
    }
    let empty = Empty()
    expectError(.unrecognizedSelector, "one") { try empty.send("one") }
    XCTAssertTrue(Empty.addMethod(Method("one") { (_: Empty) -> Int in 1 }))
    XCTAssertEqual(try empty.send("one"), 1)
    XCTAssertFalse(Empty.addMethod(Method("one") { (_: Empty) -> Int in 3 }))
    XCTAssertEqual(try empty.send("one"), 1)
  }

  func testAnInheritedMethodIsOverriddenByAddingAndByReplacing() throws {
    let (root, leaf) = (Root(), Leaf())
    XCTAssertEqual(try leaf.send("one"), 1)
    XCTAssertTrue(Leaf.addMethod(Method("one") { (_: Leaf) -> Int in 11 }))
    XCTAssertNil(Leaf.replaceMethod(Method("two") { (_: Leaf) -> Int in 12 }))
    XCTAssertEqual(try leaf.send("one"), 11)
    XCTAssertEqual(try leaf.send("two"), 12)
    XCTAssertEqual(try root.send("one"), 1)
    XCTAssertEqual(try root.send("two"), 2)
    let last = Leaf.replaceMethod(Method("two") { (_: Leaf) -> Int in 13 })
    XCTAssertEqual(try leaf.send("two"), 13)
    if let last { Leaf.replaceMethod(last) }
    XCTAssertEqual(try leaf.send("two"), 12)
  }

  func testImplementationsAreExchangedWhereTheyStand() throws {
    class Base: MessageReceiver {
      class var methods: MethodTable {
        MethodTable(Base.self) {
          Method("one") { (_: Base) -> Int in 1 }
          Method("two") { (_: Base) -> Int in 2 }
          Method("text") { (_: Base) -> String in "text" }
        }
      }
    }
    final class Sub: Base {
      override class var methods: MethodTable {
        MethodTable(Sub.self) { Method("own") { (_: Sub) -> Int in 10 } }
      }
    }
    try Base.exchangeMethods("one", "two")
    XCTAssertEqual(try Sub().send("one"), 2)
    XCTAssertEqual(try Base().send("two"), 1)
    // An inherited one is exchanged in the superclass, as in Objective-C.
    Sub.addMethod(Method("more", signature: "q@:", frame: { try $0.setResult(20) }))
    try Sub.exchangeMethods("more", "one")
    XCTAssertEqual(try Sub().send("more"), 2)
    XCTAssertEqual(try Base().send("one"), 20)
    // Instances of the superclass cannot be receivers of the subclass's.
    expectError(.typeMismatch, "add the inherited one") {
      try Sub.exchangeMethods("own", "two")
    }
    XCTAssertEqual(try Sub().send("own"), 10)
    expectError(.typeMismatch, "result") { try Base.exchangeMethods("one", "text") }
    expectError(.noSuchMethod, "three") { try Base.exchangeMethods("one", "three") }
  }

  func testClassMethodsAreExchanged() throws {
    final class Swapped: MessageReceiver {
      static var methods: MethodTable {
        MethodTable(Swapped.self) {
          Method("one") { (_: ClassObject) -> Int in 1 }.ofClass()
          Method("two") { (_: ClassObject) -> Int in 2 }.ofClass()
        }
      }
    }
    try Swapped.classObject.exchangeClassMethods("one", "two")
    XCTAssertEqual(try Swapped.send("one"), 2)
    XCTAssertEqual(try Swapped.send("two"), 1)
    XCTAssertEqual(Swapped.classObject.classMethod("one")?.isClassMethod, true)
    XCTAssertNil(Swapped.classObject.classMethod("three"))
    expectError(.noSuchMethod, "three") {
      try Swapped.classObject.exchangeClassMethods("one", "three")
    }
  }

  func testHooksStayAroundAReplacedMethod() throws {
    final class Hooked: MessageReceiver {
      static var methods: MethodTable {
        MethodTable(Hooked.self) { Method("one") { (_: Hooked) -> Int in 1 } }
      }
    }
    let hook = try Hooked.target("one").hook(.after) { call in
      try call.setResult(call.result(as: Int.self) * 100)
    }
    XCTAssertEqual(try Hooked().send("one"), 100)
    Hooked.replaceMethod(Method("one") { (_: Hooked) -> Int in 2 })
    XCTAssertEqual(try Hooked().send("one"), 200)
    hook.remove()
    XCTAssertEqual(try Hooked().send("one"), 2)
  }

  func testAMethodThatGotAnotherSignatureTakesNewHooksWhenTheOldOnesAreGone() throws {
    final class Turned: MessageReceiver {
      static var methods: MethodTable {
        MethodTable(Turned.self) {
          Method("turn:") { (_: Turned, number: Int32) -> Int32 in number }
        }
      }
    }
    let turned = Turned()
    let wide = try Block(signature: "{Wide=ddd}@?@{Wide=ddd}") { call in
      try call.setResultValue(call.argumentValue(2))
    }
    for isOfClass in [true, false] {
      Turned.replaceMethod(Method("turn:") { (_: Turned, number: Int32) -> Int32 in number })
      let hook =
        try isOfClass
        ? Turned.target("turn:").hook(.before) { _ in }
        : turned.target("turn:").hook(.before) { _ in }
      XCTAssertEqual(try turned.send("turn:", Int32(3)), Int32(3))
      Turned.replaceMethod(Method("turn:", block: wide))
      let value = CValue.structure([1.0, 2.0, 3.0])
      XCTAssertEqual(try turned.send("turn:", values: [value]), value)
      expectError(.typeMismatch, "Wide=ddd") { try turned.send("turn:", Int32(3)) }
      expectError(.signatureConflict, "remove those hooks") {
        if isOfClass {
          try Turned.target("turn:").hook { _ in }
        } else {
          try turned.target("turn:").hook { _ in }
        }
      }
      hook.remove()
      XCTAssertEqual(try turned.send("turn:", values: [value]), value)
      let second =
        try isOfClass ? Turned.target("turn:").hook { _ in } : turned.target("turn:").hook { _ in }
      XCTAssertEqual(try turned.send("turn:", values: [value]), .structure([0.0, 0.0, 0.0]))
      second.remove()
    }
  }

  func testAReplacedMethodFreesWhatItCaptured() throws {
    final class Replaced: MessageReceiver {
      static var methods: MethodTable { MethodTable(Replaced.self) }
    }
    let tracker = LifetimeTracker()
    for _ in 0..<3 {
      let captured = tracker.track()
      Replaced.replaceMethod(Method("one") { (_: Replaced) in withExtendedLifetime(captured) {} })
      try Replaced().send("one")
    }
    XCTAssertEqual(tracker.alive, 1)
    Replaced.replaceMethod(Method("one") { (_: Replaced) in })
    tracker.expectNothingAlive()
  }

  func testAMethodMayReplaceItselfWhileItRuns() throws {
    final class Changing: MessageReceiver {
      static var methods: MethodTable { MethodTable(Changing.self) }
    }
    let tracker = LifetimeTracker()
    do {
      let captured = tracker.track()
      Changing.replaceMethod(
        Method("one") { (_: Changing) -> Int in
          Changing.replaceMethod(Method("one") { (_: Changing) -> Int in 2 })
          withExtendedLifetime(captured) {}
          return 1
        })
    }
    XCTAssertEqual(try Changing().send("one"), 1)
    XCTAssertEqual(try Changing().send("one"), 2)
    tracker.expectNothingAlive()
  }

  func testAClassMakesAMethodWhenItIsAskedFor() throws {
    final class Lazy: MessageReceiver {
      static var methods: MethodTable { MethodTable(Lazy.self) }
      static func resolveMethod(_ selector: Selector) -> Bool {
        guard selector.name.hasPrefix("make") else { return false }
        return addMethod(Method(selector) { (_: Lazy) -> String in "made \(selector)" })
      }
      static func resolveClassMethod(_ selector: Selector) -> Bool {
        addMethod(Method(selector) { (_: ClassObject) -> Int in 5 }.ofClass())
      }
    }
    XCTAssertEqual(try Lazy().send("makeOne"), "made makeOne")
    XCTAssertTrue(Lazy().responds(to: "makeTwo"))
    expectError(.unrecognizedSelector, "other") { try Lazy().send("other") }
    XCTAssertEqual(try Lazy.send("count"), 5)
    // A hook is enough to have it made.
    let hooks = [
      try Lazy.target("makeThree").hook(.after) { try $0.setResult("hooked") },
      try Lazy().target("makeFour").hook(.before) { _ in },
      try Lazy.classObject.target("number").hook(.after) { try $0.setResult(6) },
    ]
    XCTAssertEqual(try Lazy().send("makeThree"), "hooked")
    XCTAssertEqual(try Lazy.send("number"), 6)
    for hook in hooks { hook.remove() }
  }

  func testAMethodOfAnotherClassIsRefused() throws {
    final class Other: MessageReceiver {
      static var methods: MethodTable {
        MethodTable(Other.self) { Method("name", Shape.name) }
      }
    }
    Other.addMethod(Method("area") { (_: Shape) -> Double in 1 })
    Other.replaceMethod(Method("count") { (_: ClassObject) -> Int in 1 })
    for selector: Selector in ["name", "area", "count"] {
      expectError(.invalidMethod, "is not a method of Other") { try Other().send(selector) }
    }
  }

  func testABlockIsAnImplementation() throws {
    final class Blocks: MessageReceiver {
      static var methods: MethodTable { MethodTable(Blocks.self) }
    }
    let add: @convention(block) (AnyObject, Int32, Double) -> Double = { _, a, b in Double(a) + b }
    XCTAssertTrue(Blocks.addMethod(Method("add:to:", block: try Block(add))))
    XCTAssertEqual(try Blocks().send("add:to:", Int32(1), 2.5), 3.5)
    XCTAssertEqual(Blocks().methodSignature(for: "add:to:")?.description, "d@:id")
    let hook = try Blocks.target("add:to:").hook(.before) { try $0.setArgument(2, Int32(10)) }
    XCTAssertEqual(try Blocks().send("add:to:", 1, 2.5), 12.5)
    hook.remove()
    let wrong: @convention(block) (Int32) -> Void = { _ in }
    Blocks.addMethod(Method("wrong", block: try Block(wrong)))
    expectError(.invalidMethod, "receiver") { try Blocks().send("wrong") }
  }
}
