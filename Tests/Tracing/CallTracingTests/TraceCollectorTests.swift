import BlockABI
import BlockHooks
import CFixtures
import CallTracing
import Foundation
import Glibc
import Synchronization
import TestSupport
import XCTest

/// The streams of several processes, gathered in one order.
final class TraceCollectorTests: XCTestCase {
  private typealias IntBlock = @convention(block) (Int) -> Int

  /// Where a forked child puts its stream.
  private static let directory = Mutex("")

  /// Traces a call in a child that makes a stream of its own.
  private func traceInAChild(_ directory: String) throws {
    Self.directory.withLock { $0 = directory }
    let adder = unsafe try XCTUnwrap(fixture_heap_adder(5))
    defer { unsafe fixture_release(adder) }
    let status = unsafe fixture_fork(
      { context in
        alarm(20)
        let directory = TraceCollectorTests.directory.withLock { $0 }
        guard let context = unsafe context,
          let writer = try? TraceStreamWriter(directory: directory, capacity: 1 << 16),
          let _ = unsafe try? Block(unsafePointer: context).install(.tracing(with: Tracer(writer)))
        else { return 1 }
        return unsafe fixture_call_int(context, 2)
      }, UnsafeMutableRawPointer(mutating: adder))
    XCTAssertEqual(status, 7)
  }

  func testTheCallsOfSeveralProcessesComeInOneOrder() throws {
    let directory = try temporaryDirectory(self)
    let sink = RecordingSink()
    let collector = TraceCollector(directory: directory, sinks: [sink])
    XCTAssertFalse(collector.collect())
    let writer = try TraceStreamWriter(directory: directory, capacity: 1 << 16)
    let double: IntBlock = { $0 * 2 }
    try Block(double).install(.tracing(with: Tracer(writer)))
    XCTAssertEqual(double(1), 2)
    try traceInAChild(directory)
    XCTAssertEqual(double(3), 6)
    XCTAssertTrue(collector.collect())
    XCTAssertEqual(double(4), 8)
    collector.finish()
    XCTAssertEqual(
      sink.records.map(\.arguments), [["i64 1"], ["i32 2"], ["i64 3"], ["i64 4"]])
    XCTAssertEqual(sink.records.map(\.sequence), [0, 1, 2, 3])
    XCTAssertEqual(sink.ends.entries.count, 1)
    XCTAssertEqual(collector.counts.calls, 4)
    XCTAssertEqual(collector.counts.programs, 2)
    XCTAssertEqual(collector.counts.running, 1)
    XCTAssertEqual(collector.errors, [])
    // This process can still write to its own, but finds no room, and its memory is given back.
    let rest = try streams(in: directory)
    XCTAssertEqual(rest.count, 1)
    let dropped = writer.droppedCount
    XCTAssertEqual(double(5), 10)
    XCTAssertEqual(writer.droppedCount, dropped + 1)
    var status = stat()
    // SAFETY: the status is the variable.
    XCTAssertEqual(unsafe stat(try XCTUnwrap(rest.first), &status), 0)
    // The emulator passes no advice about memory on to the kernel.
    if !isEmulated { XCTAssertLessThan(status.st_blocks * 512, 1 << 15) }
    withExtendedLifetime(double) {}
  }

  func testACallThatHasNotEndedIsGivenAtTheEnd() throws {
    let directory = try temporaryDirectory(self)
    let sink = RecordingSink()
    let collector = TraceCollector(directory: directory, sinks: [sink])
    let writer = try TraceStreamWriter(directory: directory, capacity: 1 << 16)
    let inner: IntBlock = { $0 }
    let outer: IntBlock = { value in
      _ = inner(value + 1)
      collector.finish()
      return value
    }
    for block in [try Block(inner), try Block(outer)] {
      try block.install(.tracing(with: Tracer(writer)))
    }
    XCTAssertEqual(outer(5), 5)
    XCTAssertEqual(sink.records.map(\.arguments), [["i64 6"], ["i64 5"]])
    XCTAssertEqual(sink.records.map(\.outcome), [.returned, .unfinished])
    XCTAssertEqual(collector.unfinishedRecords.map(\.arguments), [["i64 5"]])
    withExtendedLifetime(inner) { withExtendedLifetime(outer) {} }
  }

  func testCallsThatFoundNoRoomCountWhileTheirProcessRuns() throws {
    let directory = try temporaryDirectory(self)
    let collector = TraceCollector(directory: directory, sinks: [])
    let writer = try TraceStreamWriter(directory: directory, capacity: 1 << 12)
    let double: IntBlock = { $0 * 2 }
    try Block(double).install(.tracing(with: Tracer(writer)))
    for number in 0..<1000 { XCTAssertEqual(double(number), number * 2) }
    XCTAssertGreaterThan(writer.droppedCount, 0)
    _ = collector.collect()
    XCTAssertEqual(collector.counts.dropped, writer.droppedCount)
    let counts = collector.counts
    collector.finish()
    XCTAssertEqual(collector.counts.dropped, counts.dropped)
    XCTAssertEqual(collector.counts.missing, counts.missing)
    withExtendedLifetime(double) {}
  }

  func testADamagedStreamDoesNotHoldUpTheOthers() throws {
    let directory = try temporaryDirectory(self)
    let sink = RecordingSink()
    let collector = TraceCollector(directory: directory, sinks: [sink])
    try Data(repeating: 7, count: 8192).write(
      to: URL(fileURLWithPath: directory + "/damaged.trace"))
    try Data().write(to: URL(fileURLWithPath: directory + "/made.new"))
    let writer = try TraceStreamWriter(directory: directory, capacity: 1 << 16)
    let double: IntBlock = { $0 * 2 }
    try Block(double).install(.tracing(with: Tracer(writer)))
    XCTAssertEqual(double(1), 2)
    for _ in 0..<3 { _ = collector.collect() }
    collector.finish()
    XCTAssertEqual(sink.records.map(\.result), ["i64 2"])
    XCTAssertEqual(collector.errors.map(\.code), [.damagedTrace])
    XCTAssertEqual(collector.counts.programs, 1)
    XCTAssertEqual(try streams(in: directory).count, 1, "that of this process")
    withExtendedLifetime(double) {}
  }
}
