import BlockABI
import BlockHooks
import CFixtures
import CallTracing
import DelayedBlocks
import Dispatch
import Glibc
import Invocations
import TestSupport
import XCTest

final class TraceLimitTests: XCTestCase {
  private typealias IntBlock = @convention(block) (Int) -> Int

  func testFastCallsAreCountedAndNotRecorded() throws {
    let sink = RecordingSink()
    let clock = ManualClock()
    var options = TraceOptions()
    options.clock = clock
    options.slowThreshold = .nanoseconds(1000)
    let tracer = Tracer(sink, options: options)
    let work: IntBlock = { value in
      clock.advance(by: .nanoseconds(UInt64(value)))
      return value
    }
    try Block(work).install(.tracing(with: tracer))
    for value in [0, 999, 1000, 5, 1001] { _ = work(value) }
    tracer.flush()
    XCTAssertEqual(sink.records.map(\.durationNanoseconds), [1000, 1001])
    XCTAssertEqual(sink.records.map(\.sequence), [0, 1])
    XCTAssertEqual(tracer.counts.belowThreshold, 3)
    XCTAssertEqual(tracer.counts.delivered, 2)
  }

  func testARateLetsAFixedNumberThroughEachSecond() throws {
    let sink = RecordingSink()
    let clock = ManualClock()
    var options = TraceOptions()
    options.clock = clock
    options.recordsPerSecond = 3
    let tracer = Tracer(sink, options: options)
    let work: IntBlock = { $0 }
    try Block(work).install(.tracing(with: tracer))
    func call(_ count: Int) -> Int {
      for value in 0..<count { _ = work(value) }
      tracer.flush()
      return sink.records.count
    }
    XCTAssertEqual(call(5), 3)
    XCTAssertEqual(tracer.counts.suppressed, 2)
    clock.advance(by: .nanoseconds(333_333_000))
    XCTAssertEqual(call(1), 3)
    clock.advance(by: .nanoseconds(333))
    XCTAssertEqual(call(4), 4)
    clock.advance(by: .nanoseconds(60_000_000_000))
    XCTAssertEqual(call(5), 7)
    XCTAssertEqual(tracer.counts.suppressed, 8)
    XCTAssertEqual(sink.records.map(\.sequence), Array(0..<7))
  }

  func testARateOfNoneLetsNothingThrough() throws {
    var options = TraceOptions()
    options.recordsPerSecond = 0
    let tracer = Tracer(RecordingSink(), options: options)
    let work: IntBlock = { $0 }
    try Block(work).install(.tracing(with: tracer))
    _ = work(1)
    tracer.flush()
    XCTAssertEqual(tracer.counts.suppressed, 1)
    XCTAssertEqual(tracer.counts.delivered, 0)
  }

  /// The arguments that a tracer records of two blocks.
  private func recorded(
    include: [String] = [], exclude: [String] = []
  ) throws -> (texts: [String], hooks: [Hook]) {
    let sink = RecordingSink()
    var options = TraceOptions()
    options.include = include
    options.exclude = exclude
    let tracer = Tracer(sink, options: options)
    let add = unsafe Block(unsafePointer: try XCTUnwrap(fixture_global_adder()))
    let work: IntBlock = { $0 }
    let block = try Block(work)
    let hooks = [
      try block.install(.tracing(with: tracer)), try add.install(.tracing(with: tracer)),
    ]
    let byHook = try block.hook { call in
      try tracer.record(&call) { call in try call.proceed() }
    }
    _ = work(5)
    _ = try add.call(1, 2) as Int32
    for hook in hooks + [byHook] { XCTAssertTrue(hook.remove()) }
    tracer.flush()
    return (sink.records.map { $0.arguments.joined(separator: " ") }, hooks)
  }

  func testPatternsChooseWhatIsTraced() throws {
    let image = try XCTUnwrap(Block({ $0 } as IntBlock).implementation?.image)
    let file = try XCTUnwrap(image.split(separator: "/").last)
    let rows: [(include: [String], exclude: [String], texts: [String])] = [
      ([], [], ["i64 5", "i64 5", "i32 1 i32 2"]), (["*recorded*"], [], ["i64 5", "i64 5"]),
      ([], ["*TraceLimitTests*"], ["i32 1 i32 2"]), (["*"], ["*"], []), (["recorded"], [], []),
      ([image], [], ["i64 5", "i64 5", "i32 1 i32 2"]), ([], [String(file)], []),
      (["*_block_invoke*"], [], ["i32 1 i32 2"]),
      (["nothing", "*[_]block_invoke*"], [], ["i32 1 i32 2"]),
    ]
    for row in rows {
      XCTAssertEqual(
        try recorded(include: row.include, exclude: row.exclude).texts, row.texts,
        "\(row.include) without \(row.exclude)")
    }
  }

  func testAnExcludedBlockIsNotHookedForCalls() throws {
    XCTAssertEqual(try recorded(exclude: ["*"]).hooks.map(\.positions), [.death, .death])
  }

  func testAFullQueueDropsAndCountsExactly() throws {
    let gate = GatedSink()
    let sink = RecordingSink()
    var options = TraceOptions()
    options.queueCapacity = 10
    let tracer = Tracer([gate, sink], options: options)
    let work: IntBlock = { $0 }
    try Block(work).install(.tracing(with: tracer))
    _ = work(0)
    gate.isEntered.wait()
    // The first is with the sink: ten more have room.
    for value in 1...25 { _ = work(value) }
    XCTAssertEqual(tracer.counts.dropped, 15)
    XCTAssertEqual(tracer.counts.pending, 11)
    gate.goesOn.signal()
    tracer.flush()
    _ = work(26)
    tracer.flush()
    XCTAssertEqual(sink.records.map(\.sequence), Array(0...10) + [26])
    XCTAssertEqual(tracer.counts.delivered, 12)
    XCTAssertEqual(tracer.counts.pending, 0)
    XCTAssertEqual(tracer.counts.dropped, 15)
  }

  func testAClosedTracerDropsAndCounts() throws {
    let sink = RecordingSink()
    let tracer = Tracer(sink)
    let work: IntBlock = { $0 }
    try Block(work).install(.tracing(with: tracer))
    _ = work(1)
    tracer.close()
    XCTAssertEqual(sink.records.count, 1)
    XCTAssertEqual(sink.ends.entries, [true])
    XCTAssertEqual(work(2), 2)
    tracer.flush()
    tracer.close()
    XCTAssertEqual(sink.ends.entries, [true])
    XCTAssertEqual(tracer.counts.dropped, 1)
    XCTAssertEqual(tracer.counts.delivered, 1)
  }

  func testUnderLoadEveryCallIsDeliveredOrCounted() throws {
    let buffer = TraceBuffer(capacity: 100)
    let sink = RecordingSink()
    var options = TraceOptions()
    options.queueCapacity = 500
    let tracer = Tracer([buffer, sink], options: options)
    let work: IntBlock = { $0 }
    let block = try Block(work)
    try block.install(.tracing(with: tracer))
    DispatchQueue.concurrentPerform(iterations: 8) { _ in
      for value in 0..<2000 { _ = try? block.call(value) as Int }
    }
    tracer.flush()
    let counts = tracer.counts
    XCTAssertEqual(counts.delivered + counts.dropped, 16_000)
    XCTAssertEqual(counts.pending, 0)
    XCTAssertEqual(sink.records.count, counts.delivered)
    XCTAssertEqual(buffer.statistics.map { Int($0.durations.count) }, [counts.delivered])
    // Sequence numbers grow, and the gaps are what was dropped.
    let sequences = sink.records.map(\.sequence)
    XCTAssertEqual(sequences, sequences.sorted())
    XCTAssertEqual(Set(sequences).count, counts.delivered)
    XCTAssertLessThan(sequences.last ?? 0, 16_000)
  }

  func testRemovingTheHookFreesTheTracerAndItsSinks() throws {
    let tracker = LifetimeTracker()
    let isReleased = DispatchSemaphore(value: 0)
    let work: IntBlock = { $0 }
    let block = try Block(work)
    let hook = try block.install(
      .tracing(with: Tracer(RecordingSink(tracker.track(), whenReleased: isReleased))))
    _ = work(1)
    XCTAssertEqual(tracker.alive, 1)
    hook.remove()
    XCTAssertEqual(isReleased.wait(timeout: .now() + 20), .success)
    // The sink's own end is under way; what it kept goes with it.
    while tracker.alive > 0 { sched_yield() }
    tracker.expectNothingAlive()
  }

  func testClosingLetsGoOfTheSinks() throws {
    let tracker = LifetimeTracker()
    let tracer = Tracer(RecordingSink(tracker.track()))
    tracer.close()
    tracker.expectNothingAlive()
  }

  func testABlockThatDiesFreesTheTracer() throws {
    let isReleased = DispatchSemaphore(value: 0)
    do {
      let object = LifetimeTracker()
      let work: IntBlock = { $0 + object.alive }
      try Block(work).install(.tracing(with: Tracer(RecordingSink(whenReleased: isReleased))))
      _ = work(1)
    }
    XCTAssertEqual(isReleased.wait(timeout: .now() + 20), .success)
  }
}
