import BlockABI
import BlockHooks
import CFixtures
import CallTracing
import DelayedBlocks
import Dispatch
import Foundation
import Glibc
import Invocations
import Synchronization
import TestSupport
import XCTest

final class TraceNestingTests: XCTestCase {
  private typealias IntBlock = @convention(block) (Int) -> Int

  func testCallsInsideACallAreDeeperAndIndented() throws {
    let lines = Recorder<String>()
    let sink = RecordingSink()
    let clock = ManualClock()
    var options = TraceOptions()
    options.clock = clock
    let tracer = Tracer([sink, TextTraceSink(TraceOutput(lines.record))], options: options)
    let inner: IntBlock = { value in
      clock.advance(by: .nanoseconds(1_500))
      return value + 1
    }
    let innerBlock = try Block(inner)
    let outer: IntBlock = { value in
      clock.advance(by: .nanoseconds(12_000_000))
      return (try? innerBlock.call(innerBlock.call(value) as Int)) ?? 0
    }
    try innerBlock.install(.tracing(with: tracer))
    try Block(outer).install(.tracing(with: tracer))
    XCTAssertEqual(outer(1), 3)
    tracer.close()

    XCTAssertEqual(sink.records.map(\.depth), [1, 1, 0])
    let (innerName, outerName) = (
      sink.records[0].subject.shortName ?? "", sink.records[2].subject.shortName ?? ""
    )
    let number = "\(sink.records[0].thread)"
    let thread = String(repeating: " ", count: 7 - number.count) + number
    XCTAssertEqual(
      written(lines),
      """
             duration   thread  call, indented by its depth; calls inside of it stand above it
             1.500 µs  \(thread)    \(innerName)(i64 1) = i64 2
             1.500 µs  \(thread)    \(innerName)(i64 2) = i64 3
             12.00 ms  \(thread)  \(outerName)(i64 1) = i64 3

      """)
  }

  func testARecursionIsAsDeepAsItsCalls() throws {
    let sink = RecordingSink()
    let tracer = Tracer(sink)
    let blocks = Recorder<Block>()
    let count: IntBlock = { value in
      value == 0 ? 0 : 1 + ((try? blocks.entries[0].call(value - 1) as Int) ?? 0)
    }
    blocks.record(try Block(count))
    let hook = try blocks.entries[0].install(.tracing(with: tracer))
    XCTAssertEqual(count(4), 4)
    hook.remove()
    tracer.flush()
    XCTAssertEqual(sink.records.map(\.depth), [4, 3, 2, 1, 0])
    XCTAssertEqual(sink.records.map(\.arguments), (0...4).map { ["i64 \($0)"] })
  }

  func testEachTracerCountsItsOwnDepth() throws {
    // More than have places of their own.
    let sinks = (0..<20).map { _ in RecordingSink() }
    let tracers = sinks.map { Tracer($0) }
    let work: IntBlock = { $0 }
    let block = try Block(work)
    for tracer in tracers { try block.install(.tracing(with: tracer)) }
    _ = work(1)
    for tracer in tracers { tracer.flush() }
    let depths = sinks.flatMap(\.records).map(\.depth)
    XCTAssertEqual(depths.count, 20)
    XCTAssertEqual(depths.prefix(10), [0, 0, 0, 0, 0, 0, 0, 0, 0, 0])
  }

  func testEachThreadHasItsOwnNumberAndDepth() throws {
    let sink = RecordingSink()
    let tracer = Tracer(sink)
    let bothInside = DispatchSemaphore(value: 0)
    let goOn = DispatchSemaphore(value: 0)
    let work: IntBlock = { value in
      bothInside.signal()
      goOn.wait()
      return value
    }
    let block = try Block(work)
    try block.install(.tracing(with: tracer))
    let group = DispatchGroup()
    for value in 0..<2 {
      let thread = Thread {
        _ = try? block.call(value) as Int; group.leave()
      }
      group.enter()
      thread.start()
    }
    bothInside.wait()
    bothInside.wait()
    goOn.signal()
    goOn.signal()
    group.wait()
    tracer.flush()
    XCTAssertEqual(sink.records.map(\.depth), [0, 0])
    XCTAssertEqual(Set(sink.records.map(\.thread)).count, 2)
    XCTAssertEqual(Set(sink.records.flatMap(\.arguments)), ["i64 0", "i64 1"])
  }

  private static let forkedTracer = Mutex<Tracer?>(nil)

  func testAForkedChildTracesNothingAndWaitsForNothing() throws {
    let sink = RecordingSink()
    let tracer = Tracer(sink)
    let adder = unsafe try XCTUnwrap(fixture_heap_adder(5))
    defer { unsafe fixture_release(adder) }
    let block = unsafe Block(unsafePointer: adder)
    try block.install(.tracing(with: tracer))
    XCTAssertEqual(try block.call(1) as Int32, 6)
    tracer.flush()
    Self.forkedTracer.withLock { $0 = tracer }
    defer { Self.forkedTracer.withLock { $0 = nil } }
    let status = unsafe fixture_fork(
      { context in
        // A child that waits is ended.
        alarm(20)
        guard let context = unsafe context else { return 1 }
        let result = unsafe fixture_call_int(context, 2)
        TraceNestingTests.forkedTracer.withLock { $0 }?.flush()
        TraceNestingTests.forkedTracer.withLock { $0 }?.close()
        return result
      }, UnsafeMutableRawPointer(mutating: adder))
    XCTAssertEqual(status, 7)
    XCTAssertEqual(try block.call(3) as Int32, 8)
    tracer.flush()
    XCTAssertEqual(sink.records.map(\.arguments), [["i32 1"], ["i32 3"]])
  }

  func testWhatASinkCallsIsNotTraced() throws {
    final class CallingSink: TraceSink {
      let results = Recorder<Int>()
      let block = Recorder<Block>()
      let tracer = Recorder<Tracer>()

      func receive(_ records: [TraceRecord]) {
        for block in block.entries { results.record((try? block.call(7) as Int) ?? -1) }
        for tracer in tracer.entries {
          tracer.flush()
          tracer.close()
        }
      }
    }
    let sink = CallingSink()
    let seen = RecordingSink()
    let tracer = Tracer([sink, seen])
    let work: IntBlock = { $0 * 2 }
    let block = try Block(work)
    sink.block.record(block)
    let hook = try block.install(.tracing(with: tracer))
    XCTAssertEqual(work(1), 2)
    tracer.flush()
    XCTAssertEqual(sink.results.entries, [14])
    XCTAssertEqual(seen.records.map(\.arguments), [["i64 1"]])
    // Nor does a sink wait for itself.
    sink.tracer.record(tracer)
    XCTAssertEqual(work(2), 4)
    tracer.flush()
    XCTAssertEqual(sink.results.entries, [14, 14])
    hook.remove()
  }
}
