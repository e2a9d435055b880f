import BlockHooks
import CallTracing
import Foundation
import Glibc
import Invocations
import QueueTracing
import SymbolInterposing
import Synchronization
import TestSupport
import XCTest

// SAFETY, for the whole file: the library is compiled here, so its functions are known.

/// Traces of queues that begin and end in this process.
final class QueueTraceTests: XCTestCase {
  override func setUpWithError() throws {
    try XCTSkipIf(isSanitized, "sanitizers have functions of their own in libdispatch's place")
  }

  private static let source = """
    #include <errno.h>
    #include <stddef.h>
    typedef void *queue_t;
    extern queue_t dispatch_queue_create(const char *label, void *attributes);
    extern void dispatch_async(queue_t queue, void (^block)(void));
    extern void dispatch_sync(queue_t queue, void (^block)(void));
    extern void dispatch_async_f(queue_t queue, void *context, void (*function)(void *));
    extern void dispatch_suspend(void *object);
    extern void dispatch_resume(void *object);
    static queue_t queue;
    static int calls;
    static void tracked_function(void *context) { __atomic_fetch_add((int *)context, 1, 5); }
    void tracked_create(void) { queue = dispatch_queue_create("tracked", NULL); }
    void tracked_send(void) {
      int *place = &calls;
      dispatch_async(queue, ^{ __atomic_fetch_add(place, 1, 5); });
      dispatch_async_f(queue, &calls, tracked_function);
    }
    void tracked_suspend(void) { dispatch_suspend(queue); }
    void tracked_resume(void) { dispatch_resume(queue); }
    int tracked_wait(void) {
      dispatch_sync(queue, ^{});
      return __atomic_load_n(&calls, 5);
    }
    int tracked_error(void) {
      errno = 77;
      tracked_send();
      return errno;
    }
    """

  /// The library, compiled and loaded for one test.
  @safe
  private struct Client {
    private let library: LoadedLibrary

    init(_ test: XCTestCase, _ name: String) throws {
      library = try LoadedLibrary(test, name, source: QueueTraceTests.source)
      try callAsFunction("create")
    }

    @discardableResult
    func callAsFunction(_ name: String) throws -> Int32 {
      typealias Function = @convention(c) () -> Int32
      let address = unsafe try library.address(of: "tracked_\(name)")
      return unsafe unsafeBitCast(address, to: Function.self)()
    }
  }

  /// A trace of everything that this process sends.
  private struct Trace {
    private let directory: String
    private let reader: TraceStreamReader
    private let everyBlock: Hook
    private let queues: QueueTrace

    init(_ test: XCTestCase) throws {
      let directory = NSTemporaryDirectory() + "queue-trace-\(UUID().uuidString)"
      try FileManager.default.createDirectory(
        atPath: directory, withIntermediateDirectories: false)
      test.addTeardownBlock { try? FileManager.default.removeItem(atPath: directory) }
      self.directory = directory
      let tracer = Tracer(try TraceStreamWriter(directory: directory, capacity: 1 << 20))
      let file = try XCTUnwrap(FileManager.default.contentsOfDirectory(atPath: directory).first)
      reader = try TraceStreamReader(path: "\(directory)/\(file)")
      queues = try XCTUnwrap(try QueueTrace.begin(with: tracer))
      everyBlock = try EveryBlock().install(.tracing(with: tracer))
    }

    func remove() {
      queues.remove()
      everyBlock.remove()
    }

    func removeQueues() { queues.remove() }

    /// The calls on the client's queue.
    func calls() throws -> [TraceRecord] {
      var records: [TraceRecord] = []
      _ = try reader.read(into: &records)
      return records.filter { $0.kind == .call && $0.queue?.label == "tracked" }
    }
  }

  func testWhatIsSentIsRecordedUntilTheTraceEnds() throws {
    let trace = try Trace(self)
    defer { trace.remove() }
    let client = try Client(self, "tracked_until")
    try client("send")
    XCTAssertEqual(try client("wait"), 2)
    let calls = try trace.calls().filter { $0.submission?.callers.first?.name == "tracked_send" }
    XCTAssertEqual(calls.count, 2)
    XCTAssertTrue(calls.contains { $0.subject.name == "tracked_function" }, "\(calls)")
    XCTAssertEqual(calls.map { $0.queue?.isSerial }, [true, true])
    XCTAssertTrue(calls.allSatisfy { $0.waitedNanoseconds != nil })
    trace.remove()
    trace.remove()
    try client("send")
    XCTAssertEqual(try client("wait"), 4)
    XCTAssertEqual(try trace.calls().count, 0)
  }

  func testWhatWasSentBeforeTheEndRunsAfterIt() throws {
    let trace = try Trace(self)
    defer { trace.remove() }
    let client = try Client(self, "tracked_after")
    try client("suspend")
    try client("send")
    trace.remove()
    try client("send")
    try client("resume")
    XCTAssertEqual(try client("wait"), 4)
    // The function that was sent during the trace still reports its call; nothing else does.
    XCTAssertEqual(try trace.calls().map(\.subject.name), ["tracked_function"])
  }

  func testBlocksAreStillTracedWithoutTheTraceOfQueues() throws {
    let trace = try Trace(self)
    defer { trace.remove() }
    let client = try Client(self, "tracked_blocks")
    trace.removeQueues()
    try client("send")
    XCTAssertEqual(try client("wait"), 2)
    let calls = try trace.calls()
    XCTAssertEqual(calls.filter { $0.submission != nil }.count, 0, "\(calls)")
    XCTAssertTrue(calls.contains { $0.subject.name == "__tracked_send_block_invoke" }, "\(calls)")
  }

  func testTheErrorNumberIsKept() throws {
    let trace = try Trace(self)
    defer { trace.remove() }
    let client = try Client(self, "tracked_error")
    for _ in 0..<3 { XCTAssertEqual(try client("error"), 77) }
    XCTAssertEqual(try client("wait"), 6)
  }

  func testAHookBesideSeesEachCallOnce() throws {
    let calls = Atomic<Int>(0)
    let client = try Client(self, "tracked_beside")
    let function = unsafe try ImportedFunction(
      "dispatch_async_f", signature: "v^v^v^v", in: .only("libtracked_beside.so"))
    func install() throws -> Hook {
      try function.hook { call in
        calls.add(1, ordering: .relaxed)
        try call.proceed()
      }
    }
    // Before the trace, and during it.
    for isFirst in [true, false] {
      calls.store(0, ordering: .relaxed)
      var hook = isFirst ? try install() : nil
      let trace = try Trace(self)
      defer { trace.remove() }
      if hook == nil { hook = try install() }
      try client("send")
      try client("send")
      try client("wait")
      XCTAssertEqual(calls.load(ordering: .relaxed), 2, "\(isFirst)")
      let functions = try trace.calls().filter { $0.subject.name == "tracked_function" }
      XCTAssertEqual(functions.count, 2, "\(isFirst)")
      XCTAssertTrue(
        functions.allSatisfy { $0.submission?.callers.first?.name == "tracked_send" }, "\(isFirst)")
      trace.remove()
      try client("send")
      try client("wait")
      XCTAssertEqual(calls.load(ordering: .relaxed), 3, "\(isFirst)")
      hook?.remove()
    }
  }

  func testTracesBeginAndEndWhileThreadsSend() throws {
    let client = try Client(self, "tracked_load")
    let group = ThreadGroup()
    let isDone = Atomic<Bool>(false)
    let sent = Atomic<Int32>(0)
    for _ in 0..<4 {
      group.start {
        while !isDone.load(ordering: .relaxed) {
          _ = try? client("send")
          sent.add(2, ordering: .relaxed)
          usleep(50)
        }
      }
    }
    for _ in 0..<shortened(20) {
      let trace = try Trace(self)
      usleep(5000)
      trace.remove()
    }
    isDone.store(true, ordering: .relaxed)
    group.wait()
    XCTAssertEqual(try client("wait"), sent.load(ordering: .relaxed))
  }
}
