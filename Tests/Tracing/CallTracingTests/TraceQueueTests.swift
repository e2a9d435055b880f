import BlockABI
import BlockHooks
import CFixtures
import CallTracing
import Dispatch
import Invocations
import Synchronization
import TestSupport
import XCTest

/// Calls that wait for the sinks, in memory that their threads do not own.
final class TraceQueueTests: XCTestCase {
  private typealias IntBlock = @convention(block) (Int) -> Int

  func testATracedCallAllocatesNothing() throws {
    let work: IntBlock = { $0 }
    let tracer = Tracer(TraceBuffer())
    try Block(work).install(.tracing(with: tracer))
    _ = work(1)
    let call = Calls(work)
    let count = unsafe fixture_allocations(
      { context in
        guard let context = unsafe context else { return }
        let call = unsafe Unmanaged<Calls>.fromOpaque(context).takeUnretainedValue()
        for value in 0..<100 { _ = call.work(value) }
      }, Unmanaged.passUnretained(call).toOpaque())
    XCTAssertEqual(count, 0)
    tracer.flush()
    XCTAssertEqual(tracer.counts.delivered, 101)
  }

  private final class Calls {
    let work: IntBlock
    init(_ work: @escaping IntBlock) { self.work = work }
  }

  func testCodeThatEndsWhileItsCallsWaitIsInTheirRecords() throws {
    let gate = GatedSink()
    let isReleased = DispatchSemaphore(value: 0)
    let recorder = Recorder<TraceRecord>()
    func trace() throws -> String? {
      let sink = ForwardingSink(recorder, whenReleased: isReleased)
      let tracer = Tracer([gate, sink])
      let work: IntBlock = { $0 + 1 }
      let echo = try Block(signature: "i@?*") { call in try call.setResult(Int32(7)) }
      let hooks = [
        try Block(work).install(.tracing(with: tracer)), try echo.install(.tracing(with: tracer)),
      ]
      _ = work(0)
      gate.isEntered.wait()
      for value in 1...10 {
        _ = work(value)
        _ = try echo.call("text \(value)") as Int32
      }
      XCTAssertEqual(tracer.counts.pending, 21)
      for hook in hooks { hook.remove() }
      return try Block(work).implementation?.name
    }
    let name = try trace()
    // Neither hooks nor tracer are there any more.
    gate.goesOn.signal()
    XCTAssertEqual(isReleased.wait(timeout: .now() + 20), .success)
    let records = recorder.entries
    XCTAssertEqual(records.count, 21)
    let numbers = records.filter { $0.subject.name == name }
    XCTAssertEqual(numbers.map(\.arguments), (0...10).map { ["i64 \($0)"] })
    XCTAssertEqual(numbers.map(\.result), (0...10).map { "i64 \($0 + 1)" })
    let texts = records.filter { $0.subject.name != name }
    XCTAssertEqual(texts.map(\.arguments), (1...10).map { ["\"text \($0)\""] })
    XCTAssertEqual(texts.map(\.result), Array(repeating: "i32 7", count: 10))
  }

  /// Keeps records beyond its own life.
  private final class ForwardingSink: TraceSink {
    private let recorder: Recorder<TraceRecord>
    private let whenReleased: DispatchSemaphore

    init(_ recorder: Recorder<TraceRecord>, whenReleased: DispatchSemaphore) {
      self.recorder = recorder
      self.whenReleased = whenReleased
    }

    deinit { whenReleased.signal() }

    func receive(_ records: [TraceRecord]) { records.forEach(recorder.record) }
  }

  func testATracerThatClosesUnderLoadDeliversOrCountsEveryCall() throws {
    for round in 0..<20 {
      let sink = RecordingSink()
      var options = TraceOptions()
      options.queueCapacity = 50
      options.deliveryDelay = .zero
      let tracer = Tracer(sink, options: options)
      let work: IntBlock = { $0 }
      let block = try Block(work)
      try block.install(.tracing(with: tracer))
      let (threads, calls) = (4, 300)
      let group = ThreadGroup()
      for _ in 0..<threads {
        group.start { for value in 0..<calls { _ = try? block.call(value) as Int } }
      }
      if round % 2 == 1 { sched_yield() }
      tracer.close()
      group.wait()
      let counts = tracer.counts
      XCTAssertEqual(counts.delivered + counts.dropped, threads * calls)
      XCTAssertEqual(counts.pending, 0)
      XCTAssertEqual(sink.records.count, counts.delivered)
      XCTAssertEqual(sink.ends.entries, [true])
    }
  }

  func testFlushWaitsForTheCallsOfItsOwnThread() throws {
    let sink = RecordingSink()
    let tracer = Tracer(sink)
    let work: IntBlock = { $0 }
    let block = try Block(work)
    try block.install(.tracing(with: tracer))
    let isOver = Atomic<Bool>(false)
    let group = ThreadGroup()
    group.start {
      while !isOver.load(ordering: .relaxed) { _ = try? block.call(-1) as Int }
    }
    for value in 0..<200 {
      _ = work(value)
      tracer.flush()
      // Another thread's calls may have left no room.
      let isThere = sink.records.contains { $0.arguments == ["i64 \(value)"] }
      XCTAssertTrue(isThere || tracer.counts.dropped > 0)
      if sink.records.count > 10_000 { break }
    }
    isOver.store(true, ordering: .relaxed)
    group.wait()
    tracer.close()
  }

  func testAQueueOfAnyCapacityIsUsable() throws {
    for capacity in [.min, -1, 0, 1, 3, 1 << 20, .max] {
      let sink = RecordingSink()
      var options = TraceOptions()
      options.queueCapacity = capacity
      let tracer = Tracer(sink, options: options)
      let work: IntBlock = { $0 }
      try Block(work).install(.tracing(with: tracer))
      for value in 0..<20 {
        _ = work(value)
        tracer.flush()
      }
      tracer.close()
      XCTAssertEqual(sink.records.map(\.sequence), Array(0..<20), "\(capacity)")
    }
  }
}
