import BlockABI
import BlockHooks
import Invocations
import TestSupport
import XCTest

final class HookOrderTests: XCTestCase {
  private typealias Step = String

  /// Hooks a block with a name that every handler records.
  private func hook(
    _ block: Block, _ name: String, _ positions: HookPositions, priority: Int = 0,
    proceeds: Int = 1, into steps: Recorder<Step>
  ) throws -> Hook {
    try block.hook(positions, name: name, priority: priority) { call in
      guard call.position == .instead else {
        steps.record("\(name) \(call.position)")
        return
      }
      steps.record("\(name) in")
      for _ in 0..<proceeds { try call.proceed() }
      steps.record("\(name) out")
    }
  }

  func testTheLastInstalledIsOutermost() throws {
    let steps = Recorder<Step>()
    let original: @convention(block) () -> Void = { steps.record("original") }
    let block = try Block(original)
    for name in ["a", "b"] { _ = try hook(block, name, .calls, into: steps) }
    original()
    XCTAssertEqual(
      steps.entries,
      [
        "b before", "b in", "a before", "a in", "original", "a out", "a after", "b out", "b after",
      ])
    XCTAssertEqual(block.hooks.map(\.name), ["b", "a"])
  }

  func testAHigherPriorityIsFurtherOut() throws {
    let steps = Recorder<Step>()
    let original: @convention(block) () -> Void = { steps.record("original") }
    let block = try Block(original)
    for (name, priority) in [("low", -1), ("high", 5), ("first", 0), ("second", 0)] {
      _ = try hook(block, name, .before, priority: priority, into: steps)
    }
    original()
    XCTAssertEqual(
      steps.entries, ["high before", "second before", "first before", "low before", "original"])
  }

  func testAnInsteadThatDoesNotProceedSkipsWhatLiesBelow() throws {
    let steps = Recorder<Step>()
    let original: @convention(block) () -> Void = { steps.record("original") }
    let block = try Block(original)
    _ = try hook(block, "below", .calls, into: steps)
    _ = try hook(block, "wall", .instead, proceeds: 0, into: steps)
    _ = try hook(block, "above", [.before, .after], into: steps)
    original()
    XCTAssertEqual(steps.entries, ["above before", "wall in", "wall out", "above after"])
  }

  func testAHandlerMayProceedManyTimes() throws {
    let steps = Recorder<Step>()
    let original: @convention(block) () -> Void = { steps.record("original") }
    let block = try Block(original)
    _ = try hook(block, "inner", .before, into: steps)
    _ = try hook(block, "outer", .instead, proceeds: 3, into: steps)
    original()
    let round = ["inner before", "original"]
    XCTAssertEqual(steps.entries, ["outer in"] + round + round + round + ["outer out"])
  }

  /// What a model of the stated order says a call does.
  private struct Model {
    var hooks: [(name: String, positions: HookPositions, priority: Int)] = []

    mutating func install(_ name: String, _ positions: HookPositions, _ priority: Int) {
      hooks.append((name, positions, priority))
    }

    /// Outermost first: by priority, and the later before the earlier.
    var chain: [(name: String, positions: HookPositions)] {
      hooks.enumerated().sorted { left, right in
        (left.element.priority, left.offset) > (right.element.priority, right.offset)
      }.map { ($0.element.name, $0.element.positions) }
    }

    var steps: [Step] {
      var down: [Step] = []
      var up: [Step] = []
      for (name, positions) in chain {
        if positions.contains(.before) { down.append("\(name) before") }
        var leaving: [Step] = []
        if positions.contains(.instead) {
          down.append("\(name) in")
          leaving.append("\(name) out")
        }
        if positions.contains(.after) { leaving.append("\(name) after") }
        up.insert(contentsOf: leaving, at: 0)
      }
      return down + ["original"] + up
    }
  }

  func testRandomHooksRunInTheStatedOrder() throws {
    var generator = SeededGenerator(seed: 20_260)
    for _ in 0..<20 {
      let steps = Recorder<Step>()
      let original: @convention(block) () -> Void = { steps.record("original") }
      let block = try Block(original)
      var model = Model()
      var hooks: [String: Hook] = [:]
      for index in 0..<60 {
        if index % 5 == 4, let name = hooks.keys.sorted().randomElement(using: &generator) {
          XCTAssertTrue(hooks.removeValue(forKey: name)?.remove() ?? false)
          model.hooks.removeAll { $0.name == name }
        } else {
          let positions = HookPositions(rawValue: UInt8.random(in: 1...7, using: &generator))
          let priority = Int.random(in: -2...2, using: &generator)
          let name = "h\(index)"
          hooks[name] = try hook(block, name, positions, priority: priority, into: steps)
          model.install(name, positions, priority)
        }
      }
      original()
      XCTAssertEqual(steps.entries, model.steps)
      XCTAssertEqual(block.hooks.map(\.name), model.chain.map(\.name))
    }
  }
}

extension HookPositions {
  fileprivate static let calls: HookPositions = [.before, .instead, .after]
}
