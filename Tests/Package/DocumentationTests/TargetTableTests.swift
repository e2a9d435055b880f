#if Everything
import BlockRuntime
import CallRecording
import CallTracing
import ExperimentalSwiftMethods
import Foundation
import InMemoryTracing
import Invocations
import MetricsTestKit
import SymbolInterposing
import Synchronization
import TestSupport
import TraceMetrics
import TraceSpans
import XCTest

/// A class whose method is in the table of its instances' class.
open class Sheet {
  @inline(never)
  open func doubled(_ number: Int32) -> Int32 { number * 2 }
}

/// The table of targets and definitions in the article HooksAndTheirOrder: every cell is tried.
final class TargetTableTests: XCTestCase {
  // MARK: - Targets

  private final class Page: MessageReceiver, Sendable {
    static var methods: MethodTable {
      MethodTable(Page.self) { Method("doubled:") { (_: Page, number: Int32) in number * 2 } }
    }
  }

  /// A token of a hook, of one target or of every block.
  private struct Token {
    let suspend: () -> Bool
    let resume: () throws -> Bool
    let removeAndWait: () -> Bool

    init(_ hook: Hook) {
      (suspend, resume, removeAndWait) = (hook.suspend, { try hook.resume() }, hook.removeAndWait)
    }

    init(_ every: EveryBlock) {
      (suspend, resume, removeAndWait) = (
        every.suspend, { try every.resume() }, every.removeAndWait
      )
    }
  }

  private struct Target {
    let name: String
    let canThrow: Bool
    let install: (HookDefinition) throws -> Token

    /// Calls the target with 21, which it doubles; nil if it throws.
    let call: @Sendable () -> Int32?

    init(
      _ name: String, canThrow: Bool = false, _ call: @escaping @Sendable () -> Int32?,
      _ install: @escaping (HookDefinition) throws -> Token
    ) {
      (self.name, self.canThrow, self.call, self.install) = (name, canThrow, call, install)
    }

    init(
      _ name: String, _ target: some HookTarget, canThrow: Bool = false,
      _ call: @escaping @Sendable () -> Int32?
    ) {
      self.init(name, canThrow: canThrow, call) { Token(try target.install($0)) }
    }
  }

  @inline(never)
  private static func blockOfEveryBlock() -> @convention(block) (Int32) -> Int32 { { $0 * 2 } }

  private func targets() throws -> [Target] {
    let doubled = try Block(signature: "i@?i") { call in
      try call.setResult(call.argument(1, as: Int32.self) * 2)
    }
    // SAFETY: the function has this signature.
    let function = unsafe try ImportedFunction("toupper", signature: "ii")
    let page = Page()
    let sheet = Sheet()
    nonisolated(unsafe) let receiver = sheet
    // SAFETY: the method is not consuming.
    let method = unsafe try SwiftClass(Sheet.self).target("doubled(_:)")
    var filter = BlockFilter()
    filter.symbols = ["*blockOfEveryBlock*"]
    return [
      Target("a block", doubled) { try? doubled.call(21 as Int32) },
      // The letter a, of which it makes A.
      Target("an imported function", function) { toupper(97) - 23 },
      Target("a method of a class", Page.target("doubled:"), canThrow: true) {
        try? page.send("doubled:", 21 as Int32)
      },
      Target("a method of one object", page.target("doubled:"), canThrow: true) {
        try? page.send("doubled:", 21 as Int32)
      },
      Target("a method of a Swift class", method) { unsafe receiver.doubled(21) },
      Target("every block of a filter", { Self.blockOfEveryBlock()(21) }) {
        Token(try EveryBlock.install($0, matching: filter))
      },
    ]
  }

  // MARK: - Definitions

  private struct Definition {
    let name: String

    /// What callers get: the result changed, or nil for an error.
    var outcome: (Int32) -> Int32? = { $0 }
    var needsErrors = false
    var proceeds = true
    let hook: HookDefinition

    /// How many calls it has noted; nil if it notes none.
    var noted: (() throws -> Int)?
  }

  private struct Failure: Error {}

  private func definitions(_ path: String) throws -> [Definition] {
    let (calls, lines) = (Recorder<String>(), Recorder<String>())
    let buffer = TraceBuffer()
    let tracer = CallTracing.Tracer(buffer)
    let recorder = try CallRecorder(path: path)
    let spans = InMemoryTracer()
    let metrics = TestMetrics()
    return [
      Definition(
        name: ".before", hook: .before { _ in calls.record("") }, noted: { calls.entries.count }),
      Definition(
        name: ".after", outcome: { $0 + 1 },
        hook: .after { call in try call.setResult(call.result(as: Int32.self) + 1) }),
      Definition(
        name: ".instead", outcome: { -$0 },
        hook: .instead { call in
          try call.proceed()
          try call.setResult(-call.result(as: Int32.self))
        }),
      Definition(
        name: ".printing", hook: .printing { if !$0.hasPrefix("→") { lines.record($0) } },
        noted: { lines.entries.count }),
      Definition(
        name: ".tracing", hook: .tracing(with: tracer),
        noted: {
          tracer.close()
          return buffer.records.count
        }),
      Definition(
        name: ".recording", hook: .recording(to: recorder),
        noted: {
          try recorder.close()
          return try Recording(path: path).calls.count
        }),
      Definition(name: ".intercepting", hook: .intercepting { try $0.proceed() }),
      Definition(
        name: ".span", hook: .span("doubled", tracer: spans), noted: { spans.finishedSpans.count }),
      Definition(
        name: ".timer", hook: .timer("doubled", factory: metrics),
        noted: { try metrics.expectTimer("call_duration", [("code", "doubled")]).values.count }),
      Definition(name: ".delaying", hook: .delaying(by: .nanoseconds(1))),
      Definition(
        name: ".failing(errno)", outcome: { _ in -1 }, proceeds: false,
        hook: .failing(with: ENOENT)),
      Definition(
        name: ".failing(error)", outcome: { _ in nil }, needsErrors: true, proceeds: false,
        hook: .failing(with: Failure())),
    ]
  }

  // MARK: - Cells

  private final class Counter: Sendable {
    private let count = Mutex(0)
    var value: Int { count.withLock { $0 } }
    func add() { count.withLock { $0 += 1 } }
  }

  /// Installs a definition, calls the target from two threads, with other hooks around and inside,
  /// while it is suspended, and while it is removed.
  private func use(_ definition: Definition, _ target: Target) throws {
    let tracker = LifetimeTracker()
    try use(definition, target, tracker)
    XCTAssertEqual(tracker.alive, 0, "\(definition.name) of \(target.name)")
  }

  private func use(
    _ definition: Definition, _ target: Target, _ tracker: LifetimeTracker
  ) throws {
    let cell = "\(definition.name) of \(target.name)"
    let reached = Counter()
    // `toupper` makes 42 of what is passed, too.
    let expected =
      target.name == "an imported function"
      ? definition.outcome(65).map { $0 - 23 } : definition.outcome(42)
    var hook = definition.hook
    hook.conditions = .where { [tracked = tracker.track()] _ in
      withExtendedLifetime(tracked) { reached.add() }
      return true
    }
    let token = try target.install(hook)
    let (call, wrong) = (target.call, Recorder<Int32?>())
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
    XCTAssertEqual(wrong.entries, [], cell)
    XCTAssertEqual(reached.value, 100, cell)

    let inner = Counter()
    let others = [
      try target.install(.before(priority: .min) { _ in inner.add() }),
      try target.install(
        .after(priority: .max) { call in
          if call.error == nil { try call.setResult(call.result(as: Int32.self) + 100) }
        }),
    ]
    XCTAssertEqual(target.call(), expected.map { $0 + 100 }, cell)
    XCTAssertEqual(inner.value, definition.proceeds ? 1 : 0, cell)
    for other in others { XCTAssertTrue(other.removeAndWait(), cell) }

    XCTAssertTrue(token.suspend(), cell)
    XCTAssertEqual(target.call(), 42, cell)
    XCTAssertEqual(reached.value, 101, cell)
    XCTAssertTrue(try token.resume(), cell)
    XCTAssertEqual(target.call(), expected, cell)
    XCTAssertEqual(reached.value, 102, cell)

    let (calls, hasEnded) = (Counter(), Counter())
    let begins = DispatchSemaphore(value: 0)
    threads.start {
      while hasEnded.value == 0 {
        let result = call()
        if result != expected, result != 42 { wrong.record(result) }
        calls.add()
        if calls.value == 10 { begins.signal() }
      }
    }
    begins.wait()
    XCTAssertTrue(token.removeAndWait(), cell)
    let last = reached.value
    XCTAssertEqual(target.call(), 42, cell)
    hasEnded.add()
    threads.wait()
    XCTAssertEqual(reached.value, last, cell)
    XCTAssertEqual(wrong.entries, [], cell)
    // Calls that are in progress during the removal may pass the condition, but not the handler.
    if let noted = definition.noted {
      let count = try noted()
      XCTAssertTrue((102...last).contains(count), "\(cell): \(count) of \(last)")
    }
  }

  func testEveryDefinitionIsInstalledOnEveryTarget() throws {
    try XCTSkipIf(isSanitized, "Swift's own methods are not hooked under a sanitizer")
    var lines: [String] = []
    for (row, target) in try targets().enumerated() {
      var cells = ["", target.name]
      let path = NSTemporaryDirectory() + "targets-\(UUID().uuidString)"
      addTeardownBlock { try? FileManager.default.removeItem(atPath: path) }
      let definitions = try definitions(path)
      if row == 0 {
        lines.append("| | \(definitions.map { "`\($0.name)`" }.joined(separator: " | ")) |")
        lines.append("|" + String(repeating: " --- |", count: definitions.count + 1))
      }
      for definition in definitions {
        if definition.needsErrors, !target.canThrow {
          do {
            // A hook of every block leaves out those that cannot have it.
            let token = try target.install(definition.hook)
            XCTAssertEqual(target.call(), 42)
            _ = token.removeAndWait()
          } catch {
            XCTAssertEqual((error as? any BlockRuntimeError)?.code, .cannotThrow)
          }
          cells.append("throws no errors")
        } else {
          try use(definition, target)
          cells.append("yes")
        }
      }
      lines.append(cells.joined(separator: " | ").trimmingCharacters(in: .whitespaces) + " |")
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
