#if Logging || Everything
import BlockABI
import BlockHooks
import CallTracing
import Logging
import TestSupport
import TraceLogging
import XCTest

/// Keeps what is logged.
private struct RecordingHandler: LogHandler {
  struct Message: Sendable {
    let level: Logger.Level
    let text: String
    let metadata: Logger.Metadata
    let source: String
  }

  let messages: Recorder<Message>
  var metadata: Logger.Metadata = [:]
  var logLevel = Logger.Level.trace

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  func log(event: LogEvent) {
    messages.record(
      Message(
        level: event.level, text: event.message.description, metadata: event.metadata ?? [:],
        source: event.source))
  }
}

final class LogTraceSinkTests: XCTestCase {
  private typealias IntBlock = @convention(block) (Int32) -> Int32
  private struct Refused: Error {}

  private let messages = Recorder<RecordingHandler.Message>()

  private func logger(_ level: Logger.Level = .trace) -> Logger {
    var logger = Logger(label: "test") { [messages] _ in RecordingHandler(messages: messages) }
    logger.logLevel = level
    return logger
  }

  func testACallIsAMessageWithMetadata() throws {
    let tracer = Tracer(LogTraceSink(logger()))
    let work: IntBlock = { $0 + 1 }
    let block = try Block(work)
    try block.install(.tracing(with: tracer))
    XCTAssertEqual(work(4), 5)
    tracer.close()
    let message = try XCTUnwrap(messages.entries.first)
    XCTAssertEqual(messages.entries.count, 1)
    XCTAssertEqual(message.level, .debug)
    XCTAssertEqual(
      message.text, "LogTraceSinkTests.testACallIsAMessageWithMetadata › closure #1")
    XCTAssertEqual(message.source, "BlockRuntime")
    XCTAssertEqual(message.metadata["arguments"], .array([.string("i32 4")]))
    XCTAssertEqual(message.metadata["result"], "i32 5")
    XCTAssertEqual(message.metadata["outcome"], "returned")
    XCTAssertEqual(message.metadata["depth"], "0")
    XCTAssertEqual(message.metadata["image"], (block.implementation?.image).map { .string($0) })
    XCTAssertNil(message.metadata["error"])
  }

  func testSlowCallsHaveALevelOfTheirOwn() throws {
    for (threshold, level) in [(1000, Logger.Level.error), (1001, .info)] {
      let tracer = Tracer(
        LogTraceSink(
          logger(), level: .info, slowLevel: .error, slowThreshold: .nanoseconds(threshold)),
        options: Self.steppingOptions)
      let work: IntBlock = { $0 }
      try Block(work).install(.tracing(with: tracer))
      _ = work(1)
      tracer.close()
      XCTAssertEqual(messages.entries.last?.level, level)
      XCTAssertEqual(messages.entries.last?.metadata["duration_ns"], "1000")
    }
  }

  func testFailedCallsHaveTheSlowLevelAndTheError() throws {
    let tracer = Tracer(LogTraceSink(logger(), level: .info, slowLevel: .error))
    let work: IntBlock = { $0 }
    let block = try Block(work)
    try block.hook(onError: { _ in }) { call in
      try tracer.record(&call) { _ in throw Refused() }
    }
    _ = work(2)
    tracer.close()
    XCTAssertEqual(messages.entries.map(\.level), [.error])
    XCTAssertEqual(messages.entries.last?.metadata["error"], "Refused()")
    XCTAssertEqual(messages.entries.last?.metadata["outcome"], "threw")
  }

  /// A clock that advances by 1,000 ns whenever it is read.
  private static var steppingOptions: TraceOptions {
    let reads = Recorder<Bool>()
    var options = TraceOptions()
    options.clock = ReadingClock {
      reads.record(true)
      return UInt64(reads.entries.count) * 1000
    }
    return options
  }

  func testALoggerThatDoesNotAdmitTheLevelGetsNothing() throws {
    let tracer = Tracer(LogTraceSink(logger(.info)))
    let work: IntBlock = { $0 }
    try Block(work).install(.tracing(with: tracer))
    _ = work(1)
    tracer.close()
    XCTAssertEqual(messages.entries.count, 0)
    XCTAssertEqual(tracer.counts.delivered, 1)
  }
}
#endif
