import BlockABI
import BlockHooks
import CFixtures
import CallTracing
import Glibc
import Invocations
import Synchronization
import TestSupport
import XCTest

/// How a collector tells whether a stream's processes live: by what the kernel keeps for them.
final class LivingWriterTests: XCTestCase {
  private typealias IntBlock = @convention(block) (Int) -> Int

  private let sink = RecordingSink()
  private var second: UInt64 = 0

  /// Collects at times that are far apart.
  private func collect(_ collector: TraceCollector) {
    for _ in 0..<20 {
      second += 1
      _ = collector.collect(at: second * 1_000_000_000)
    }
  }

  /// The call with an argument of a block that is traced to a stream.
  private func call(_ argument: Int, _ writer: TraceStreamWriter) throws {
    let work: IntBlock = { $0 }
    try Block(work).install(.tracing(with: Tracer(writer)))
    XCTAssertEqual(work(argument), argument)
  }

  func testAStreamEndsWithItsWriterAndNotBefore() throws {
    let directory = try temporaryDirectory(self)
    let collector = TraceCollector(directory: directory, sinks: [sink])
    var writer: TraceStreamWriter? = try TraceStreamWriter(directory: directory, capacity: 1 << 16)
    try call(1, XCTUnwrap(writer))
    collect(collector)
    XCTAssertEqual(try streams(in: directory).count, 1)
    try call(2, XCTUnwrap(writer))
    collect(collector)
    XCTAssertEqual(sink.records.map(\.arguments), [["i64 1"], ["i64 2"]])
    writer = nil
    collect(collector)
    XCTAssertEqual(try streams(in: directory), [])
    collector.finish()
    XCTAssertEqual(collector.counts.running, 0)
  }

  func testAForkKeepsAStreamWhoseCreatorIsGone() throws {
    let directory = try temporaryDirectory(self)
    let collector = TraceCollector(directory: directory, sinks: [sink])
    var writer: TraceStreamWriter? = try TraceStreamWriter(directory: directory, capacity: 1 << 16)
    try call(1, XCTUnwrap(writer))
    let child = fixture_fork_here()
    if child == 0 {
      alarm(60)
      // Programs close what they do not know.
      for file in 3..<1024 as Range<Int32> { close(file) }
      while true { pause() }
    }
    writer = nil
    collect(collector)
    XCTAssertEqual(try streams(in: directory).count, 1)
    kill(child, SIGKILL)
    waitpid(child, nil, 0)
    collect(collector)
    XCTAssertEqual(try streams(in: directory), [])
    XCTAssertEqual(sink.records.map(\.arguments), [["i64 1"]])
  }

  /// What the process in another namespace uses.
  private struct Remote: Sendable {
    let directory: String
    let said: [Int32]
    let told: [Int32]
  }

  private static let remote = Mutex<Remote?>(nil)

  func testCallsInAnotherNamespaceOfProcessesAreKept() throws {
    try XCTSkipIf(isSanitized, "ThreadSanitizer ends a forked child that forks")
    let directory = try temporaryDirectory(self)
    let collector = TraceCollector(directory: directory, sinks: [sink])
    var (said, told) = ([Int32](repeating: 0, count: 2), [Int32](repeating: 0, count: 2))
    // SAFETY: the arrays have room for the two files of a pipe.
    XCTAssertEqual(unsafe pipe(&said), 0)
    XCTAssertEqual(unsafe pipe(&told), 0)
    let remote = Remote(directory: directory, said: said, told: told)
    Self.remote.withLock { $0 = remote }
    let status = Atomic<Int32>(-1)
    let group = ThreadGroup()
    group.start {
      status.store(
        unsafe fixture_fork_into_namespace(
          { _ in
            alarm(60)
            guard let remote = LivingWriterTests.remote.withLock({ $0 }),
              let writer = try? TraceStreamWriter(directory: remote.directory, capacity: 1 << 16),
              let block = try? Block(signature: "i@?i", { try $0.setResult(Int32(5)) }),
              (try? block.install(.tracing(with: Tracer(writer)))) != nil
            else { return 1 }
            _ = try? block.call(Int32(1)) as Int32
            var byte: UInt8 = 0
            // SAFETY: the buffer is the variable.
            guard unsafe write(remote.said[1], &byte, 1) == 1,
              unsafe read(remote.told[0], &byte, 1) == 1
            else { return 2 }
            _ = try? block.call(Int32(2)) as Int32
            return getpid() == 1 ? 0 : 3
          }, nil), ordering: .releasing)
      close(remote.said[1])
    }
    var byte: UInt8 = 0
    // SAFETY: the buffer is the variable. The read ends when the child, or all of them, is gone.
    let isThere = unsafe read(said[0], &byte, 1) == 1
    if isThere {
      collect(collector)
      XCTAssertEqual(sink.records.map(\.arguments), [["i32 1"]])
      unsafe write(told[1], &byte, 1)
    }
    group.wait()
    for file in [said[0], told[0], told[1]] { close(file) }
    try XCTSkipIf(status.load(ordering: .acquiring) == 77, "namespaces are not permitted here")
    XCTAssertEqual(status.load(ordering: .acquiring), 0)
    collector.finish()
    XCTAssertEqual(sink.records.map(\.arguments), [["i32 1"], ["i32 2"]])
    XCTAssertEqual(collector.counts.running, 0)
    XCTAssertEqual(collector.errors, [])
  }
}
