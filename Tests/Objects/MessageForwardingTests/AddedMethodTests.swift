import BlockHooks
import Invocations
import MessageForwarding
import ObjectLifetimes
import Synchronization
import TestSupport
import XCTest

/// Methods that one object has, and no other of its class.
final class AddedMethodTests: XCTestCase {
  /// A receiver without the methods that are added.
  class Plain: MessageReceiver, @unchecked Sendable {
    class var methods: MethodTable {
      MethodTable(Plain.self) { Method("twice:") { (_: Plain, number: Int) in number * 2 } }
    }
  }

  private static let triple = Method("triple:") { (_: Plain, number: Int) in number * 3 }
  private static let encoded = Method(
    "triple:", signature: "q@:q",
    frame: { try $0.setResult($0.argument(2, as: Int.self) * 3) })

  func testOnlyTheObjectHasTheMethod() throws {
    for method in [Self.triple, Self.encoded] {
      let (object, other) = (Plain(), Plain())
      // A message that came before.
      expectError(.unrecognizedSelector) { try object.send("triple:", 2, returning: Int.self) }
      let token = try object.addMethod(method)
      XCTAssertEqual(try object.send("triple:", 2, returning: Int.self), 6)
      XCTAssertEqual(try object.send("triple:", values: [.integer(5)]), .integer(15))
      let message = try object.record { _ = try $0.send("triple:", 4, returning: Int.self) }
      try message.send(to: object)
      XCTAssertEqual(try message.result(as: Int.self), 12)
      XCTAssertEqual(try object.send("twice:", 2, returning: Int.self), 4)
      XCTAssertEqual([object, other].map { $0.responds(to: "triple:") }, [true, false])
      XCTAssertNotNil(object.methodSignature(for: "triple:"))
      XCTAssertFalse(Plain.classObject.instancesRespond(to: "triple:"))
      expectError(.unrecognizedSelector) { try other.send("triple:", 2, returning: Int.self) }
      XCTAssertTrue(token.isAdded)
      XCTAssertEqual("\(token)", "<method triple:, added>")
      XCTAssertTrue(token.remove())
      XCTAssertFalse(token.remove() || token.isAdded || object.responds(to: "triple:"))
      expectError(.unrecognizedSelector) { try object.send("triple:", 2, returning: Int.self) }
      do { let scoped = try object.addMethod(method).scoped(); _ = scoped.token }
      XCTAssertFalse(object.responds(to: "triple:"))
    }
  }

  func testEveryKindOfReceiverCanHaveMethods() throws {
    let made = try DynamicClass("Having")
    try made.register()
    let real = Plain()
    let proxy = MultiTargetProxy(weak: [real])
    let receivers: [any MessageReceiver] = [
      try made.makeInstance(), proxy, WeakProxy(real),
      DynamicDelegate(try MessageProtocol("Any", [])),
    ]
    for receiver in receivers {
      let token = try receiver.addMethod(
        Method("hello", signature: "q@:", frame: { try $0.setResult(Int(5)) }))
      XCTAssertEqual(try receiver.send("hello", returning: Int.self), 5, "\(receiver)")
      XCTAssertTrue(token.remove())
      XCTAssertThrowsError(try receiver.send("hello", returning: Int.self), "\(receiver)")
    }
    XCTAssertEqual(try proxy.send("twice:", 2, returning: Int.self), 4)
  }

  func testAMethodThatIsThereOrCannotBeIsRefused() throws {
    let object = Plain()
    XCTAssertThrowsError(
      try object.addMethod(Method("twice:") { (_: Plain, number: Int) in number })
    ) { error in
      XCTAssertEqual((error as? MessageError)?.code, .methodExists)
      XCTAssertTrue("\(error)".contains("target(\"twice:\").hook"), "\(error)")
    }
    try object.addMethod(Self.triple)
    expectError(.methodExists) { try object.addMethod(Self.encoded) }
    expectError(.typeMismatch) {
      try object.addMethod(Method("other") { (_: HookedCounter) in 1 })
    }
    expectError(.invalidMethod) { try object.addMethod(Self.triple.ofClass()) }
    expectError(.invalidMethod) {
      try object.addMethod(Method("wrong:", signature: "i@:", frame: { _ in }))
    }
    expectError(.invalidMethod) {
      _ = try (Plain.classObject as any MessageReceiver).addMethod(Self.encoded)
    }
    XCTAssertFalse(object.responds(to: "other") || object.responds(to: "wrong:"))
  }

  func testTheMethodOfTheObjectIsBeforeOneThatTheClassGetsLater() throws {
    final class Late: Plain, @unchecked Sendable {
      override class var methods: MethodTable { MethodTable(Late.self) }
    }
    let (object, other) = (Late(), Late())
    let token = try object.addMethod(Self.triple)
    Late.addMethod(Method("triple:") { (_: Plain, number: Int) in number * 30 })
    XCTAssertEqual(try object.send("triple:", 1, returning: Int.self), 3)
    XCTAssertEqual(try other.send("triple:", 1, returning: Int.self), 30)
    token.remove()
    XCTAssertEqual(try object.send("triple:", 1, returning: Int.self), 30)
  }

  func testTheMethodIsHookedForItsObject() throws {
    let (object, other) = (Plain(), Plain())
    let list = Recorder<String>()
    let all = try object.everyMessage.hook { call in
      list.record("all \(call.selector?.name ?? "")")
      try call.proceed()
    }
    let token = try object.addMethod(Self.triple)
    let hook = try object.target("triple:").hook(priority: -1) { call in
      list.record("one")
      try call.proceed()
      try call.setResult(call.result(as: Int.self) + 1)
    }
    XCTAssertEqual(try object.send("triple:", 2, returning: Int.self), 7)
    XCTAssertEqual(list.take(), ["all triple:", "one"])
    XCTAssertEqual(object.target("triple:").hooks.count, 1)
    expectError(.noSuchMethod) { try other.target("triple:").hook { _ in } }
    // The hooks stay where the method was.
    token.remove()
    expectError(.unrecognizedSelector) { try object.send("triple:", 2, returning: Int.self) }
    XCTAssertEqual(list.take(), [])
    try object.addMethod(Self.encoded)
    XCTAssertEqual(try object.send("triple:", 2, returning: Int.self), 7)
    XCTAssertEqual(list.take(), ["all triple:", "one"])
    hook.remove()
    all.remove()
    XCTAssertEqual(try object.send("triple:", 2, returning: Int.self), 6)
    XCTAssertEqual(list.take(), [])
    // One that is hooked when it has been added.
    let later = try object.everyMessage.hook { _ in list.record("later") }
    _ = try object.send("triple:", 2, returning: Int.self)
    XCTAssertEqual(list.take(), ["later"])
    later.remove()
  }

  func testTheMethodIsReleasedWithItsTokenOrItsObject() throws {
    for isRemoved in [true, false] {
      for isHooked in [true, false] {
        let tracker = LifetimeTracker()
        var object: Plain? = Plain()
        let tracked = tracker.track()
        let token = try object?.addMethod(
          Method("hello") { (_: Plain) in withExtendedLifetime(tracked) { 1 } })
        _ = consume tracked
        let hook = isHooked ? try object?.target("hello").hook { try $0.proceed() } : nil
        XCTAssertEqual(try object?.send("hello", returning: Int.self), 1)
        if isRemoved { token?.remove() } else { object = nil }
        XCTAssertEqual(tracker.alive, 0, "removed \(isRemoved), hooked \(isHooked)")
        XCTAssertEqual(token?.isAdded, false)
        XCTAssertEqual(token?.remove(), false)
        if !isRemoved { XCTAssertNotEqual(hook?.isInstalled, true) }
      }
    }
    // Another object at the same address has none.
    for _ in 0..<100 { XCTAssertFalse(Plain().responds(to: "hello")) }
  }

  func testTheMethodRemovesItselfAndComesAndGoesUnderLoad() throws {
    let token = Mutex<AddedMethod?>(nil)
    let object = Plain()
    let added = try object.addMethod(
      Method("once") { (_: Plain) in token.withLock { $0 }?.remove() ?? false })
    token.withLock { $0 = added }
    XCTAssertEqual(try object.send("once", returning: Bool.self), true)
    expectError(.unrecognizedSelector) { try object.send("once", returning: Bool.self) }

    // Another object's method of that name is always there; two threads send.
    let stable = Plain()
    try stable.addMethod(Self.triple)
    let isDone = Atomic(false)
    let group = ThreadGroup()
    for _ in 0..<2 {
      group.start {
        while !isDone.load(ordering: .relaxed) {
          XCTAssertEqual(try? stable.send("triple:", 2, returning: Int.self), 6)
          do throws(MessageError) {
            let answer = try object.send("triple:", 2, returning: Int.self)
            XCTAssertEqual(answer, 6)
          } catch {
            XCTAssertEqual(error.code, .unrecognizedSelector)
          }
        }
      }
    }
    let tracker = LifetimeTracker()
    for round in 0..<shortened(5_000) {
      let tracked = tracker.track()
      let token = try object.addMethod(
        Method("triple:") { (_: Plain, number: Int) in withExtendedLifetime(tracked) { number * 3 }
        })
      let hook = round % 3 == 0 ? try object.target("triple:").hook { try $0.proceed() } : nil
      XCTAssertEqual(try object.send("triple:", 2, returning: Int.self), 6)
      if round % 2 == 0 { hook?.remove() }
      XCTAssertTrue(token.remove())
      hook?.remove()
    }
    isDone.store(true, ordering: .relaxed)
    group.wait()
    XCTAssertEqual(tracker.alive, 0)
  }
}
