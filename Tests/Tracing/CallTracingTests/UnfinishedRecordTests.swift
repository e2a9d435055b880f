import BlockABI
import BlockHooks
import CFixtures
import CallTracing
import Foundation
import Glibc
import Synchronization
import TestSupport
import XCTest

/// Records that are reserved and not finished: a living writer is waited for, a dead one passed
/// over.
final class UnfinishedRecordTests: XCTestCase {
  private typealias IntBlock = @convention(block) (Int) -> Int

  private let sink = RecordingSink()
  private var directory = ""
  private var collector: TraceCollector?
  private var writer: TraceStreamWriter?
  private var path = ""

  override func setUpWithError() throws {
    directory = try temporaryDirectory(self)
    writer = try TraceStreamWriter(directory: directory, capacity: 1 << 16)
    path = try XCTUnwrap(streams(in: directory).first)
    collector = TraceCollector(directory: directory, sinks: [sink])
  }

  /// A body that says the name of a thread.
  private let body: [UInt8] = [2, 0, 0, 0] + [UInt8](repeating: 0, count: 12) + [1, 0, 0, 0, 0x74]

  /// A child that was known to the stream, and is dead.
  private func deadProcess() throws -> Int32 {
    let child = fixture_fork_here()
    if child == 0 { _exit(0) }
    XCTAssertEqual(waitpid(child, nil, 0), child)
    return child
  }

  private func begin(_ process: Int32) throws -> UnsafeMutableRawPointer {
    // SAFETY: the bytes are read within the call.
    unsafe try XCTUnwrap(fixture_begin_record(path, process, body, UInt(body.count)))
  }

  private func collect() throws {
    for _ in 0..<20 { _ = try XCTUnwrap(collector).collect() }
  }

  func testTheRecordOfALivingWriterIsWaitedForAlsoWhenAChildHasEnded() throws {
    _ = try deadProcess()
    let work: IntBlock = { $0 }
    try Block(work).install(.tracing(with: Tracer(XCTUnwrap(writer))))
    _ = work(1)
    let record = unsafe try begin(getpid())
    _ = work(2)
    try collect()
    XCTAssertEqual(sink.records.map(\.arguments), [["i64 1"]])
    unsafe fixture_finish_record(record)
    _ = work(3)
    try collect()
    XCTAssertEqual(sink.records.map(\.arguments), [["i64 1"], ["i64 2"], ["i64 3"]])
    XCTAssertEqual(collector?.errors, [])
  }

  func testTheRecordsOfADeadWriterArePassedOverAndNoOthers() throws {
    let dead = try deadProcess()
    let work: IntBlock = { $0 }
    try Block(work).install(.tracing(with: Tracer(XCTUnwrap(writer))))
    for round in 1...3 {
      _ = work(round)
      _ = unsafe try begin(dead)
    }
    let record = unsafe try begin(getpid())
    _ = work(4)
    for _ in 0..<3 { try collect() }
    XCTAssertEqual(sink.records.map(\.arguments), [["i64 1"], ["i64 2"], ["i64 3"]])
    unsafe fixture_finish_record(record)
    try collect()
    XCTAssertEqual(sink.records.count, 4)
    XCTAssertEqual(collector?.errors, [])
  }

  func testAProcessWhoseFirstThreadEndedIsAlive() throws {
    try XCTSkipIf(isSanitized, "ThreadSanitizer ends a forked child that starts a thread")
    let process = fixture_leaderless_process()
    defer {
      kill(process, SIGKILL)
      waitpid(process, nil, 0)
    }
    let work: IntBlock = { $0 }
    try Block(work).install(.tracing(with: Tracer(XCTUnwrap(writer))))
    // Its first thread is a zombie soon.
    while try !isZombie(process) { sched_yield() }
    let record = unsafe try begin(process)
    _ = work(1)
    try collect()
    XCTAssertEqual(sink.records.count, 0)
    unsafe fixture_finish_record(record)
    try collect()
    XCTAssertEqual(sink.records.count, 1)
  }

  private func isZombie(_ process: Int32) throws -> Bool {
    try String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8).contains(") Z ")
  }

  func testANumberOfAnotherNamespaceIsNotBelieved() throws {
    let dead = try deadProcess()
    let work: IntBlock = { $0 }
    try Block(work).install(.tracing(with: Tracer(XCTUnwrap(writer))))
    // Where a stream has the namespace of its processes' numbers.
    let file = unsafe open(path, O_RDWR)
    var namespace: UInt64 = 1
    // SAFETY: the buffer is the variable.
    XCTAssertEqual(unsafe pwrite(file, &namespace, 8, 40), 8)
    close(file)
    let record = unsafe try begin(dead)
    _ = work(1)
    for _ in 0..<3 { try collect() }
    XCTAssertEqual(sink.records.count, 0)
    unsafe fixture_finish_record(record)
    try collect()
    XCTAssertEqual(sink.records.count, 1)
  }

  func testTheLastReadWaitsForNobodyAndTakesNothingFromTheLiving() throws {
    _ = try deadProcess()
    let work: IntBlock = { $0 }
    try Block(work).install(.tracing(with: Tracer(XCTUnwrap(writer))))
    let record = unsafe try begin(getpid())
    _ = work(1)
    try XCTUnwrap(collector).finish()
    XCTAssertEqual(sink.records.count, 0)
    // Nothing was given back: what the writer finishes is where it was.
    unsafe fixture_finish_record(record)
    XCTAssertEqual(unsafe record.load(as: UInt8.self), 2)
  }

  func testNoRecordOfManyThreadsIsLostAfterAChildHasEnded() throws {
    _ = try deadProcess()
    let tracer = Tracer(try XCTUnwrap(writer))
    let (threads, rounds) = (8, 4000)
    let group = ThreadGroup()
    let running = Atomic<Int>(threads)
    let work: @Sendable () -> Void = {
      let add: IntBlock = { $0 }
      if let block = try? Block(add), (try? block.install(.tracing(with: tracer))) != nil {
        for round in 0..<rounds { _ = add(round) }
      }
      withExtendedLifetime(add) {}
      running.subtract(1, ordering: .releasing)
    }
    for _ in 0..<threads { group.start { work() } }
    while running.load(ordering: .acquiring) > 0 { _ = collector?.collect() }
    group.wait()
    _ = collector?.collect()
    collector?.finish()
    let counts = try XCTUnwrap(collector).counts
    XCTAssertEqual(collector?.errors, [])
    XCTAssertEqual(counts.calls + counts.dropped, threads * rounds)
    XCTAssertEqual(collector?.unfinishedRecords.count, 0)
  }
}
