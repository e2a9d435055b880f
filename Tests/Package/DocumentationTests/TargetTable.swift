#if Everything
import BlockRuntime
import CallMemoization
import CallRecording
import CallTracing
import Foundation
import InMemoryTracing
import Invocations
import MetricsTestKit
import SymbolInterposing
import Synchronization
import TestSupport
import TraceMetrics
import TraceSpans

/// What the table of targets and definitions in the article HooksAndTheirOrder is made of.
enum TargetTable {
  // MARK: - Targets

  final class Page: MessageReceiver, Sendable {
    static let doubled = TypedSelector1<Page, Int32, Int32>("doubled:")

    static var methods: MethodTable {
      MethodTable(Page.self) { Method("doubled:") { (_: Page, number: Int32) in number * 2 } }
    }
  }

  /// A class with several methods, which a hook of every message is in.
  class FullPage: MessageReceiver, @unchecked Sendable {
    class var methods: MethodTable {
      MethodTable(FullPage.self) {
        Method("doubled:") { (_: FullPage, number: Int32) in number * 2 }
        Method("halved:") { (_: FullPage, number: Int32) throws in number / 2 }
      }
    }
  }

  /// A function as the attribute `@Hookable` writes it.
  private enum Doubled {
    static let calls = CallSlot()
    static let function: HookedFunctionObject = HookedFunctionObject(
      Method("doubled(_:)") { (_: HookedFunctionObject, number: Int32) throws in body(number) }
        .called { calls.set($0) })
    static let target = HookableFunction<
      Int32, Int32, @Sendable (_ original: (Int32) throws -> Int32, Int32) throws -> Int32
    >(function) { handler in
      { original in
        MethodBody { function, number in
          try handler({ try original.call(function, $0) }, number)
        }
      }
    }
    static func body(_ number: Int32) -> Int32 { number * 2 }
    static func call(_ number: Int32) throws -> Int32 {
      if calls.isHooked { return try calls.call(function, number) { () throws in body(number) } }
      return body(number)
    }
  }

  /// A row of the table.
  struct Target {
    let name: String
    let subject: any HookTarget

    /// Whether callers get errors.
    var canThrow = false

    /// Whether the target's end removes its hooks; otherwise it has none, or others come.
    var isMortal = false

    /// Why the target cannot be memoized; nil if it can.
    var refusesMemos: String?

    /// Why its calls cannot be answered; nil if they can.
    var refusesAnswers: String?

    /// Installs a typed hook that adds 1000; nil if there is none.
    var installTyped: (() throws -> Hook)?

    /// Why there is no typed hook.
    var refusesTyped = "has no Swift types"

    /// Whether the typed hook runs what is inside of it.
    var typedProceeds = true

    /// Calls the target with 21, which it doubles; nil if it throws.
    let call: @Sendable () -> Int32?
  }

  private typealias Doubling = @convention(block) (Int32) -> Int32

  @inline(never)
  private static func blockOfEveryBlock() -> Doubling { { $0 * 2 } }

  /// Makes each target anew, so that it may die.
  static let rows: [@Sendable () throws -> Target] = [
    {
      let block = try Block(signature: "i@?i") { call in
        try call.setResult(call.argument(1, as: Int32.self) * 2)
      }
      return Target(
        name: "a block", subject: block, isMortal: true,
        installTyped: {
          try block.wrap { (original: @escaping Doubling) -> Doubling in { original($0) + 1000 } }
        }, call: { try? block.call(21 as Int32) })
    },
    {
      // SAFETY: the function has this signature.
      let function = unsafe try ImportedFunction("toupper", signature: "ii")
      let replacement: @convention(c) (Int32) -> Int32 = { toupper($0) + 1000 }
      return Target(
        name: "an imported function", subject: function,
        installTyped: { try function.replace(with: replacement) }, typedProceeds: false,
        // The letter a, of which it makes A.
        call: { toupper(97) - 23 })
    },
    {
      let page = Page()
      return Target(
        name: "a method of a class", subject: Page.target("doubled:"), canThrow: true,
        installTyped: {
          try Page.hook(Page.doubled) { original, _, number in try original(number) + 1000 }
        }, call: { try? page.send("doubled:", 21 as Int32) })
    },
    {
      let page = Page()
      return Target(
        name: "a method of one object", subject: page.target("doubled:"), canThrow: true,
        isMortal: true,
        installTyped: {
          try page.hook(Page.doubled) { original, _, number in try original(number) + 1000 }
        }, call: { try? page.send("doubled:", 21 as Int32) })
    },
    {
      let page = FullPage()
      return Target(
        name: "every message of a class", subject: FullPage.everyMessage, canThrow: true,
        refusesMemos: "is of one method", refusesTyped: "is of one method",
        call: { try? page.send("doubled:", 21 as Int32) })
    },
    {
      let page = FullPage()
      return Target(
        name: "every message to one object", subject: page.everyMessage, canThrow: true,
        isMortal: true, refusesMemos: "is of one method", refusesTyped: "is of one method",
        call: { try? page.send("doubled:", 21 as Int32) })
    },
    {
      Target(
        name: "a hookable function", subject: Doubled.target, canThrow: true,
        installTyped: {
          try Doubled.target.hook { original, number in try original(number) + 1000 }
        }, call: { try? Doubled.call(21) })
    },
    {
      var filter = BlockFilter()
      filter.symbols = ["*blockOfEveryBlock*"]
      return Target(
        name: "every block of a filter", subject: EveryBlock(matching: filter),
        refusesMemos: "blocks have captures", refusesAnswers: "blocks have captures",
        call: { blockOfEveryBlock()(21) })
    },
  ]

  // MARK: - Definitions

  /// A column of the table.
  struct Definition {
    let name: String

    /// What callers get: the result changed, or nil for an error.
    var outcome: (Int32) -> Int32? = { $0 }
    var needsErrors = false

    /// Whether hooks that are further inside run in each call.
    var proceeds = true

    let install: (Target, HookConditions) throws -> Hook

    /// How many calls it has noted; nil if it notes none.
    var noted: (() throws -> Int)?
  }

  struct Failure: Error {}

  /// A recording of one call, which answers with one more.
  private static func recordingOfMore(of target: Target, _ path: String) throws -> Recording {
    let recorder = try CallRecorder(path: path + ".more")
    defer { try? FileManager.default.removeItem(atPath: path + ".more") }
    let hooks = [
      try target.subject.install(
        .after { call in try call.setResult(call.result(as: Int32.self) + 1) }),
      try target.subject.install(.recording(to: recorder)),
    ]
    _ = target.call()
    for hook in hooks { hook.remove() }
    try recorder.close()
    return try Recording(path: path + ".more")
  }

  /// The definitions; one of them writes at a path.
  static func columns(_ path: String) throws -> [Definition] {
    func of(_ definition: HookDefinition) -> (Target, HookConditions) throws -> Hook {
      { target, conditions in
        var definition = definition
        definition.conditions = conditions
        return try target.subject.install(definition)
      }
    }
    let (calls, lines) = (Recorder<String>(), Recorder<String>())
    let buffer = TraceBuffer()
    let tracer = CallTracing.Tracer(buffer)
    let recorder = try CallRecorder(path: path)
    let memos = Recorder<Memo>()
    let spans = InMemoryTracer()
    let metrics = TestMetrics()
    return [
      Definition(
        name: ".before", install: of(.before { _ in calls.record("") }),
        noted: { calls.entries.count }),
      Definition(
        name: ".after", outcome: { $0 + 1 },
        install: of(.after { call in try call.setResult(call.result(as: Int32.self) + 1) })),
      Definition(
        name: ".instead", outcome: { -$0 },
        install: of(
          .instead { call in
            try call.proceed()
            try call.setResult(-call.result(as: Int32.self))
          })),
      Definition(
        name: ".printing", install: of(.printing { if !$0.hasPrefix("→") { lines.record($0) } }),
        noted: { lines.entries.count }),
      Definition(
        name: ".tracing", install: of(.tracing(with: tracer)),
        noted: {
          tracer.close()
          return buffer.records.count
        }),
      Definition(
        name: ".recording", install: of(.recording(to: recorder)),
        noted: {
          try recorder.close()
          return try Recording(path: path).calls.count
        }),
      Definition(
        name: ".memoizing", proceeds: false,
        install: { target, conditions in
          let installed = try target.subject.install(.memoizing(when: conditions))
          memos.record(installed.handle)
          return installed.hook
        }, noted: { memos.entries.reduce(0) { $0 + $1.hits + $1.misses } }),
      Definition(
        name: ".answering", outcome: { $0 + 1 }, proceeds: false,
        install: { target, conditions in
          let recording = try recordingOfMore(of: target, path)
          return try target.subject.install(
            .answering(from: recording, repeating: true, when: conditions)
          ).hook
        }),
      Definition(name: ".intercepting", install: of(.intercepting { try $0.proceed() })),
      Definition(
        name: ".span", install: of(.span("doubled", tracer: spans)),
        noted: { spans.finishedSpans.count }),
      Definition(
        name: ".timer", install: of(.timer("doubled", factory: metrics)),
        noted: { try metrics.expectTimer("call_duration", [("code", "doubled")]).values.count }),
      Definition(name: ".delaying", install: of(.delaying(by: .nanoseconds(1)))),
      Definition(
        name: ".failing(errno)", outcome: { _ in -1 }, proceeds: false,
        install: of(.failing(with: ENOENT))),
      Definition(
        name: ".failing(error)", outcome: { _ in nil }, needsErrors: true, proceeds: false,
        install: of(.failing(with: Failure()))),
    ]
  }
}
#endif
