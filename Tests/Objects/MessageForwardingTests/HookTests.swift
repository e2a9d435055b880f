import BlockABI
import BlockHooks
import Invocations
import MessageForwarding
import ObjectLifetimes
import TestSupport
import XCTest

final class HookTests: XCTestCase {
  func testHooksRunBeforeInsteadOfAndAfterAMethod() throws {
    let shape = Shape()
    let log = Recorder<String>()
    var hooks: [Hook] = []
    hooks.append(
      try Shape.target("scale:").hook(.before) { call in
        log.record("before \(try call.argument(2, as: Int32.self))")
        try call.setArgument(2, Int32(10))
      })
    hooks.append(
      try Shape.target("scale:").hook(.after) { call in
        log.record("after \(try call.result(as: Int32.self))")
        try call.setResult(Int32(99))
      })
    hooks.append(
      try Shape.target("scale:").hook { call in
        log.record("in")
        try call.proceed()
        log.record("out")
      })
    XCTAssertEqual(try shape.send("scale:", Int32(1)), Int32(99))
    XCTAssertEqual(log.entries, ["in", "before 1", "after 20", "out"])
    XCTAssertEqual(Shape.target("scale:").hooks.count, 3)
    for hook in hooks { XCTAssertTrue(hook.remove()) }
    XCTAssertFalse(hooks[0].remove())
    XCTAssertEqual(try shape.send("scale:", Int32(1)), Int32(2))
    XCTAssertEqual(Shape.target("scale:").hooks.count, 0)
  }

  func testAHookSeesReceiverAndSelector() throws {
    let shape = Shape()
    let log = Recorder<String>()
    let identity = ObjectIdentifier(shape)
    let hook = try Shape.target("blend:with:at:seed:exactly:").hook(.before) { call in
      XCTAssertEqual(ObjectIdentifier(try call.argument(0, as: Shape.self)), identity)
      log.record("\(try call.argument(1, as: Selector.self)) \(call.arguments)")
    }
    try shape.send("blend:with:at:seed:exactly:", 1, 2, 0.5, 4, true)
    hook.remove()
    XCTAssertEqual(log.entries.count, 1)
    let text = log.entries.first ?? ""
    XCTAssertTrue(text.hasPrefix("blend:with:at:seed:exactly: "), text)
    XCTAssertTrue(text.hasSuffix("i8 1, u16 2, float 0.5, i64 4, true"), text)
  }

  func testAHookThatSetsNoResultLeavesNone() throws {
    let shape = Shape()
    let hook = try shape.target("name").hook { _ in }
    expectError(.unexpectedNull, "none was set") {
      _ = try shape.send("name", returning: String.self)
    }
    XCTAssertNil(try shape.send("name", returning: String?.self))
    hook.remove()
  }

  func testSwiftValuesAreReadAndReplaced() throws {
    let shape = Shape()
    let hook = try Shape.target("name").hook(.after) { call in
      try call.setResult(call.result(as: String.self) + "!")
    }
    let setter = try shape.target("setTitle:").hook(.before) { call in
      try call.setArgument(2, call.argument(2, as: String.self).uppercased())
    }
    XCTAssertEqual(try shape.send("name"), "shape!")
    try shape.send("setTitle:", "loud")
    XCTAssertEqual(shape.title, "LOUD")
    hook.remove()
    setter.remove()
  }

  func testSeveralHooksOfAHierarchyRunTogether() throws {
    let log = Recorder<String>()
    let hooks = [
      try Shape.target("name").hook(.before) { _ in log.record("Shape") },
      try Square.target("name").hook(.before) { _ in log.record("Square") },
      try Tile.target("name").hook(.before) { _ in log.record("Tile") },
    ]
    defer { for hook in hooks { hook.remove() } }
    XCTAssertEqual(try Tile().send("name"), "square")
    XCTAssertEqual(log.entries, ["Tile", "Square", "Shape"])
    try Shape().send("name")
    XCTAssertEqual(log.entries.count, 4)
    hooks[1].remove()
    try Tile().send("name")
    XCTAssertEqual(log.entries[4...], ["Tile", "Shape"])
  }

  func testAHookOfAnOverriddenMethodIsTheSuperclassesOnly() throws {
    let log = Recorder<String>()
    let hook = try Shape.target("area").hook(.before) { _ in log.record("Shape") }
    defer { hook.remove() }
    // Square's own method sends to super.
    XCTAssertEqual(try Square().send("area"), 3.0)
    XCTAssertEqual(log.entries, ["Shape"])
  }

  func testClassMethodsAreHooked() throws {
    let hook = try Shape.classObject.target("count").hook(.after) { try $0.setResult(8) }
    XCTAssertEqual(try Shape.send("count"), 8)
    XCTAssertEqual(try Tile.send("count"), 8)
    let own = try Tile.classObject.target("count").hook(.after) { try $0.setResult(9) }
    XCTAssertEqual(try Shape.send("count"), 8)
    XCTAssertEqual(try Tile.send("count"), 9)
    XCTAssertEqual(Tile.classObject.target("count").hooks.count, 1)
    hook.remove()
    own.remove()
    XCTAssertEqual(try Tile.send("count"), 7)
  }

  func testAHookOfAnInstanceRunsForItAlone() throws {
    let (first, second) = (Shape(), Shape())
    let hook = try first.target("scale:").hook(.after) { try $0.setResult(Int32(0)) }
    XCTAssertEqual(try first.send("scale:", Int32(1)), Int32(0))
    XCTAssertEqual(try second.send("scale:", Int32(1)), Int32(2))
    XCTAssertEqual(first.target("scale:").hooks.count, 1)
    XCTAssertEqual(second.target("scale:").hooks.count, 0)
    hook.remove()
    XCTAssertEqual(try first.send("scale:", Int32(1)), Int32(2))
  }

  func testAHookThatRemovesItselfRunsOnce() throws {
    let shape = Shape()
    let log = Recorder<Int>()
    let once = try shape.target("name").hook(.before, when: .times(1)) { _ in log.record(1) }
    try shape.send("name")
    try shape.send("name")
    XCTAssertEqual(log.entries, [1])
    XCTAssertFalse(once.isInstalled)
    let box = Recorder<Hook>()
    let hook = try Shape.target("name").hook(.before) { _ in
      log.record(2)
      box.entries.first?.remove()
    }
    box.record(hook)
    try shape.send("name")
    try shape.send("name")
    XCTAssertEqual(log.entries, [1, 2])
  }

  func testAHookThatEndsItselfLeavesPermanentOnesInPlace() throws {
    let shape = Shape()
    let log = Recorder<String>()
    let permanent = try Shape.target("name").hook(.before) { _ in log.record("permanent") }
    try Shape.target("name").hook(.before, when: .times(2)) { _ in log.record("twice") }
    let after = try shape.target("name").hook(.after) { _ in log.record("after") }
    for _ in 0..<3 { try shape.send("name") }
    let counts = Dictionary(grouping: log.entries) { $0 }.mapValues(\.count)
    XCTAssertEqual(counts, ["permanent": 3, "twice": 2, "after": 3])
    XCTAssertEqual(Shape.target("name").hooks.count, 1)
    permanent.remove()
    after.remove()
  }

  func testMistakesInAHandlerGoToItsErrorHandlerAndTheMethodRuns() throws {
    let shape = Shape()
    let log = Recorder<String>()
    let onError: @Sendable (any Error) -> Void = { error in
      log.record((error as? InvocationError)?.code.rawValue ?? "\(error)")
    }
    let hooks = [
      try shape.target("scale:").hook(.before, onError: onError) {
        _ = try $0.argument(3, as: Int.self)
      },
      try shape.target("scale:").hook(.before, onError: onError) {
        _ = try $0.argument(2, as: String.self)
      },
      try shape.target("scale:").hook(onError: onError) { try $0.setResult("text") },
      try shape.target("scale:").hook(.after, onError: onError) { try $0.proceed() },
    ]
    XCTAssertEqual(try shape.send("scale:", Int32(2)), Int32(4))
    XCTAssertEqual(
      Set(log.entries), ["argumentIndex", "typeMismatch", "cannotProceed"], "\(log.entries)")
    for hook in hooks { hook.remove() }
  }

  func testAHookCallsTheBlockThatIsAnArgument() throws {
    final class Runner: MessageReceiver {
      static var methods: MethodTable {
        MethodTable(Runner.self) {
          Method("run:") { (_: Runner, block: Block) -> Int32 in try block.call(Int32(1)) }
        }
      }
    }
    let hook = try Runner.target("run:").hook(.after) { call in
      let block = try call.argument(2, as: Block.self)
      let again: Int32 = try block.call(Int32(10))
      try call.setResult(call.result(as: Int32.self) + again)
    }
    let block: @convention(block) (Int32) -> Int32 = { $0 + 1 }
    XCTAssertEqual(try Runner().send("run:", Block(block), returning: Int32.self), 13)
    hook.remove()
  }

  func testWhatCannotBeHookedIsRefused() {
    expectError(.noSuchMethod, "did you mean name?") {
      try Shape.target("nam").hook(.before) { _ in }
    }
    expectError(.noSuchMethod, "nothing") { try Shape().target("nothing").hook(.before) { _ in } }
    expectError(.noPosition, "position") { try Shape.target("name").hook([]) { _ in } }
    expectError(.noPosition, "does not die") { try Shape.target("name").hook(.death) { _ in } }
  }

  func testAHookOfAnInstanceEndsWithIt() throws {
    let tracker = LifetimeTracker()
    var kept: Hook?
    do {
      let shape = Shape()
      let captured = tracker.track()
      kept = try shape.target("name").hook(.before) { _ in withExtendedLifetime(captured) {} }
      try shape.send("name")
    }
    tracker.expectNothingAlive()
    XCTAssertEqual(kept?.isInstalled, false)
    XCTAssertEqual(kept?.remove(), false)
  }

  func testARemovedHookFreesWhatItCaptured() throws {
    let tracker = LifetimeTracker()
    let hook: Hook
    do {
      let captured = tracker.track()
      hook = try Shape.target("name").hook(.before) { _ in withExtendedLifetime(captured) {} }
    }
    try Shape().send("name")
    XCTAssertEqual(tracker.alive, 1)
    hook.remove()
    tracker.expectNothingAlive()
  }

  func testAMethodCallsItselfThroughItsHook() throws {
    final class Counter: MessageReceiver {
      func down(_ depth: Int) -> Int {
        depth == 0 ? 0 : 1 + ((try? send("down:", depth - 1, returning: Int.self)) ?? -1000)
      }
      static var methods: MethodTable {
        MethodTable(Counter.self) { Method("down:", Counter.down) }
      }
    }
    let log = Recorder<Int>()
    let hook = try Counter.target("down:").hook { call in
      log.record(1)
      try call.proceed()
    }
    XCTAssertEqual(try Counter().send("down:", 20), 20)
    XCTAssertEqual(log.entries.count, 21)
    hook.remove()
  }

  /// Random hooks of an object, its class and its superclass, installed and removed, against a
  /// model: groups from the outside in, the last installed outermost in each; an instead-handler
  /// proceeds.
  func testRandomHooksRunAsTheModelSays() throws {
    struct Installed {
      let number: Int
      let group: Int
      let position: HookPositions
      let hook: Hook
    }
    var generator = SeededGenerator(seed: 8)
    for _ in 0..<20 {
      let tile = Tile()
      var installed: [Installed] = []
      let log = Recorder<String>()
      for number in 0..<60 {
        if !installed.isEmpty, Int.random(in: 0..<3, using: &generator) == 0 {
          let index = Int.random(in: 0..<installed.count, using: &generator)
          XCTAssertTrue(installed.remove(at: index).hook.remove())
          continue
        }
        let group = Int.random(in: 0..<3, using: &generator)
        let position = [HookPositions.before, .instead, .after][
          Int.random(in: 0..<3, using: &generator)]
        let handler: HookDefinition.Handler = { call in
          guard call.position == .instead else { return log.record("\(number)") }
          log.record("\(number) in")
          try call.proceed()
          log.record("\(number) out")
        }
        let hook =
          switch group {
          case 0: try tile.target("name").hook(position, handler)
          case 1: try Tile.target("name").hook(position, handler)
          default: try Shape.target("name").hook(position, handler)
          }
        installed.insert(
          Installed(number: number, group: group, position: position, hook: hook), at: 0)
      }
      func model(_ hooks: ArraySlice<Installed>) -> [String] {
        guard let first = hooks.first else { return [] }
        let below = model(hooks.dropFirst())
        return switch first.position {
        case .before: ["\(first.number)"] + below
        case .after: below + ["\(first.number)"]
        default: ["\(first.number) in"] + below + ["\(first.number) out"]
        }
      }
      let order = (0..<3).flatMap { group in installed.filter { $0.group == group } }
      XCTAssertEqual(try tile.send("name"), "square")
      XCTAssertEqual(log.entries, model(order[...]))
      for one in installed { one.hook.remove() }
      try tile.send("name")
      XCTAssertEqual(log.entries.count, model(order[...]).count)
    }
  }
}
