#if Spans || Everything
import BlockABI
import BlockHooks
import Dispatch
import Foundation
import InMemoryTracing
import Invocations
import SymbolInterposing
import TestSupport
import TraceSpans
import Tracing
import XCTest

private enum NameKey: ServiceContextKey { typealias Value = String }
private enum TrackedKey: ServiceContextKey { typealias Value = LifetimeTracker.Tracked }

extension ServiceContext {
  fileprivate var name: String? {
    get { self[NameKey.self] }
    set { self[NameKey.self] = newValue }
  }
}

/// Notes contexts from any thread.
private struct Notes: Sendable {
  private let recorder = Recorder<String>()

  /// Notes the context of where it is called.
  func callAsFunction(_ place: String) {
    recorder.record("\(place): \(ServiceContext.current?.name ?? "none")")
  }

  var entries: [String] { recorder.entries }
}

/// Runs a closure with a context of a name.
private func with<Result>(_ name: String, _ body: () throws -> Result) rethrows -> Result {
  var context = ServiceContext.topLevel
  context.name = name
  return try ServiceContext.withValue(context, operation: body)
}

/// The service context where blocks run that were sent to queues.
final class CarriedContextTests: XCTestCase {
  private let queue = DispatchQueue(label: "carried")
  private let note = Notes()

  override func setUpWithError() throws {
    try XCTSkipIf(isSanitized, "sanitizers have functions of their own in libdispatch's place")
  }

  private func carrying(_ body: () throws -> Void) throws {
    let carrying = try EverySubmission.carryServiceContext()
    defer { carrying.remove() }
    try body()
  }

  func testTheContextOfTheSenderIsThatOfTheBlock() throws {
    let note = note
    try carrying {
      let group = DispatchGroup()
      with("async") { queue.async { note("async") } }
      with("barrier") { queue.async(flags: .barrier) { note("barrier") } }
      with("group") { queue.async(group: group) { note("group") } }
      with("quality") { queue.async(qos: .utility) { note("quality") } }
      group.wait()
      let ends = DispatchGroup()
      ends.enter()
      with("notify") {
        group.notify(queue: queue) {
          note("notify")
          ends.leave()
        }
      }
      ends.wait()
      ends.enter()
      with("after") {
        queue.asyncAfter(deadline: .now() + .milliseconds(1)) {
          note("after")
          ends.leave()
        }
      }
      ends.wait()
      with("sync") { queue.sync { note("sync") } }
      XCTAssertEqual(
        note.entries,
        ["async", "barrier", "group", "quality", "notify", "after", "sync"].map { "\($0): \($0)" })
      XCTAssertNil(ServiceContext.current)
    }
  }

  func testIterationsOnOtherThreadsHaveTheContext() throws {
    let note = note
    try carrying {
      with("apply") {
        DispatchQueue.concurrentPerform(iterations: 100) { note("\($0)") }
      }
    }
    XCTAssertEqual(Set(note.entries), Set((0..<100).map { "\($0): apply" }))
  }

  func testAWorkItemHasTheContextOfWhereItWasSent() throws {
    let note = note
    try carrying {
      let item = DispatchWorkItem { note("item") }
      let done = DispatchWorkItem { note("done") }
      with("first") { queue.async(execute: item) }
      with("second") { queue.async(execute: item) }
      let flagged = DispatchWorkItem(flags: .barrier) { note("flagged") }
      with("notified") { flagged.notify(queue: queue, execute: done) }
      with("third") { queue.async(execute: flagged) }
      flagged.wait()
      done.wait()
      item.perform()
    }
    XCTAssertEqual(
      note.entries.sorted(),
      ["done: notified", "flagged: third", "item: first", "item: none", "item: second"])
  }

  func testWhereThereIsNoContextThereIsNone() throws {
    let note = note
    try carrying {
      queue.async { note("block") }
      queue.async(execute: DispatchWorkItem { note("item") })
      queue.sync {}
    }
    XCTAssertEqual(note.entries, ["block: none", "item: none"])
  }

  private final class Holder: Sendable { let note = Notes() }

  func testBlocksOfCHaveTheContext() throws {
    let library = try LoadedLibrary(
      self, "carried",
      source: """
        extern void *dispatch_queue_create(const char *label, void *attributes);
        extern void dispatch_async(void *queue, void (^block)(void));
        extern void dispatch_sync(void *queue, void (^block)(void));
        extern void dispatch_release(void *object);
        void carried_send(void *context, void (*function)(void *)) {
          void *queue = dispatch_queue_create("C", 0);
          dispatch_async(queue, ^{ function(context); });
          dispatch_sync(queue, ^{});
          dispatch_release(queue);
        }
        """)
    typealias Function = @convention(c) (UnsafeMutableRawPointer?) -> Void
    typealias Send = @convention(c) (UnsafeMutableRawPointer?, Function) -> Void
    let holder = Holder()
    // SAFETY: the function is compiled above, and runs its blocks before it returns.
    let send = unsafe unsafeBitCast(try library.address(of: "carried_send"), to: Send.self)
    try carrying {
      with("C") {
        unsafe send(Unmanaged.passUnretained(holder).toOpaque()) { holder in
          guard let holder = unsafe holder else { return }
          unsafe Unmanaged<Holder>.fromOpaque(holder).takeUnretainedValue().note("block")
        }
      }
    }
    XCTAssertEqual(holder.note.entries, ["block: C"])
  }

  func testASpanInABlockIsAChildOfTheSendersSpan() throws {
    let tracer = InMemoryTracer()
    let work: @Sendable @convention(block) () -> Void = { tracer.withSpan("by hand") { _ in } }
    try Block(work).install(.span("work", tracer: tracer))
    try carrying {
      tracer.withSpan("request") { _ in queue.async(execute: work) }
      queue.sync {}
    }
    let spans = Dictionary(
      uniqueKeysWithValues: tracer.finishedSpans.map { ($0.operationName, $0) })
    XCTAssertEqual(spans.count, 3)
    XCTAssertEqual(spans["by hand"]?.parentSpanID, spans["work"]?.spanID)
    XCTAssertEqual(spans["work"]?.parentSpanID, spans["request"]?.spanID)
    XCTAssertEqual(
      spans["work"]?.attributes["blockruntime.queue"]?.toSpanAttribute(), .string("carried"))
  }

  func testATaskGivesItsContextToBlocks() async throws {
    let note = note
    let carrying = try EverySubmission.carryServiceContext()
    var context = ServiceContext.topLevel
    context.name = "task"
    let queue = queue
    await ServiceContext.withValue(context) {
      await withCheckedContinuation { continuation in
        queue.async {
          note("block")
          continuation.resume()
        }
      }
    }
    carrying.remove()
    XCTAssertEqual(note.entries, ["block: task"])
  }

  func testAHundredThreadsKeepTheirContextsApart() throws {
    let note = note
    let concurrent = DispatchQueue(label: "apart", attributes: .concurrent)
    let group = DispatchGroup()
    try carrying {
      let threads = ThreadGroup()
      for number in 0..<100 {
        threads.start {
          for _ in 0..<20 {
            with("\(number)") {
              concurrent.async(group: group) { note("\(number)") }
              concurrent.async(
                group: group, execute: DispatchWorkItem { note("\(number)") })
            }
          }
        }
      }
      threads.wait()
      group.wait()
    }
    XCTAssertEqual(note.entries.count, 4000)
    XCTAssertEqual(Set(note.entries), Set((0..<100).map { "\($0): \($0)" }))
  }

  func testTheEndLeavesLaterBlocksAndTheSlotsAlone() throws {
    let note = note
    // SAFETY: dispatch_async has this signature.
    let function = unsafe try ImportedFunction(
      "dispatch_async", signature: "v^v^v", in: .excluding("libdispatch.so*"))
    let wasHooked = function.slots.contains(where: \.isHooked)
    let carrying = try EverySubmission.carryServiceContext()
    XCTAssertTrue(function.slots.contains(where: \.isHooked))
    XCTAssertTrue(carrying.isInstalled)
    queue.suspend()
    let late = DispatchWorkItem { note("sent item") }
    with("before") {
      queue.async { note("sent") }
      queue.async(execute: late)
    }
    XCTAssertTrue(carrying.remove())
    XCTAssertFalse(carrying.remove())
    XCTAssertFalse(carrying.isInstalled)
    with("after") { queue.async { note("late") } }
    queue.resume()
    queue.sync {}
    XCTAssertEqual(note.entries, ["sent: before", "sent item: before", "late: none"])
    XCTAssertEqual(function.slots.contains(where: \.isHooked), wasHooked)
  }

  func testAScopeEndsIt() throws {
    let note = note
    do {
      let scoped = try EverySubmission.carryServiceContext().scoped()
      XCTAssertTrue(scoped.token.isInstalled)
    }
    with("after") { queue.async { note("block") } }
    queue.sync {}
    XCTAssertEqual(note.entries, ["block: none"])
  }

  func testNothingIsKeptAfterABlockRanOrWasDropped() throws {
    let tracker = LifetimeTracker()
    try carrying {
      do {
        var context = ServiceContext.topLevel
        context[TrackedKey.self] = tracker.track()
        let cancelled = DispatchWorkItem { XCTFail("it was cancelled") }
        queue.suspend()
        let item = DispatchWorkItem {}
        ServiceContext.withValue(context) {
          queue.async {}
          queue.async(execute: item)
          queue.async(execute: cancelled)
          DispatchQueue.concurrentPerform(iterations: 3) { _ in }
        }
        cancelled.cancel()
        queue.resume()
        XCTAssertEqual(cancelled.wait(timeout: .now() + 5), .success)
      }
      queue.sync {}
      // libdispatch releases a block after its waiters have been woken.
      for _ in 0..<1000 where tracker.alive > 0 { usleep(1000) }
      tracker.expectNothingAlive()
    }
  }
}
#endif
