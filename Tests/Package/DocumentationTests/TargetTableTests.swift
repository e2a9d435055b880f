#if Everything
import BlockRuntime
import CallMemoization
import CallRecording
import Foundation
import SymbolInterposing
import Synchronization
import TestSupport
import XCTest

/// The table of targets and definitions in the article HooksAndTheirOrder: every cell is tried.
final class TargetTableTests: XCTestCase {
  private final class Counter: Sendable {
    private let count = Mutex(0)
    var value: Int { count.withLock { $0 } }
    func add() { count.withLock { $0 += 1 } }
  }

  /// One definition, installed on one target.
  private struct Cell {
    let target: TargetTable.Target
    let definition: TargetTable.Definition
    let name: String
    let reached = Counter()
    let wrong = Recorder<Int32?>()

    init(_ definition: TargetTable.Definition, _ target: TargetTable.Target) {
      (self.definition, self.target) = (definition, target)
      name = "\(definition.name) of \(target.name)"
    }

    /// What a call answers; `toupper` makes 42 of what is passed, too.
    var expected: Int32? {
      target.name == "an imported function"
        ? definition.outcome(65).map { $0 - 23 } : definition.outcome(42)
    }

    /// Installs the definition with a condition that counts the calls.
    func install(_ tracker: LifetimeTracker) throws -> Hook {
      let tracked = tracker.track()
      return try definition.install(
        target,
        .where { [reached] _ in
          withExtendedLifetime(tracked) { reached.add() }
          return true
        })
    }
  }

  private func callFromTwoThreads(_ cell: Cell) {
    let (call, wrong, expected) = (cell.target.call, cell.wrong, cell.expected)
    let threads = ThreadGroup()
    for _ in 0..<2 {
      threads.start {
        for _ in 0..<50 {
          let result = call()
          if result != expected { wrong.record(result) }
        }
      }
    }
    threads.wait()
    XCTAssertEqual(wrong.entries, [], cell.name)
    XCTAssertEqual(cell.reached.value, 100, cell.name)
  }

  /// Calls the target with other hooks inside and outside, with frames and typed.
  private func mix(_ cell: Cell) throws {
    let inner = Counter()
    let target = cell.target
    let others = [
      try target.subject.install(.before(priority: .min) { _ in inner.add() }),
      try target.subject.install(
        .after(priority: .max) { call in
          if call.error == nil { try call.setResult(call.result(as: Int32.self) + 100) }
        }),
    ]
    XCTAssertEqual(target.call(), cell.expected.map { $0 + 100 }, cell.name)
    XCTAssertEqual(inner.value, cell.definition.proceeds ? 1 : 0, cell.name)
    XCTAssertEqual(cell.reached.value, 101, cell.name)
    if let typed = try target.installTyped?() {
      let passed = target.typedProceeds ? cell.expected : 42
      XCTAssertEqual(target.call(), passed.map { $0 + 1100 }, cell.name)
      XCTAssertEqual(target.subject.hooks.count, 4, cell.name)
      XCTAssertTrue(typed.removeAndWait(), cell.name)
    } else {
      XCTAssertEqual(target.call(), cell.expected.map { $0 + 100 }, cell.name)
    }
    for other in others { XCTAssertTrue(other.removeAndWait(), cell.name) }
  }

  private func suspend(_ hook: Hook, _ cell: Cell) throws {
    let reached = cell.reached.value
    XCTAssertTrue(hook.suspend(), cell.name)
    XCTAssertEqual(cell.target.call(), 42, cell.name)
    XCTAssertEqual(cell.reached.value, reached, cell.name)
    XCTAssertTrue(try hook.resume(), cell.name)
    XCTAssertEqual(cell.target.call(), cell.expected, cell.name)
    XCTAssertEqual(cell.reached.value, reached + 1, cell.name)
  }

  private func removeUnderLoad(_ hook: Hook, _ cell: Cell) {
    let (calls, hasEnded) = (Counter(), Counter())
    let begins = DispatchSemaphore(value: 0)
    let (call, wrong, expected) = (cell.target.call, cell.wrong, cell.expected)
    let threads = ThreadGroup()
    threads.start {
      while hasEnded.value == 0 {
        let result = call()
        if result != expected, result != 42 { wrong.record(result) }
        calls.add()
        if calls.value == 10 { begins.signal() }
      }
    }
    begins.wait()
    XCTAssertTrue(hook.removeAndWait(), cell.name)
    let last = cell.reached.value
    XCTAssertEqual(cell.target.call(), 42, cell.name)
    hasEnded.add()
    threads.wait()
    XCTAssertEqual(cell.reached.value, last, cell.name)
    XCTAssertEqual(wrong.entries, [], cell.name)
  }

  /// Installs a definition, calls the target from two threads, with other hooks around and inside,
  /// while it is suspended, and while it is removed.
  private func use(_ cell: Cell) throws {
    let tracker = LifetimeTracker()
    do {
      let hook = try cell.install(tracker)
      callFromTwoThreads(cell)
      try mix(cell)
      try suspend(hook, cell)
      let before = cell.reached.value
      removeUnderLoad(hook, cell)
      // Calls that are in progress during the removal may pass the condition, but not the handler.
      if let noted = cell.definition.noted {
        let count = try noted()
        XCTAssertTrue((before...cell.reached.value).contains(count), "\(cell.name): \(count)")
      }
    }
    XCTAssertEqual(tracker.alive, 0, cell.name)
  }

  /// Has the target die while it is hooked.
  ///
  /// - Returns: What the table says of that.
  private func outlive(_ make: () throws -> TargetTable.Target, _ column: Int) throws -> String {
    let tracker = LifetimeTracker()
    var isMortal = false
    var name = ""
    var hook: Hook? = try {
      let definition = try TargetTable.columns(temporaryPath())[column]
      let cell = Cell(definition, try make())
      (isMortal, name) = (cell.target.isMortal, cell.name)
      guard reason(definition, cell.target) == nil else { return nil }
      let hook = try cell.install(tracker)
      XCTAssertEqual(cell.target.call(), cell.expected, name)
      return hook
    }()
    guard hook != nil else { return "" }
    XCTAssertEqual(hook?.isInstalled, !isMortal, name)
    XCTAssertEqual(hook?.remove(), !isMortal, name)
    // It has the conditions.
    hook = nil
    XCTAssertEqual(tracker.alive, 0, name)
    return isMortal ? "ends its hooks" : "there is none"
  }

  private func temporaryPath() -> String {
    let path = NSTemporaryDirectory() + "targets-\(UUID().uuidString)"
    addTeardownBlock { try? FileManager.default.removeItem(atPath: path) }
    return path
  }

  /// Why a definition is refused; nil if it is not.
  private func reason(
    _ definition: TargetTable.Definition, _ target: TargetTable.Target
  ) -> String? {
    if definition.needsErrors, !target.canThrow { return "throws no errors" }
    return switch definition.name {
    case ".memoizing": target.refusesMemos
    case ".answering": target.refusesAnswers
    default: nil
    }
  }

  func testEveryDefinitionIsInstalledOnEveryTarget() throws {
    try XCTSkipIf(isSanitized, "Swift's own methods are not hooked under a sanitizer")
    var lines: [String] = []
    for (row, make) in TargetTable.rows.enumerated() {
      var cells: [String] = []
      let (target, definitions) = (try make(), try TargetTable.columns(temporaryPath()))
      if row == 0 {
        let names = definitions.map { "`\($0.name)`" } + ["a typed hook", "the target's death"]
        lines.append("| | \(names.joined(separator: " | ")) |")
        lines.append("|" + String(repeating: " --- |", count: names.count + 1))
      }
      var death = ""
      for (column, definition) in definitions.enumerated() {
        if let reason = reason(definition, target) {
          XCTAssertThrowsError(try definition.install(target, .always)) { error in
            let code = (error as? any BlockRuntimeError)?.code
            switch definition.name {
            case ".memoizing": XCTAssertEqual(code, .notMemoizable)
            case ".answering": XCTAssertEqual(code, .unknownSubject)
            default: XCTAssertEqual(code, .cannotThrow)
            }
          }
          XCTAssertEqual(target.call(), 42)
          cells.append(reason)
        } else {
          try use(Cell(definition, target))
          death = try outlive(make, column)
          cells.append("yes")
        }
      }
      cells += [target.installTyped == nil ? target.refusesTyped : "yes", death]
      lines.append("| \(target.name) | \(cells.joined(separator: " | ")) |")
    }
    let article = try String(
      contentsOf: Sources.root.appendingPathComponent(
        "Sources/BlockRuntime/BlockRuntime.docc/HooksAndTheirOrder.md"), encoding: .utf8)
    XCTAssertTrue(
      article.contains(lines.joined(separator: "\n")),
      "the article's table is not\n\(lines.joined(separator: "\n"))")
  }
}
#endif
