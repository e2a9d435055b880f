import BlockABI
import BlockHooks
import CallRecording
import CallTracing
import DelayedBlocks
import Foundation
import Glibc
import Invocations
import TestSupport
import XCTest

final class TraceOutputTests: XCTestCase {
  private struct Failure: Error, CustomStringConvertible { let description: String }

  private static let hostile: [[UInt8]] = [
    Array("say \"hi\" \\ \n\r\t\u{1}\u{7F}".utf8), [0xC3, 0x28, 0xFF, 0xFE, 0x80],
    Array("line\u{2028}paragraph\u{2029} 😀 é".utf8), Array(repeating: 0x61, count: 1 << 20),
    Array("},]{\u{1B}[31m".utf8),
  ]

  /// Records calls with hostile arguments and errors, and closes the tracer.
  private func traceHostileCalls(_ sink: any TraceSink) throws -> TraceCounts {
    let tracer = Tracer(sink)
    let echo = try Block(signature: "*@?*i") { call in
      try call.setResult(call.argument(1, as: String.self))
    }
    try echo.install(.tracing(with: tracer))
    for bytes in Self.hostile {
      let text = bytes.map(CChar.init(bitPattern:)) + [0]
      try unsafe text.withUnsafeBufferPointer { buffer in
        let address = UInt(bitPattern: buffer.baseAddress)
        _ = try echo.call(values: [.pointer(address), 5])
      }
    }
    let failing = try Block(signature: "v@?") { _ in }
    try failing.hook(onError: { _ in }) { call in
      try tracer.record(&call) { _ in throw Failure(description: "bad \"thing\"\nsecond line") }
    }
    try failing.call()
    tracer.close()
    return tracer.counts
  }

  private func object(_ text: some StringProtocol) throws -> [String: Any] {
    try XCTUnwrap(JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
  }

  func testEveryLineOfJSONLinesIsAnObjectWithAllMembers() throws {
    let text = Recorder<String>()
    let counts = try traceHostileCalls(JSONLinesTraceSink(TraceOutput(text.record)))
    XCTAssertEqual(counts.delivered, 6)
    let lines = written(text).split(separator: "\n", omittingEmptySubsequences: false)
    XCTAssertEqual(lines.count, 7)
    XCTAssertEqual(lines.last, "")
    let objects = try lines.dropLast().map(object)
    let members: Set = [
      "sequence", "kind", "start", "duration", "process", "thread", "depth", "name", "shortName",
      "image", "address", "queue", "sentTo", "enqueued", "waited", "qos", "behind", "enqueuedBy",
      "stack",
      "calledBy", "task", "signature", "arguments", "result", "outcome",
    ]
    for (index, object) in objects.dropLast().enumerated() {
      XCTAssertEqual(Set(object.keys), members)
      XCTAssertEqual(object["sequence"] as? Int, index)
      XCTAssertEqual(object["signature"] as? String, "*20@?0*8i16")
      XCTAssertEqual(object["outcome"] as? String, "returned")
      let arguments = try XCTUnwrap(object["arguments"] as? [String])
      XCTAssertEqual(arguments.count, 2)
      XCTAssertEqual(arguments[1], "i32 5")
      XCTAssertEqual(object["result"] as? String, arguments[0])
    }
    let first = try XCTUnwrap(objects[0]["arguments"] as? [String])
    XCTAssertEqual(first[0], #""say \"hi\" \\ \n\r\t\u{1}\u{7f}""#)
    let second = try XCTUnwrap(objects[1]["arguments"] as? [String])
    XCTAssertEqual(second[0], "\"\u{FFFD}(\u{FFFD}\u{FFFD}\u{FFFD}\"")
    let third = try XCTUnwrap(objects[2]["arguments"] as? [String])
    XCTAssertEqual(third[0], "\"line\u{2028}paragraph\u{2029} 😀 é\"")
    let fourth = try XCTUnwrap(objects[3]["arguments"] as? [String])
    XCTAssertEqual(fourth[0].utf8.count, 256 + 5)
    let last = objects[5]
    XCTAssertEqual(Set(last.keys), members.union(["error"]))
    XCTAssertEqual(last["error"] as? String, "bad \"thing\"\nsecond line")
    XCTAssertEqual(last["outcome"] as? String, "threw")
    XCTAssertTrue(last["result"] is NSNull)
  }

  func testHostileCallsAreWholeInPerfettosFormat() throws {
    let path = temporaryFile(self)
    let counts = try traceHostileCalls(PerfettoTraceSink(TraceOutput(path: path)))
    XCTAssertEqual(counts.delivered, 6)
    XCTAssertEqual(counts.lostBySinks, 0)
    let trace = try PerfettoFile(path: path)
    XCTAssertEqual(trace.slices.count, 6)
    XCTAssertEqual(trace.threadNames.count, 1)
    XCTAssertEqual(Array(trace.processNames.keys), [Int(getpid())])
    XCTAssertEqual(
      trace.slices[0].texts["arguments"], #""say \"hi\" \\ \n\r\t\u{1}\u{7f}", i32 5"#)
    XCTAssertEqual(
      trace.slices[1].texts["result"], "\"\u{FFFD}(\u{FFFD}\u{FFFD}\u{FFFD}\"")
    XCTAssertEqual(trace.slices[5].texts["error"], "bad \"thing\"\nsecond line")
  }

  func testTimesArePreciseToTheNanosecond() throws {
    let path = temporaryFile(self)
    let text = Recorder<String>()
    let clock = ManualClock()
    clock.advance(by: .seconds(1))
    var options = TraceOptions()
    options.clock = clock
    let tracer = Tracer(
      [PerfettoTraceSink(try TraceOutput(path: path)), TextTraceSink(TraceOutput(text.record))],
      options: options)
    let work: @convention(block) (UInt64) -> Void = { clock.advance(by: .nanoseconds($0)) }
    try Block(work).install(.tracing(with: tracer))
    work(1_000_007)
    work(60)
    tracer.close()
    let slices = try PerfettoFile(path: path).slices
    XCTAssertEqual(slices.map(\.start), [1_000_000_000, 1_001_000_007])
    XCTAssertEqual(slices.map(\.duration), [1_000_007, 60])
    let lines = written(text).split(separator: "\n")
    XCTAssertTrue(lines[1].hasPrefix("       1.000 ms "), "\(lines[1])")
    XCTAssertTrue(lines[2].hasPrefix("          60 ns "), "\(lines[2])")
  }

  func testTracesThatAreCutShortAreWholeAsFarAsTheyGo() throws {
    let path = temporaryFile(self)
    let text = Recorder<String>()
    let tracer = Tracer([
      PerfettoTraceSink(try TraceOutput(path: path)), JSONLinesTraceSink(TraceOutput(text.record)),
    ])
    let work: @convention(block) () -> Void = {}
    try Block(work).install(.tracing(with: tracer))
    work()
    tracer.flush()
    // The tracer is not closed yet.
    XCTAssertEqual(try PerfettoFile(path: path).slices.count, 1)
    XCTAssertTrue(written(text).hasSuffix("}\n"), written(text))
    XCTAssertEqual(try object(written(text))["sequence"] as? Int, 0)
    tracer.close()
  }

  func testALineOfTextStaysALine() throws {
    let text = Recorder<String>()
    _ = try traceHostileCalls(TextTraceSink(TraceOutput(text.record)))
    let lines = written(text).split(separator: "\n", omittingEmptySubsequences: false)
    XCTAssertEqual(lines.count, 8)
    XCTAssertTrue(lines[0].contains("duration   thread  call"), "\(lines[0])")
    XCTAssertTrue(lines[6].hasSuffix("() threw bad \"thing\" second line"), "\(lines[6])")
    XCTAssertFalse(written(text).unicodeScalars.contains { $0.value < 0x20 && $0 != "\n" })
  }

  func testAReplacedCallSaysSo() throws {
    let text = Recorder<String>()
    let tracer = Tracer(TextTraceSink(TraceOutput(text.record)))
    let work: @convention(block) (Int32) -> Int32 = { $0 }
    try Block(work).hook { call in
      try tracer.record(&call) { call in try call.setResult(9) }
    }
    XCTAssertEqual(work(1), 9)
    tracer.close()
    XCTAssertTrue(written(text).hasSuffix("(i32 1) = i32 9 (replaced)\n"), written(text))
  }

  func testAFileIsEmptiedAndWritten() throws {
    let path = temporaryFile(self)
    try "old\nold\nold\nold\nold\nold\nold\nold\n".write(
      toFile: path, atomically: true, encoding: .utf8)
    let tracer = Tracer(TextTraceSink(try TraceOutput(path: path)))
    let work: @convention(block) () -> Void = {}
    try Block(work).install(.tracing(with: tracer))
    work()
    tracer.close()
    let text = try String(contentsOfFile: path, encoding: .utf8)
    XCTAssertFalse(text.contains("old"))
    XCTAssertTrue(text.hasSuffix("()\n"), text)
  }

  func testAPathThatCannotBeOpenedIsAnErrorWithTheReason() throws {
    XCTAssertThrowsError(try TraceOutput(path: "/nowhere/at/all")) { error in
      XCTAssertEqual((error as? TraceError)?.code, .outputUnavailable)
      XCTAssertTrue("\(error)".contains("/nowhere/at/all: No such file or directory"), "\(error)")
    }
  }

  /// What a tracer counts that traces three calls with a sink.
  private func countsOfThreeCalls(_ sink: any TraceSink) throws -> TraceCounts {
    let tracer = Tracer(sink)
    let work: @convention(block) () -> Void = {}
    try Block(work).install(.tracing(with: tracer))
    for _ in 0..<3 {
      work()
      tracer.flush()
    }
    XCTAssertEqual(tracer.counts.lostBySinks, sink.lostRecordCount)
    tracer.close()
    return tracer.counts
  }

  func testWhatAFullDiskDoesNotTakeIsCounted() throws {
    let output = try TraceOutput(path: "/dev/full")
    let counts = try countsOfThreeCalls(JSONLinesTraceSink(output))
    XCTAssertEqual(counts.delivered, 3)
    XCTAssertEqual(counts.lostBySinks, 3)
    XCTAssertEqual(try countsOfThreeCalls(TextTraceSink(output)).lostBySinks, 3)
  }

  func testAClosedDescriptorIsCounted() throws {
    let descriptor = unsafe open("/dev/null", O_WRONLY)
    close(descriptor)
    let output = TraceOutput(fileDescriptor: descriptor)
    XCTAssertEqual(try countsOfThreeCalls(TextTraceSink(output)).lostBySinks, 3)
  }

  func testAPipeThatNobodyReadsIsCountedAndEndsNothing() throws {
    var ends: [Int32] = [0, 0]
    XCTAssertEqual(unsafe pipe(&ends), 0)
    close(ends[0])
    defer { close(ends[1]) }
    let output = TraceOutput(fileDescriptor: ends[1])
    XCTAssertEqual(try countsOfThreeCalls(TextTraceSink(output)).lostBySinks, 3)
  }

  func testAFileAtItsLimitKeepsWholeLines() throws {
    // A limit of the file's size takes only a part of a write.
    let path = temporaryFile(self)
    var old = rlimit()
    XCTAssertEqual(unsafe getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &old), 0)
    let before = signal(SIGXFSZ, SIG_IGN)
    let output = try TraceOutput(path: path)
    let tracer = Tracer(JSONLinesTraceSink(output))
    let work: @convention(block) () -> Void = {}
    try Block(work).install(.tracing(with: tracer))
    work()
    tracer.flush()
    let size = try XCTUnwrap(
      FileManager.default.attributesOfItem(atPath: path)[.size] as? Int)
    var limited = old
    limited.rlim_cur = rlim_t(size + size / 2)
    XCTAssertEqual(unsafe setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limited), 0)
    work()
    tracer.flush()
    XCTAssertEqual(unsafe setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &old), 0)
    signal(SIGXFSZ, before)
    work()
    tracer.close()
    XCTAssertEqual(tracer.counts.lostBySinks, 1)
    let lines = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")
    XCTAssertEqual(try lines.map { try object($0)["sequence"] as? Int }, [0, 2])
  }

  func testAPipeThatNobodyReadsIsRefused() throws {
    let path = temporaryFile(self)
    XCTAssertEqual(unsafe mkfifo(path, 0o600), 0)
    expectError(.outputUnavailable) { _ = try TraceOutput(path: path) }
    expectError(.recordingFailed) { _ = try CallRecorder(path: path) }
  }
}
