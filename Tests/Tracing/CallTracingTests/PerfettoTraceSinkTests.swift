import BlockABI
import CallTracing
import Foundation
import TestSupport
import XCTest

/// The trace in Perfetto's format, as a reader of that format sees it.
final class PerfettoTraceSinkTests: XCTestCase {
  func testEveryCallIsASliceOfItsThread() throws {
    let path = temporaryFile(self)
    let records = RecordingSink()
    try ServerScene().run([PerfettoTraceSink(TraceOutput(path: path)), records], callCount: 400)
    let trace = try PerfettoFile(path: path)
    func slice(_ record: TraceRecord) -> PerfettoFile.Slice {
      var texts: [String: String] = [:]
      if !record.arguments.isEmpty {
        texts["arguments"] = record.arguments.joined(separator: ", ")
      }
      texts["result"] = record.result
      if record.outcome != .returned { texts["outcome"] = record.outcome.name }
      if case .threw(let error) = record.outcome { texts["error"] = error }
      return PerfettoFile.Slice(
        thread: Int(record.thread), name: record.subject.shortName ?? record.subject.title,
        function: record.subject.name, start: record.startNanoseconds,
        duration: record.durationNanoseconds, depth: record.depth, texts: texts, numbers: [:])
    }
    let expected = records.records.map(slice)
    XCTAssertGreaterThan(expected.count, 399)
    XCTAssertEqual(Set(expected.map(\.depth)), [0, 1, 2])
    XCTAssertEqual(counted(trace.slices), counted(expected))
    XCTAssertEqual(trace.flows.count, 0)
    XCTAssertEqual(
      Set(trace.threadNames.values), ["net-accept", "worker-1", "worker-2", "worker-3"])
    XCTAssertEqual(trace.processNames.keys.first, Int(getpid()))
    // A text is written once.
    let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
    let name = try XCTUnwrap(expected.first?.function)
    XCTAssertEqual(bytes.occurrences(of: Data(name.utf8)), Set(expected.map(\.thread)).count)
  }

  func testTheWallClockIsInTheTraceIfItsZeroIsKnown() throws {
    for zero in [nil, 1_700_000_000_000_000_000] as [UInt64?] {
      let path = temporaryFile(self)
      try ServerScene().run(
        [PerfettoTraceSink(TraceOutput(path: path), wallClockAtZero: zero)], callCount: 40)
      let trace = try PerfettoFile(path: path)
      XCTAssertEqual(trace.wallClock.isEmpty, zero == nil)
      XCTAssertTrue(trace.wallClock.allSatisfy { $0.unix - $0.time == zero })
    }
  }

  private func counted(_ slices: [PerfettoFile.Slice]) -> [PerfettoFile.Slice: Int] {
    Dictionary(slices.map { ($0, 1) }, uniquingKeysWith: +)
  }

  func testAnArrowLeadsFromWhereABlockWasSentToItsCall() throws {
    let scene = try SubmissionScene(self)
    let queue = try scene.queue("scene.queue")
    for block in UInt(1)...3 { scene.send(block << 4, to: queue.number) }
    for block in UInt(1)...3 { scene.run(block << 4, on: queue) }
    scene.send(0x50, to: queue.number, by: .sync)
    scene.run(0x50, on: queue)
    scene.send(0x60, to: queue.number)
    let path = temporaryFile(self)
    let sink = try PerfettoTraceSink(TraceOutput(path: path))
    let records = try scene.records() + scene.pending()
    sink.receive(records)
    sink.finish()
    let trace = try PerfettoFile(path: path)
    XCTAssertEqual(trace.flows.count, 3)
    for (from, to) in trace.flows.values {
      let call = try XCTUnwrap(records.first { $0.startNanoseconds == to.start })
      XCTAssertEqual(from.start, call.submission?.nanoseconds)
      XCTAssertEqual(from.name, "→ scene.queue")
      XCTAssertEqual(from.function, "swift_demangle")
      XCTAssertNil(from.duration)
      let slice = try XCTUnwrap(trace.slices.first { $0.start == to.start })
      XCTAssertEqual(slice.duration, call.durationNanoseconds)
    }
    // The sender waited for one, and one has not run.
    let waits = trace.slices.filter { $0.category == "wait" }
    XCTAssertEqual(waits.map(\.name), ["dispatch_sync"])
    let pending = trace.slices.filter { $0.texts["outcome"] == "pending" }
    XCTAssertEqual(pending.map(\.duration), [nil])
    XCTAssertEqual(trace.slices.filter { $0.texts["queue"] == "scene.queue" }.count, 3)
  }

  func testCallsWhoseOuterCallDoesNotEndAreWrittenInTheEnd() throws {
    let path = temporaryFile(self)
    let sink = try PerfettoTraceSink(TraceOutput(path: path))
    let records = RecordingSink()
    try ServerScene().run([records], callCount: 50)
    let inner = records.records.filter { $0.depth > 0 }
    XCTAssertGreaterThan(inner.count, 5)
    sink.receive(inner)
    XCTAssertEqual(try Data(contentsOf: URL(fileURLWithPath: path)).count, 0)
    sink.finish()
    XCTAssertEqual(
      try PerfettoFile(path: path).slices.filter { $0.duration != nil }.count, inner.count)
    XCTAssertEqual(sink.lostRecordCount, 0)
    // What comes later is not written.
    let size = try Data(contentsOf: URL(fileURLWithPath: path)).count
    sink.receive(records.records)
    sink.finish()
    XCTAssertEqual(try Data(contentsOf: URL(fileURLWithPath: path)).count, size)
    XCTAssertEqual(sink.lostRecordCount, records.records.count)
  }

  func testATraceWithoutCallsIsATrace() throws {
    let path = temporaryFile(self)
    let sink = try PerfettoTraceSink(TraceOutput(path: path))
    sink.finish()
    let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
    XCTAssertGreaterThan(bytes.count, 0)
    XCTAssertEqual(try PerfettoFile(path: path).slices.count, 0)
    sink.finish()
    XCTAssertEqual(try Data(contentsOf: URL(fileURLWithPath: path)), bytes)
  }

  func testMoreCallsThanMayWaitAreWrittenBeforeTheCallAroundThem() throws {
    let records = RecordingSink()
    try ServerScene().run([records], callCount: 400)
    let thread = try XCTUnwrap(records.records.first { $0.depth == 1 }?.thread)
    let all = records.records.filter { $0.thread == thread }
    let inner = all.filter { $0.depth > 0 }
    let outer = try XCTUnwrap(all.first { $0.depth == 0 })
    let path = temporaryFile(self)
    let sink = try PerfettoTraceSink(TraceOutput(path: path))
    // Each round is later than that before.
    var count = 0
    while count < 20_000 {
      sink.receive(inner)
      count += inner.count
    }
    XCTAssertGreaterThan(try Data(contentsOf: URL(fileURLWithPath: path)).count, 0)
    sink.receive([outer])
    sink.finish()
    XCTAssertEqual(try PerfettoFile(path: path).slices.count, count + 1)
  }

  func testWhatCannotBeWrittenIsCounted() throws {
    let sink = try PerfettoTraceSink(TraceOutput(path: "/dev/full"))
    let records = RecordingSink()
    try ServerScene().run([sink, records], callCount: 20)
    XCTAssertEqual(sink.lostRecordCount, records.records.count)
    XCTAssertGreaterThan(records.records.count, 19)
  }

  func testWhatComesAfterAFailedWriteIsReadWithoutIt() throws {
    let records = RecordingSink()
    try ServerScene().run([records], callCount: 100)
    let path = temporaryFile(self)
    // SAFETY: the path is a C string for the duration of the call.
    let (full, file) = unsafe (
      open("/dev/full", O_WRONLY), open(path, O_WRONLY | O_CREAT, 0o600)
    )
    defer { close(full) }
    let sink = PerfettoTraceSink(TraceOutput(fileDescriptor: full))
    sink.receive(records.records)
    let lost = sink.lostRecordCount
    XCTAssertGreaterThan(lost, 0)
    XCTAssertEqual(dup2(file, full), full)
    close(file)
    sink.receive(records.records)
    sink.finish()
    XCTAssertEqual(sink.lostRecordCount, lost)
    let trace = try PerfettoFile(path: path)
    XCTAssertEqual(trace.slices.count, 2 * records.records.count - lost)
    let starts = Set(trace.slices.map(\.start))
    XCTAssertEqual(starts, Set(records.records.map(\.startNanoseconds)))
    XCTAssertEqual(trace.threadNames.count, 4)
  }

  /// The classes that protoc made of Perfetto's own description of its format, in Python.
  func testPerfettosOwnDescriptionReadsTheTrace() throws {
    guard let python = ProcessInfo.processInfo.environment["PERFETTO_PYTHON"] else {
      throw XCTSkip("needs Perfetto's Python package; Scripts/test --perfetto installs it")
    }
    let path = temporaryFile(self)
    let records = RecordingSink()
    try ServerScene().run([PerfettoTraceSink(TraceOutput(path: path)), records], callCount: 400)
    let script = """
      import sys
      from perfetto.protos.perfetto.trace.perfetto_trace_pb2 import Trace, TrackEvent
      trace = Trace()
      trace.ParseFromString(open(sys.argv[1], 'rb').read())
      names, unknown = {}, 0
      counts = {TrackEvent.TYPE_SLICE_BEGIN: 0, TrackEvent.TYPE_SLICE_END: 0}
      for packet in trace.packet:
        for name in packet.interned_data.event_names:
          names[packet.trusted_packet_sequence_id, name.iid] = name.name
        if packet.HasField('track_event'):
          event = packet.track_event
          counts[event.type] += 1
          if event.type == TrackEvent.TYPE_SLICE_BEGIN:
            assert (packet.trusted_packet_sequence_id, event.name_iid) in names
        elif packet.WhichOneof('data') is None:
          unknown += 1
      tracks = [p.track_descriptor for p in trace.packet if p.HasField('track_descriptor')]
      threads = sorted(t.thread.thread_name for t in tracks if t.HasField('thread'))
      print(*counts.values(), unknown, *threads)
      """
    let answer = try CommandLineTool.run(
      ["-c", script, path], executable: URL(fileURLWithPath: python))
    XCTAssertEqual(answer.status, 0, answer.errors)
    let count = records.records.count
    XCTAssertEqual(
      answer.output, "\(count) \(count) 0 net-accept worker-1 worker-2 worker-3\n")
  }
}

extension Data {
  fileprivate func occurrences(of part: Data) -> Int {
    var (count, start) = (0, startIndex)
    while let found = range(of: part, in: start..<endIndex) {
      count += 1
      start = found.upperBound
    }
    return count
  }
}
