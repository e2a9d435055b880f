import BlockHooks
import DelayedBlocks
import Invocations
import MessageForwarding
import Synchronization
import TestSupport
import XCTest

/// One hook of every message of a class, or of one object.
final class EveryMessageTests: XCTestCase {
  class Base: MessageReceiver, @unchecked Sendable {
    class var methods: MethodTable {
      MethodTable(Base.self) {
        Method("inherited:") { (_: Base, number: Int) in number + 1 }
        Method("fail") { (_: Base) throws -> Void in throw Later.Failure() }
      }
    }

    class func resolveMethod(_ selector: Selector) -> Bool { false }
  }

  class Shelf: Base, @unchecked Sendable {
    override class var methods: MethodTable {
      MethodTable(Shelf.self) {
        Method("own:") { (_: Shelf, number: Int) in number * 2 }
        Method("name") { (_: Shelf) in "shelf" }
        Method("count") { (_: ClassObject) in 3 }.ofClass()
      }
    }
  }

  /// It overrides a method, and has one of its own.
  final class Rack: Shelf, @unchecked Sendable {
    override class var methods: MethodTable {
      MethodTable(Rack.self) {
        Method("own:") { (_: Rack, number: Int) in number * 3 }
        Method("rack") { (_: Rack) in 1 }
      }
    }
  }

  override func tearDown() {
    for type in [Base.self, Shelf.self, Rack.self] { type.everyMessage.removeHooks() }
  }

  /// A hook that records the messages, and how they end.
  private func noting(
    _ list: Recorder<String>, name: String? = nil, priority: Int = 0,
    when conditions: HookConditions = .always
  ) -> HookDefinition {
    .instead(name: name, priority: priority, when: conditions) { call in
      list.record((name ?? "") + (call.selector?.name ?? "nothing"))
      try call.proceed()
    }
  }

  func testEveryOwnAndInheritedMessageRunsTheHook() throws {
    let list = Recorder<String>()
    let hook = try Shelf.everyMessage.hook { call in
      try call.proceed()
      let outcome = call.error.map { "\($0)" } ?? call.resultText ?? "nothing"
      list.record("\(call.selector?.name ?? "no message") → \(outcome)")
    }
    let shelf = Shelf()
    XCTAssertEqual(try shelf.send("own:", 4, returning: Int.self), 8)
    XCTAssertEqual(try shelf.send("inherited:", 4, returning: Int.self), 5)
    XCTAssertEqual(try shelf.send("name", returning: String.self), "shelf")
    XCTAssertThrowsError(try shelf.send("fail"))
    XCTAssertEqual(
      list.take(),
      ["own: → i64 8", "inherited: → i64 5", "name → String \"shelf\"", "fail → Failure()"])
    // A subclass: what it inherits, and not what it overrides or adds.
    let rack = Rack()
    XCTAssertEqual(try rack.send("own:", 4, returning: Int.self), 12)
    XCTAssertEqual(try rack.send("rack", returning: Int.self), 1)
    XCTAssertEqual(try rack.send("inherited:", 4, returning: Int.self), 5)
    // Other receivers: the superclass, and the class itself.
    XCTAssertEqual(try Base().send("inherited:", 4, returning: Int.self), 5)
    XCTAssertEqual(try Shelf.send("count", returning: Int.self), 3)
    XCTAssertEqual(list.take().map { String($0.prefix(9)) }, ["inherited"])
    XCTAssertTrue(hook.remove())
    XCTAssertFalse(hook.remove())
    XCTAssertEqual(try shelf.send("own:", 4, returning: Int.self), 8)
    XCTAssertEqual(list.take(), [])
  }

  func testOneObjectOrAClassItselfIsHookedAlone() throws {
    let list = Recorder<String>()
    let shelf = Shelf()
    try shelf.everyMessage.install(noting(list))
    try Shelf.classObject.everyMessage.install(noting(list, name: "class "))
    defer { Shelf.classObject.everyMessage.removeHooks() }
    _ = try shelf.send("own:", 1, returning: Int.self)
    _ = try Shelf().send("own:", 1, returning: Int.self)
    _ = try shelf.send("inherited:", 1, returning: Int.self)
    _ = try Shelf.send("count", returning: Int.self)
    XCTAssertEqual(list.take(), ["own:", "inherited:", "class count"])
    XCTAssertEqual(shelf.everyMessage.removeHooks(), 1)
    _ = try shelf.send("own:", 1, returning: Int.self)
    XCTAssertEqual(list.take(), [])
  }

  func testMethodsThatAreAddedLaterHaveTheHook() throws {
    final class Growing: Base, @unchecked Sendable {
      override class var methods: MethodTable { MethodTable(Growing.self) }
      override class func resolveMethod(_ selector: Selector) -> Bool {
        selector == "resolved" && addMethod(Method("resolved") { (_: Growing) in 7 })
      }
    }
    let list = Recorder<String>()
    let object = Growing()
    let hook = try Growing.everyMessage.install(noting(list, name: "class "))
    let ofObject = try object.everyMessage.install(noting(list, name: "object "))
    // Sent before it is there: a slot that knows of no method.
    expectError(.unrecognizedSelector) { try object.send("later") }
    Growing.addMethod(Method("later") { (_: Growing) in 5 })
    Base.addMethod(Method("ofSuperclass") { (_: Base) in 6 })
    XCTAssertEqual(try object.send("later", returning: Int.self), 5)
    XCTAssertEqual(try object.send("ofSuperclass", returning: Int.self), 6)
    XCTAssertEqual(try object.send("resolved", returning: Int.self), 7)
    let names = ["later", "ofSuperclass", "resolved"]
    XCTAssertEqual(list.take(), names.flatMap { ["object \($0)", "class \($0)"] })
    // While it is suspended, too.
    XCTAssertTrue(hook.suspend())
    Growing.addMethod(Method("last") { (_: Growing) in 8 })
    _ = try object.send("last", returning: Int.self)
    XCTAssertEqual(list.take(), ["object last"])
    XCTAssertTrue(try hook.resume())
    for name in names + ["last"] { _ = try object.send(Selector(name), returning: Int.self) }
    XCTAssertEqual(list.take(), (names + ["last"]).flatMap { ["object \($0)", "class \($0)"] })
    ofObject.remove()
    hook.remove()
    Growing.addMethod(Method("tooLate") { (_: Growing) in 9 })
    _ = try object.send("tooLate", returning: Int.self)
    XCTAssertEqual(list.take(), [])
  }

  func testAMethodThatCannotHaveTheHookRefusesItForAll() throws {
    final class Odd: MessageReceiver {
      class var methods: MethodTable {
        MethodTable(Odd.self) {
          Method("right") { (_: Odd) in 1 }
          Method("wrong:", signature: "i@:", frame: { _ in })
        }
      }
    }
    let list = Recorder<String>()
    XCTAssertThrowsError(try Odd.everyMessage.install(noting(list))) { error in
      let error = error as? MessageError
      XCTAssertEqual(error?.code, .invalidMethod)
      XCTAssertTrue(error?.message.contains("wrong:") ?? false, "\(error as Any)")
    }
    XCTAssertEqual(try Odd().send("right", returning: Int.self), 1)
    XCTAssertEqual(list.take(), [])
    expectError(.noPosition) { try Shelf.everyMessage.hook(.death) { _ in } }
    // A full chain of one method; nothing of the hook stays in those of the others.
    let tracker = LifetimeTracker()
    for selector: Selector in ["own:", "inherited:", "name"] {
      let full = try (0..<250).map { _ in try Shelf.target(selector).hook { try $0.proceed() } }
      let tracked = tracker.track()
      XCTAssertThrowsError(
        try Shelf.everyMessage.hook { _ in withExtendedLifetime(tracked) { list.record("runs") } }
      ) { error in
        XCTAssertEqual((error as? MessageError)?.selector, selector)
        XCTAssertEqual((error as? MessageError)?.code, .tooManyHooks)
      }
      for hook in full { hook.remove() }
    }
    XCTAssertEqual(tracker.alive, 0)
    _ = try Shelf().send("inherited:", 1, returning: Int.self)
    XCTAssertEqual(list.take(), [])
    XCTAssertEqual(Shelf.everyMessage.hooks.count, 0)
  }

  func testALaterMethodThatCannotHaveTheHookIsReported() throws {
    final class Odd: MessageReceiver {
      class var methods: MethodTable { MethodTable(Odd.self) { Method("a") { (_: Odd) in 1 } } }
    }
    let errors = Recorder<String>()
    let hook = try Odd.everyMessage.hook(onError: { errors.record("\($0)") }) { try $0.proceed() }
    Odd.addMethod(Method("wrong:", signature: "i@:", frame: { _ in }))
    XCTAssertEqual(errors.take().count { $0.contains("wrong:") }, 1)
    XCTAssertEqual(try Odd().send("a", returning: Int.self), 1)
    hook.remove()
  }

  func testAMethodThatIsAddedAgainHasTheHookOnce() throws {
    let (list, shelf) = (Recorder<String>(), Shelf())
    let hook = try shelf.everyMessage.install(noting(list))
    for _ in 0..<2 {
      let added = try shelf.addMethod(Method("extra") { (_: Shelf) in 1 })
      XCTAssertEqual(try shelf.send("extra", returning: Int.self), 1)
      XCTAssertEqual(list.take(), ["extra"])
      added.remove()
    }
    hook.remove()
  }

  func testTheHookHasOneTokenWithItsOrderConditionsAndNames() throws {
    let list = Recorder<String>()
    let shelf = Shelf()
    let single = try Shelf.target("own:").install(noting(list, name: "single "))
    let all = try Shelf.everyMessage.install(noting(list, name: "all ", priority: -1))
    let outer = try Shelf.everyMessage.install(noting(list, name: "outer "))
    // Messages are counted together.
    let limited = try Shelf.everyMessage.install(
      noting(list, name: "limited ", priority: 5, when: .times(2)))
    for selector: Selector in ["own:", "inherited:", "own:"] {
      _ = try shelf.send(selector, 1, returning: Int.self)
    }
    XCTAssertEqual(
      list.take(),
      [
        "limited own:", "outer own:", "single own:", "all own:", "limited inherited:",
        "outer inherited:", "all inherited:", "outer own:", "single own:", "all own:",
      ])
    XCTAssertEqual(Shelf.everyMessage.hooks.map(\.name), ["outer ", "all "])
    XCTAssertEqual(Shelf.target("own:").hooks.map(\.name), ["single "])
    XCTAssertFalse(limited.isInstalled)
    XCTAssertTrue(all.suspend())
    XCTAssertEqual(Shelf.everyMessage.hooks.map(\.name), ["outer "])
    XCTAssertTrue(try all.resume())
    XCTAssertEqual((all.priority, all.positions, all.isInstalled).0, -1)
    XCTAssertEqual(Shelf.everyMessage.removeHooks(named: "outer "), 1)
    XCTAssertFalse(outer.isInstalled)
    XCTAssertEqual(Shelf.target("own:").removeHooks(), 1)
    XCTAssertFalse(single.isInstalled)
    _ = try shelf.send("own:", 1, returning: Int.self)
    XCTAssertEqual(list.take(), ["all own:"])
    do { let scoped = all.scoped(); _ = scoped.token.name }
    XCTAssertFalse(all.isInstalled)
  }

  func testDefinitionsThatAreMadeForAMethodAreMadeForEach() throws {
    let lines = Recorder<String>()
    let shelf = Shelf()
    let printing = try Shelf.everyMessage.install(.printing { lines.record($0) })
    XCTAssertEqual(try shelf.send("own:", 2, returning: Int.self), 4)
    XCTAssertEqual(lines.take().count, 2)
    printing.remove()
    // The placeholder is converted to the result of each method: to that of most it cannot be.
    expectError(.invalidPlaceholder) {
      try Shelf.everyMessage.install(.intercepting(returning: CValue.double(1)) { _ in })
    }
    let calls = Recorder<String>()
    let intercepting = try Shelf.everyMessage.install(
      .intercepting { call in
        calls.record(call.selector?.name ?? "")
        try call.proceed()
      })
    XCTAssertEqual(try shelf.send("own:", 2, returning: Int.self), 4)
    XCTAssertEqual(try shelf.send("inherited:", 2, returning: Int.self), 3)
    XCTAssertEqual(calls.take(), ["own:", "inherited:"])
    intercepting.remove()
    let failing = try Shelf.everyMessage.install(.failing(with: 5))
    XCTAssertEqual(try shelf.send("own:", 2, returning: Int.self), -1)
    failing.remove()
    XCTAssertEqual(try shelf.send("own:", 2, returning: Int.self), 4)
  }

  func testTheHookEndsWithItsObjectOrItself() throws {
    for isRemoved in [true, false] {
      let tracker = LifetimeTracker()
      var shelf: Shelf? = Shelf()
      let tracked = tracker.track()
      let hook = try shelf?.everyMessage.hook { call in
        withExtendedLifetime(tracked) {}
        try call.proceed()
      }
      _ = consume tracked
      _ = try shelf?.send("own:", 2, returning: Int.self)
      XCTAssertEqual(tracker.alive, 1)
      if isRemoved { hook?.removeAndWait() } else { shelf = nil }
      XCTAssertEqual(tracker.alive, 0, "removed: \(isRemoved)")
      XCTAssertEqual(hook?.isInstalled, false)
      XCTAssertEqual(hook?.remove(), false)
    }
    // A dynamic class that is disposed of.
    let tracker = LifetimeTracker()
    let made = try DynamicClass("Disposed\(#line)")
    made.addMethod(Method("a", signature: "v@:", frame: { _ in }))
    let tracked = tracker.track()
    let hook = try made.everyInstanceMessage.hook { _ in withExtendedLifetime(tracked) {} }
    _ = consume tracked
    try made.dispose()
    XCTAssertFalse(hook.isInstalled)
    XCTAssertEqual(tracker.alive, 0)
  }

  func testTheHookIsRemovedFromInsideAndUnderLoad() throws {
    let counts = Recorder<String>()
    let first = Mutex<Hook?>(nil)
    let inside = try Shelf.everyMessage.hook { call in
      counts.record("inside")
      first.withLock { $0 }?.removeAndWait()
      try call.proceed()
    }
    first.withLock { $0 = inside }
    for _ in 0..<2 { XCTAssertEqual(try Shelf().send("own:", 1, returning: Int.self), 2) }
    XCTAssertEqual(counts.take(), ["inside"])
    // Two threads send different messages, while hooks come and go, and methods are added.
    let isDone = Atomic(false)
    let group = ThreadGroup()
    for selector: Selector in ["own:", "inherited:"] {
      group.start {
        let shelf = Shelf()
        let expected = selector == "own:" ? 20 : 11
        while !isDone.load(ordering: .relaxed) {
          XCTAssertEqual(try? shelf.send(selector, 10, returning: Int.self), expected)
        }
      }
    }
    let tracker = LifetimeTracker()
    for round in 0..<shortened(2_000) {
      let tracked = tracker.track()
      try withExtendedLifetime(tracked) {
        let state = Flag()
        let hook = try Shelf.everyMessage.hook { [tracked] call in
          if state.isSet { XCTFail("a removed hook runs") }
          withExtendedLifetime(tracked) {}
          try call.proceed()
        }
        if round % 3 == 0 { XCTAssertTrue(try hook.suspend() && hook.resume()) }
        if round % 50 == 0 {
          Shelf.addMethod(Method(Selector("added\(round)")) { (_: Shelf) in 1 })
        }
        hook.removeAndWait()
        state.set()
      }
    }
    isDone.store(true, ordering: .relaxed)
    group.wait()
    XCTAssertEqual(tracker.alive, 0)
  }

  private final class Flag: Sendable {
    private let value = Atomic(false)
    var isSet: Bool { value.load(ordering: .sequentiallyConsistent) }
    func set() { value.store(true, ordering: .sequentiallyConsistent) }
  }

  /// Random programs of hooks of every message and of one, on a class, its subclass and an object,
  /// compared with a model: who runs, in which order.
  func testRandomProgramsDoWhatTheModelSays() throws {
    struct Model {
      let level: Int
      let selector: String?
      let priority: Int
      var time: Int
      let name: String
      let hook: Hook
    }
    for seed in 0..<UInt64(shortened(1_000)) {
      var random = SeededGenerator(seed: seed)
      let upper = try DynamicClass("Upper")
      upper.addMethod(Method("m0", signature: "i@:", frame: { try $0.setResult(Int32(0)) }))
      try upper.register()
      let lower = try DynamicClass("Lower", superclass: upper)
      try lower.register()
      var methods = ["m0"]
      let (object, other) = (try lower.makeInstance(), try upper.makeInstance())
      let list = Recorder<String>()
      var models: [Model] = []
      var time = 0
      for step in 0..<12 {
        time += 1
        switch Int.random(in: 0..<6, using: &random) {
        case 0, 1, 2:
          let (level, priority) = (
            Int.random(in: 0..<3, using: &random), Int.random(in: -1...1, using: &random)
          )
          let selector = Bool.random(using: &random) ? methods.randomElement(using: &random) : nil
          let definition = noting(
            list, name: "\(step) ", priority: priority,
            when: Bool.random(using: &random) ? .always : .times(1_000))
          let hook: Hook
          if let selector = selector.map({ Selector($0) }) {
            hook = try [
              upper.instanceTarget(selector), lower.instanceTarget(selector),
              object.target(selector),
            ][level].install(definition)
          } else {
            hook = try [
              upper.everyInstanceMessage, lower.everyInstanceMessage, object.everyMessage,
            ][level].install(definition)
          }
          models.append(
            Model(
              level: level, selector: selector, priority: priority, time: time, name: "\(step) ",
              hook: hook))
        case 3:
          guard let index = models.indices.randomElement(using: &random) else { continue }
          models.remove(at: index).hook.remove()
        case 4:
          guard let index = models.indices.randomElement(using: &random) else { continue }
          XCTAssertTrue(try models[index].hook.suspend() && models[index].hook.resume())
          models[index].time = time
        default:
          let name = "m\(methods.count)"
          methods.append(name)
          upper.addMethod(
            Method(Selector(name), signature: "i@:", frame: { try $0.setResult(Int32(0)) }))
        }
        for (receiver, levels) in [(object, 0...2), (other, 0...0)] {
          for name in methods {
            _ = try receiver.send(Selector(name), returning: Int32.self)
            let expected = models.filter {
              levels.contains($0.level) && ($0.selector == nil || $0.selector == name)
            }.sorted { ($0.level, $0.priority, $0.time) > ($1.level, $1.priority, $1.time) }
            let found = list.take()
            guard found == expected.map({ $0.name + name }) else {
              return XCTFail("seed \(seed), step \(step): \(found), not \(expected.map(\.name))")
            }
          }
        }
      }
      for model in models { model.hook.remove() }
    }
  }
}
