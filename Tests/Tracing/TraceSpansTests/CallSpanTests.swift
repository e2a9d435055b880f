#if Spans || Everything
import BlockABI
import BlockHooks
import Dispatch
import Glibc
import InMemoryTracing
import Invocations
import MessageForwarding
import SymbolInterposing
import TestSupport
import TraceSpans
import Tracing
import XCTest

/// What a span tells of a hooked call, and what is current inside.
final class CallSpanTests: XCTestCase {
  private typealias IntBlock = @convention(block) (Int32) -> Int32
  private struct Torn: Error {}

  private final class Page: MessageReceiver {
    static var methods: MethodTable {
      MethodTable(Page.self) {
        Method("length") { (_: Page) -> Int in 7 }
        Method("tear:") { (_: Page, count: Int) -> Int in
          if count > 1 { throw Torn() }
          return count
        }
      }
    }
  }

  private let tracer = InMemoryTracer()

  private var spans: [FinishedInMemorySpan] { tracer.finishedSpans }

  /// An attribute of a span as text.
  private func text(_ key: String, of span: FinishedInMemorySpan?) -> String? {
    switch span?.attributes[key]?.toSpanAttribute() {
    case .string(let text): text
    case .int64(let number): "\(number)"
    case nil: nil
    case .some(let other): "\(other)"
    }
  }

  func testACallOfABlockIsASpan() throws {
    let work: IntBlock = { $0 + 1 }
    let hook = try Block(work).install(.span("work", ofKind: .client, tracer: tracer))
    XCTAssertEqual(work(4), 5)
    hook.remove()
    XCTAssertEqual(work(4), 5)
    let span = try XCTUnwrap(spans.first)
    XCTAssertEqual(spans.count, 1)
    XCTAssertEqual(span.operationName, "work")
    XCTAssertEqual(span.kind, .client)
    XCTAssertNil(span.parentSpanID)
    XCTAssertNil(span.status)
    XCTAssertLessThanOrEqual(
      span.startInstant.nanosecondsSinceEpoch, span.endInstant.nanosecondsSinceEpoch)
    XCTAssertEqual(hook.name, "work")
  }

  func testASpanHasTheShortNameAndTheImageOfTheCode() throws {
    let work: IntBlock = { $0 + 1 }
    let block = try Block(work)
    try block.install(.span(tracer: tracer))
    let threads = ThreadGroup()
    threads.start { _ = try? block.call(Int32(4)) as Int32 }
    threads.wait()
    let span = try XCTUnwrap(spans.first)
    XCTAssertEqual(
      span.operationName,
      "CallSpanTests.testASpanHasTheShortNameAndTheImageOfTheCode › closure #1")
    let function = text("code.function.name", of: span) ?? ""
    XCTAssertTrue(function.contains("TraceSpansTests.CallSpanTests"), function)
    let image = text("blockruntime.image", of: span) ?? ""
    XCTAssertTrue(image.contains(".xctest"), image)
    XCTAssertNil(text("blockruntime.queue", of: span))
    XCTAssertEqual(span.attributes.count, 2)
  }

  func testASpanHasTheLabelOfItsQueue() throws {
    let work: IntBlock = { $0 + 1 }
    try Block(work).install(.span(tracer: tracer))
    DispatchQueue(label: "checkout").sync { _ = work(4) }
    XCTAssertEqual(text("blockruntime.queue", of: spans.first), "checkout")
  }

  func testValuesAreAttributesOnlyIfTheyAreAskedFor() throws {
    let work: IntBlock = { $0 + 1 }
    let silent = try Block(work).install(.span(tracer: tracer))
    _ = work(4)
    silent.remove()
    try Block(work).install(.span(recording: [.arguments, .result], tracer: tracer))
    _ = work(4)
    XCTAssertEqual(spans.count, 2)
    XCTAssertNil(text("blockruntime.argument.1", of: spans[0]))
    XCTAssertNil(text("blockruntime.result", of: spans[0]))
    XCTAssertEqual(text("blockruntime.argument.1", of: spans[1]), "i32 4")
    XCTAssertEqual(text("blockruntime.result", of: spans[1]), "i32 5")
    XCTAssertNil(text("blockruntime.argument.0", of: spans[1]))
  }

  func testAttributesAreAddedBeforeTheCall() throws {
    let work: IntBlock = { $0 + 1 }
    try Block(work).install(
      .span("work", tracer: tracer) { span, call in
        span.attributes["order"] = try call.argument(1, as: Int.self)
        span.operationName = "work \(call.hasResult)"
      })
    _ = work(4)
    XCTAssertEqual(text("order", of: spans.first), "4")
    XCTAssertEqual(spans.first?.operationName, "work false")
  }

  func testACallWhoseAttributesCannotBeReadIsMadeAndReported() throws {
    let work: IntBlock = { $0 + 1 }
    let errors = Recorder<ErrorCode?>()
    var definition = HookDefinition.span("work", tracer: tracer) { span, call in
      span.attributes["order"] = try call.argument(7, as: Int.self)
    }
    definition.onError = { errors.record(($0 as? InvocationError)?.code) }
    try Block(work).install(definition)
    XCTAssertEqual(work(4), 5)
    XCTAssertEqual(errors.entries, [.argumentIndex])
    XCTAssertEqual(spans.map(\.operationName), ["work"])
    XCTAssertEqual(spans.first?.errors.count, 0)
  }

  func testACallOfAnImportedFunctionIsASpan() throws {
    // SAFETY: getenv has this signature.
    let function = unsafe try ImportedFunction("getenv", signature: "*r*")
    let hook = try function.install(.span(recording: .arguments, tracer: tracer))
    _ = unsafe getenv("CALL_SPAN_TESTS")
    hook.remove()
    let own = spans.filter { text("blockruntime.argument.0", of: $0) == "\"CALL_SPAN_TESTS\"" }
    XCTAssertEqual(own.map(\.operationName), ["getenv"])
  }

  func testTheSpanOfAVariadicCallThatGoesOnEndsWithIt() throws {
    let library = try LoadedLibrary(
      self, "variadic_span",
      source: """
        #include <unistd.h>
        __attribute__((noinline)) int spanned_wait(int count, ...) { usleep(2000); return count + 1; }
        int spanned_call(void) { return spanned_wait(4, 5.0) * 10; }
        """)
    // SAFETY: the functions are those of the source above.
    let function = unsafe try ImportedFunction(declaration: "int spanned_wait(int, ...)")
    let hook = try function.install(.span(recording: .result, tracer: tracer))
    let call = unsafe try CFunction(symbol: "spanned_call", library: library.path, signature: "i")
    XCTAssertEqual(try call(), Int32(50))
    hook.remove()
    XCTAssertEqual(spans.map(\.operationName), ["spanned_wait"])
    XCTAssertEqual(text("blockruntime.result", of: spans.first), "i32 5")
  }

  func testAMessageIsASpanOfClassAndSelector() throws {
    let hook = try Page.target("tear:").install(.span(recording: .arguments, tracer: tracer))
    let page = Page()
    let torn: Int = try page.send("tear:", 1)
    XCTAssertEqual(torn, 1)
    hook.remove()
    try page.target("length").install(.span(tracer: tracer))
    let length: Int = try page.send("length")
    XCTAssertEqual(length, 7)
    XCTAssertEqual(spans.map(\.operationName), ["Page.tear:", "Page.length"])
    XCTAssertNotNil(text("blockruntime.argument.2", of: spans.first))
    XCTAssertEqual(spans.first?.errors.count, 0)
    XCTAssertNil(spans.first?.status)
  }

  func testTheErrorOfAMessageIsRecorded() throws {
    try Page.target("tear:").install(.span("tear", tracer: tracer))
    defer { Page.target("tear:").hooks.forEach { $0.remove() } }
    XCTAssertThrowsError(try Page().send("tear:", 2, returning: Int.self)) {
      XCTAssertTrue(($0 as? MessageError)?.underlyingError is Torn, "\($0)")
    }
    let span = try XCTUnwrap(spans.first)
    XCTAssertEqual(span.errors.count, 1)
    XCTAssertTrue(span.errors.first?.error is Torn)
    XCTAssertEqual(span.status?.code, .error)
  }

  func testSpansInsideOfACallAreItsChildren() throws {
    let inner: IntBlock = { $0 + 1 }
    let tracer = tracer
    let outer: IntBlock = { number in
      tracer.withSpan("by hand") { _ in inner(number) }
    }
    try Block(inner).install(.span("inner", tracer: tracer))
    try Block(outer).install(.span("outer", tracer: tracer))
    tracer.withSpan("request") { _ in XCTAssertEqual(outer(4), 5) }
    XCTAssertNil(ServiceContext.current)
    XCTAssertEqual(spans.map(\.operationName), ["inner", "by hand", "outer", "request"])
    XCTAssertEqual(spans.dropLast().map(\.parentSpanID), spans.dropFirst().map(\.spanID))
    XCTAssertEqual(Set(spans.map(\.traceID)).count, 1)
  }

  func testASpanIsLiveWhileTheCallRuns() throws {
    let tracer = tracer
    let work: IntBlock = { number in
      XCTAssertEqual(tracer.activeSpans.map(\.operationName), ["work"])
      XCTAssertEqual(
        ServiceContext.current?.inMemorySpanContext?.spanID, tracer.activeSpans.first?.spanID)
      return number
    }
    try Block(work).install(.span("work", tracer: tracer))
    _ = work(4)
    XCTAssertEqual(tracer.activeSpans.count, 0)
    XCTAssertEqual(spans.count, 1)
  }

  func testACallWithoutATracerIsMade() throws {
    let work: IntBlock = { $0 + 1 }
    try Block(work).install(.span())
    XCTAssertEqual(work(4), 5)
  }

  func testCallsOfAHundredThreadsHaveTheirOwnParents() throws {
    let work: IntBlock = { $0 + 1 }
    let block = try Block(work)
    try block.install(.span("work", tracer: tracer))
    let threads = ThreadGroup()
    for _ in 0..<100 {
      threads.start { [tracer] in
        for number in 0..<10 {
          tracer.withSpan("request") { _ in
            let result: Int32? = try? block.call(Int32(number))
            XCTAssertEqual(result, Int32(number) + 1)
          }
        }
      }
    }
    threads.wait()
    let requests = Set(spans.filter { $0.operationName == "request" }.map(\.spanID))
    let parents = spans.filter { $0.operationName == "work" }.compactMap(\.parentSpanID)
    XCTAssertEqual(requests.count, 1000)
    XCTAssertEqual(parents.count, 1000)
    XCTAssertEqual(Set(parents), requests)
  }

  func testEveryBlockOfAFilterIsASpan() throws {
    try XCTSkipIf(isSanitized, "sanitizers have functions of their own in libdispatch's place")
    var filter = BlockFilter()
    filter.symbols = ["*testEveryBlockOfAFilterIsASpan*"]
    let every = try EveryBlock(matching: filter).install(.span(tracer: tracer))
    let queue = DispatchQueue(label: "every")
    queue.async {}
    queue.sync {}
    every.removeAndWait()
    XCTAssertEqual(spans.count, 2)
    XCTAssertEqual(text("blockruntime.queue", of: spans.first), "every")
  }

  func testARemovedSpanReleasesWhatItCaptured() throws {
    let tracker = LifetimeTracker()
    let work: IntBlock = { $0 + 1 }
    do {
      let kept = tracker.track()
      let hook = try Block(work).install(
        .span("work", tracer: tracer) { _, _ in withExtendedLifetime(kept) {} })
      _ = work(4)
      hook.removeAndWait()
    }
    tracker.expectNothingAlive()
  }

  func testASpanNamesTheCodeThatIsLoadedNow() throws {
    let definition = HookDefinition.span(tracer: tracer)
    // The kernel puts a library where the one before it was, unless another thread has mapped
    // memory in between; so several are loaded.
    let names = (1...8).map { "code\($0)" }
    let codes = try names.map { name in
      // SAFETY: the block lives while the closure runs.
      unsafe try LoadedLibrary.withBlock(self, "span", of: name) { memory in
        let block = unsafe Block(unsafePointer: memory)
        let hook = try block.install(definition)
        XCTAssertEqual(try block.call(Int32(4)), Int32(5))
        hook.remove()
      }
    }
    XCTAssertTrue(
      zip(codes, codes.dropFirst()).contains { $0 == $1 },
      "no library was loaded where another had been: \(codes)")
    XCTAssertEqual(spans.map(\.operationName), names.map { "__\($0)_block_invoke" })
  }
}
#endif
