import BlockHooks
import Invocations
import MessageForwarding
import TestSupport
import XCTest

/// Random programs of hooks on a class, its subclass and one object, compared with a model.
///
/// A program installs typed hooks and hooks with frames, removes, suspends and resumes them, between
/// messages and in handlers, which also send messages, and call what is inside of them not at all,
/// once or twice.
final class HookProgramTests: XCTestCase {
  class Base: MessageReceiver {
    let trace: Recorder<String>
    required init(_ trace: Recorder<String>) { self.trace = trace }

    func step(_ number: Int) -> Int {
      trace.record("method \(number)")
      return number &+ 1
    }

    class var methods: MethodTable { MethodTable(Base.self) { Method("step:", Base.step) } }
  }

  /// It inherits the method.
  final class Derived: Base, @unchecked Sendable {}

  /// Where a hook is installed; a later one is outside of the earlier ones.
  enum Level: Int, CaseIterable { case base, derived, object }

  /// Whom a message is sent to.
  enum Target: Int, CaseIterable {
    case base, derived, object

    /// The levels whose hooks run, outermost first.
    var levels: [Level] {
      switch self {
      case .base: [.base]
      case .derived: [.derived, .base]
      case .object: [.object, .derived, .base]
      }
    }
  }

  enum Kind: CaseIterable { case typed, conditional, instead, before, after, around }

  enum Action { case none, remove(Int), suspend(Int), resume(Int), send(Target, Int) }

  struct Plan {
    let level: Level
    let kind: Kind
    let priority: Int
    let proceeds: Int
    let action: Action
  }

  func testRandomProgramsDoWhatTheModelSays() throws {
    var seed: UInt64 = 0
    for _ in 0..<emulated(10_000) {
      seed += 1
      try run(seed)
    }
  }

  private func run(_ seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let (model, real) = (ModelOfHooks(), RealHooks())
    defer { real.removeAll() }
    var log: [String] = []
    for step in 0..<Int.random(in: 4...14, using: &random) {
      let count = model.hooks.count
      if count == 0 || Int.random(in: 0..<5, using: &random) < 2 {
        let plan = Plan.random(after: count, &random)
        log.append("\(count): \(plan)")
        model.install(count, plan)
        try real.install(count, plan)
      } else {
        let action = Action.random(among: count, inHandler: false, &random)
        log.append("\(action)")
        model.perform(action)
        real.perform(action)
      }
      let (expected, found) = (model.trace.take(), real.trace.take())
      XCTAssertEqual(found, expected, "seed \(seed), step \(step): \(log)")
      for level in Level.allCases {
        XCTAssertEqual(
          real.names(level), model.names(level), "seed \(seed), step \(step), \(level): \(log)")
      }
      guard expected == found else { return }
    }
  }
}

extension HookProgramTests.Plan {
  fileprivate static func random(after count: Int, _ random: inout SeededGenerator) -> Self {
    HookProgramTests.Plan(
      level: HookProgramTests.Level.allCases.randomElement(using: &random) ?? .base,
      kind: HookProgramTests.Kind.allCases.randomElement(using: &random) ?? .typed,
      priority: Int.random(in: -1...1, using: &random),
      proceeds: [0, 1, 1, 1, 1, 2].randomElement(using: &random) ?? 1,
      action: Int.random(in: 0..<3, using: &random) > 0
        ? .none : .random(among: count + 1, inHandler: true, &random))
  }
}

extension HookProgramTests.Action {
  fileprivate static func random(
    among count: Int, inHandler: Bool, _ random: inout SeededGenerator
  ) -> Self {
    let id = Int.random(in: 0..<count, using: &random)
    return switch Int.random(in: 0..<(inHandler ? 5 : 8), using: &random) {
    case 0: .remove(id)
    case 1: .suspend(id)
    case 2: .resume(id)
    default:
      .send(
        HookProgramTests.Target.allCases.randomElement(using: &random) ?? .object,
        Int.random(in: 0..<100, using: &random))
    }
  }
}

/// How much handlers do in one message: after that they proceed once, and send nothing.
private struct Budget {
  var left = 60

  mutating func takes(_ plan: HookProgramTests.Plan) -> (proceeds: Int, acts: Bool) {
    left -= 1
    return left > 0 ? (plan.proceeds, true) : (min(plan.proceeds, 1), false)
  }
}

/// What hooks should do.
private final class ModelOfHooks {
  typealias Plan = HookProgramTests.Plan

  struct Hook {
    let plan: Plan
    var time: Int
    var state = State.installed
  }

  enum State { case installed, suspended, removed }

  var hooks: [Hook] = []
  let trace = Recorder<String>()
  private var time = 0
  private var budget = Budget()
  private var depth = 0

  func install(_ id: Int, _ plan: Plan) {
    time += 1
    hooks.append(Hook(plan: plan, time: time))
  }

  func names(_ level: HookProgramTests.Level) -> [String] { installed(level).map { "\($0)" } }

  private func installed(_ level: HookProgramTests.Level) -> [Int] {
    hooks.enumerated()
      .filter { $0.element.state == .installed && $0.element.plan.level == level }
      .sorted {
        ($0.element.plan.priority, $0.element.time) > ($1.element.plan.priority, $1.element.time)
      }
      .map(\.offset)
  }

  func perform(_ action: HookProgramTests.Action) {
    switch action {
    case .none: break
    case .remove(let id): hooks[id].state = .removed
    case .suspend(let id): if hooks[id].state == .installed { hooks[id].state = .suspended }
    case .resume(let id):
      // A call in progress may or may not come to a hook that is installed in what it has not entered.
      guard hooks[id].state == .suspended, depth == 0 || hooks[id].plan.level == .object else {
        return
      }
      time += 1
      (hooks[id].state, hooks[id].time) = (.installed, time)
    case .send(let target, let number):
      if depth == 0 { budget = Budget() }
      guard depth < 3 else { return }
      depth += 1
      defer { depth -= 1 }
      let chain = target.levels.flatMap { installed($0) }
      trace.record("answer \(call(chain[...], number))")
    }
  }

  private func call(_ chain: ArraySlice<Int>, _ number: Int) -> Int {
    guard let id = chain.first else {
      trace.record("method \(number)")
      return number &+ 1
    }
    let inner = chain.dropFirst()
    // Each position asks: a hook that is resumed in a call runs in what is left of it.
    let isInstalled = { self.hooks[id].state == .installed }
    let plan = hooks[id].plan
    switch plan.kind {
    case .typed, .conditional, .instead:
      guard isInstalled() else { return call(inner, number) }
      trace.record("\(id) \(number)")
      let (proceeds, acts) = budget.takes(plan)
      if acts { perform(plan.action) }
      var sum = id
      for round in 0..<proceeds { sum = sum &* 3 &+ call(inner, number &+ id &+ round) }
      trace.record("end \(id)")
      return sum
    case .before, .after, .around:
      if plan.kind != .after, isInstalled() {
        trace.record("before \(id)")
        if budget.takes(plan).acts { perform(plan.action) }
      }
      let answer = call(inner, number)
      if plan.kind != .before, isInstalled() {
        trace.record("after \(id)")
        if budget.takes(plan).acts { perform(plan.action) }
      }
      return answer
    }
  }
}

/// What hooks do.
private final class RealHooks: @unchecked Sendable {
  // SAFETY: `@unchecked Sendable`: all runs on one thread.
  typealias Base = HookProgramTests.Base
  typealias Derived = HookProgramTests.Derived

  private static let ofBase = TypedSelector1<Base, Int, Int>("step:")
  private static let ofDerived = TypedSelector1<Derived, Int, Int>("step:")

  let trace = Recorder<String>()
  private var hooks: [Hook] = []
  private var plans: [HookProgramTests.Plan] = []
  private var budget = Budget()
  private var depth = 0
  private lazy var base = Base(trace)
  private lazy var derived = Derived(trace)
  private lazy var object = Derived(trace)

  func install(_ id: Int, _ plan: HookProgramTests.Plan) throws {
    plans.append(plan)
    let hook =
      switch plan.kind {
      case .typed: try typed(id, plan, .always)
      case .conditional: try typed(id, plan, .times(1_000_000))
      case .instead: try framed(.instead, id, plan)
      case .before: try framed(.before, id, plan)
      case .after: try framed(.after, id, plan)
      case .around: try framed([.before, .after], id, plan)
      }
    hooks.append(hook)
  }

  private func typed(
    _ id: Int, _ plan: HookProgramTests.Plan, _ conditions: HookConditions
  ) throws -> Hook {
    let (name, priority) = ("\(id)", plan.priority)
    return switch plan.level {
    case .base:
      try Base.hook(Self.ofBase, name: name, priority: priority, when: conditions) {
        [unowned self] original, _, number in try run(id, number, original)
      }
    case .derived:
      try Derived.hook(Self.ofDerived, name: name, priority: priority, when: conditions) {
        [unowned self] original, _, number in try run(id, number, original)
      }
    case .object:
      try object.hook(Self.ofDerived, name: name, priority: priority, when: conditions) {
        [unowned self] original, _, number in try run(id, number, original)
      }
    }
  }

  private func framed(
    _ positions: HookPositions, _ id: Int, _ plan: HookProgramTests.Plan
  ) throws -> Hook {
    let definition = HookDefinition(positions, name: "\(id)", priority: plan.priority) {
      [unowned self] call in
      guard call.position == .instead else {
        trace.record("\(call.position == .before ? "before" : "after") \(id)")
        if budget.takes(plans[id]).acts { perform(plans[id].action) }
        return
      }
      let answer = try run(id, call.argument(2, as: Int.self)) { number in
        try call.setArgument(2, number)
        try call.proceed()
        return try call.result(as: Int.self)
      }
      try call.setResult(answer)
    }
    return try target(plan.level).install(definition)
  }

  /// Runs a handler in place of what is inside of it.
  private func run(_ id: Int, _ number: Int, _ inner: (Int) throws -> Int) rethrows -> Int {
    trace.record("\(id) \(number)")
    let (proceeds, acts) = budget.takes(plans[id])
    if acts { perform(plans[id].action) }
    var sum = id
    for round in 0..<proceeds { sum = try sum &* 3 &+ inner(number &+ id &+ round) }
    trace.record("end \(id)")
    return sum
  }

  func perform(_ action: HookProgramTests.Action) {
    switch action {
    case .none: break
    case .remove(let id): hooks[id].remove()
    case .suspend(let id): hooks[id].suspend()
    case .resume(let id):
      guard depth == 0 || plans[id].level == .object else { return }
      do { try hooks[id].resume() } catch { XCTFail("\(error)") }
    case .send(let target, let number):
      if depth == 0 { budget = Budget() }
      guard depth < 3 else { return }
      depth += 1
      defer { depth -= 1 }
      let receiver = [base, derived, object][target.rawValue]
      do {
        trace.record("answer \(try receiver.send("step:", number, returning: Int.self))")
      } catch {
        XCTFail("\(error)")
      }
    }
  }

  func names(_ level: HookProgramTests.Level) -> [String] {
    target(level).hooks.map { $0.name ?? "" }
  }

  private func target(_ level: HookProgramTests.Level) -> MethodTarget {
    switch level {
    case .base: Base.target("step:")
    case .derived: Derived.target("step:")
    case .object: object.target("step:")
    }
  }

  func removeAll() { for hook in hooks { hook.remove() } }
}
