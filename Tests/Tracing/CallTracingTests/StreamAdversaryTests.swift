import BlockABI
import BlockHooks
import CFixtures
import CallTracing
import Foundation
import Glibc
import Invocations
import TestSupport
import XCTest

/// Streams that a living process changes while they are read: it harms its own trace only.
final class StreamAdversaryTests: XCTestCase {
  private typealias IntBlock = @convention(block) (Int) -> Int

  private static let page = Int(sysconf(Int32(_SC_PAGESIZE)))

  /// Where a stream has the position of its end.
  private static let head = 64

  /// A stream with some calls, and what of it are records.
  private func sample(pages: Int = 4) throws -> (bytes: [UInt8], records: [UInt8]) {
    let ends = try TraceStreamEnds(self, capacity: pages * Self.page)
    let tracer = Tracer(ends.writer)
    let plain = try Block(signature: "i@?i") { try $0.setResult(Int32(5)) }
    try plain.install(.tracing(with: tracer))
    for value in 0..<3 as Range<Int32> { _ = try plain.call(value) as Int32 }
    try unsafe XCTUnwrap(tracer.queues).submit(
      block: 4096, code: 64, to: 0, by: .async, from: UnsafeBufferPointer(start: nil, count: 0))
    let bytes = Array(try Data(contentsOf: URL(fileURLWithPath: ends.path)))
    let size = bytes[Self.head..<Self.head + 8].reversed().reduce(0) { $0 << 8 | Int($1) }
    return (bytes, Array(bytes[Self.page..<Self.page + size]))
  }

  private lazy var json = temporaryFile(self)
  private lazy var perfetto = temporaryFile(self)

  private func collector(_ directory: String, _ sink: RecordingSink) throws -> TraceCollector {
    let output = { TraceOutput { _ in } }
    return TraceCollector(
      directory: directory,
      sinks: [
        sink, try JSONLinesTraceSink(TraceOutput(path: json)), TextTraceSink(output()),
        FoldedTraceSink(output()), try PerfettoTraceSink(TraceOutput(path: perfetto)),
        HTMLTraceSink(output()),
      ])
  }

  /// Whether other programs can read what was written of some records.
  private func checkOutputs(of count: Int) throws {
    let slices = try PerfettoFile(path: perfetto).slices
    XCTAssertGreaterThanOrEqual(slices.count, count)
    let lines = try String(contentsOfFile: json, encoding: .utf8).split(separator: "\n")
    XCTAssertEqual(lines.count, count)
    for line in lines { _ = try JSONSerialization.jsonObject(with: Data(line.utf8)) }
  }

  /// Runs `body` while a child attacks the stream of a path.
  private func attacking(
    _ path: String, _ body: () throws -> Void, by attack: () -> Void
  ) throws {
    let before = try Data(contentsOf: URL(fileURLWithPath: path))
    let child = fixture_fork_here()
    if child == 0 {
      alarm(600)
      attack()
      _exit(0)
    }
    defer {
      kill(child, SIGKILL)
      waitpid(child, nil, 0)
    }
    while try Data(contentsOf: URL(fileURLWithPath: path)) == before { sched_yield() }
    try body()
  }

  func testALivingAdversaryHarmsItsOwnTraceOnly() throws {
    let sample = try sample()
    let isLong = ProcessInfo.processInfo.environment["STREAM_FUZZ"] == "long"
    let rounds = isLong ? 2000 : isSanitized ? 5 : emulated(8)
    let work: IntBlock = { $0 }
    let values = 7_000_000_000..<7_000_000_200
    let arguments = values.map { ["i64 \($0)"] }
    for round in 0..<rounds {
      let directory = try temporaryDirectory(self)
      let path = "\(directory)/attacked.trace"
      try Data(sample.bytes).write(to: URL(fileURLWithPath: path))
      let sink = RecordingSink()
      let collector = try collector(directory, sink)
      // A process of the stream is alive.
      let file = unsafe open(path, O_RDWR)
      XCTAssertEqual(flock(file, LOCK_SH), 0)
      defer { close(file) }
      try attacking(path) {
        let writer = try TraceStreamWriter(directory: directory, capacity: 1 << 20)
        let hook = try Block(work).install(.tracing(with: Tracer(writer)))
        for value in values {
          _ = work(value)
          _ = collector.collect()
        }
        hook.remove()
        collector.finish()
      } by: {
        unsafe fixture_attack_stream(
          path, sample.records, UInt(sample.records.count), UInt64(round))
      }
      try checkOutputs(of: sink.records.count)
      let honest = sink.records.map(\.arguments).filter(Set(arguments).contains)
      XCTAssertTrue(honest == arguments, "round \(round): \(honest.count)")
      for error in collector.errors { XCTAssertEqual(error.code, .damagedTrace) }
    }
    withExtendedLifetime(work) {}
  }

  func testAFileThatIsCutIsDamagedAndEndsNothing() throws {
    for (size, isRead) in [(0, false), (Self.page, false), (0, true)] {
      let path = temporaryFile(self)
      try Data(sample().bytes).write(to: URL(fileURLWithPath: path))
      let reader = try TraceStreamReader(path: path)
      if isRead { XCTAssertEqual(try reader.read().count, 3) }
      XCTAssertEqual(unsafe truncate(path, size), 0)
      // Where the records were, the first read finds one that is not finished.
      _ = try? reader.read()
      expectError(.damagedTrace) { _ = try reader.read() }
      XCTAssertEqual(reader.droppedCount, 0)
      XCTAssertEqual(reader.pendingRecords(at: 0).count, isRead ? 1 : 0)
    }
  }

  func testAHeadThatChangesAfterAnUnfinishedRecordWasFoundIsNotFollowed() throws {
    var bytes = [UInt8](repeating: 0, count: try sample().bytes.count)
    bytes.replaceSubrange(..<Self.head, with: try sample().bytes[..<Self.head])
    bytes[Self.head] = 16
    let path = temporaryFile(self)
    try Data(bytes).write(to: URL(fileURLWithPath: path))
    let reader = try TraceStreamReader(path: path)
    var records: [TraceRecord] = []
    XCTAssertTrue(try reader.read(into: &records))
    let file = unsafe open(path, O_RDWR)
    defer { close(file) }
    // A record larger than all memory of the stream, and a head behind it.
    var (word, head) = (UInt64(0xC0B) << 52 | (1 << 30 - 1), UInt64(1) << 40)
    // SAFETY: the buffers are the variables.
    XCTAssertEqual(unsafe pwrite(file, &word, 8, off_t(Self.page)), 8)
    XCTAssertEqual(unsafe pwrite(file, &head, 8, off_t(Self.head)), 8)
    unsafe reader.passOverUnfinishedPart()
    expectError(.damagedTrace) { _ = try reader.read(into: &records) }
  }

  func testAStreamThatGrowsAfterItsProcessesHaveEndedIsLeft() throws {
    // So large that it is not empty when the child has to wait. What it holds at once has fewer open
    // calls than are kept, of which nothing is said then.
    let sample = try sample(pages: 2048)
    let attacks: [(String) -> Void] = [
      { unsafe fixture_grow_stream($0, sample.records, UInt(sample.records.count)) },
      { unsafe fixture_reserve_stream($0) },
    ]
    for attack in attacks {
      let directory = try temporaryDirectory(self)
      let path = "\(directory)/growing.trace"
      try Data(sample.bytes).write(to: URL(fileURLWithPath: path))
      let sink = RecordingSink()
      let collector = try collector(directory, sink)
      try attacking(path) {
        _ = collector.collect(at: 0)
        collector.finish()
      } by: {
        attack(path)
      }
      XCTAssertEqual(sink.ends.entries.count, 1)
      // None if the child had to wait so long that everything was read.
      for error in collector.errors { XCTAssertTrue("\(error)".contains("it grows"), "\(error)") }
    }
  }

  func testAStreamThatIsLargerThanWhatMayWaitIsNotRead() throws {
    let directory = try temporaryDirectory(self)
    for (name, pages) in [("asked", 4), ("larger", 5)] {
      let bytes = try sample(pages: pages).bytes
      try Data(bytes).write(to: URL(fileURLWithPath: "\(directory)/\(name).trace"))
    }
    let sink = RecordingSink()
    let collector = TraceCollector(
      directory: directory, sinks: [sink], capacity: 4 * Self.page)
    collector.finish()
    XCTAssertEqual(collector.errors.count, 1)
    XCTAssertTrue("\(collector.errors)".contains("larger.trace: it is larger than"))
    XCTAssertEqual(collector.counts.programs, 1)
    XCTAssertEqual(sink.records.count, 4)
  }

  func testNumbersOfLostCallsDoNotOverflow() throws {
    let directory = try temporaryDirectory(self)
    for name in ["a", "b"] {
      var bytes = try sample().bytes
      bytes.replaceSubrange(Self.head + 8..<Self.head + 16, with: repeatElement(0xFE, count: 8))
      try Data(bytes).write(to: URL(fileURLWithPath: "\(directory)/\(name).trace"))
    }
    let collector = try collector(directory, RecordingSink())
    collector.finish()
    XCTAssertEqual(collector.counts.dropped, .max)
    XCTAssertEqual(collector.counts.calls, 8)
  }
}
