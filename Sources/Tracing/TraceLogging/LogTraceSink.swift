#if Logging || Everything
internal import BlockHooks
public import CallTracing
public import Logging

/// Writes one log message per call.
///
/// The message is the subject's short name, or its title without one; the metadata are
/// `duration_ns`, `thread`, `depth`, `sequence`, `arguments` (an array), `outcome` and, if present,
/// `image`, `result` and `error`. The logger is called on the tracer's thread; calls that its
/// handler makes there are not traced.
public final class LogTraceSink: TraceSink {
  private let logger: Logger
  private let level: Logger.Level
  private let slowLevel: Logger.Level
  private let slowThreshold: Duration?

  /// Creates a sink.
  ///
  /// - Parameters:
  ///   - logger: Receives the messages that its own level admits.
  ///   - level: The level of the messages.
  ///   - slowLevel: The level of slow calls, and of those that threw.
  ///   - slowThreshold: The shortest duration of a slow call; no call is slow if not given.
  public init(
    _ logger: Logger, level: Logger.Level = .debug, slowLevel: Logger.Level = .warning,
    slowThreshold: Duration? = nil
  ) {
    self.logger = logger
    self.level = level
    self.slowLevel = slowLevel
    self.slowThreshold = slowThreshold
  }

  /// Logs the records.
  public func receive(_ records: [TraceRecord]) {
    for record in records {
      // The metadata are evaluated only if the logger admits the level.
      logger.log(
        level: level(of: record), "\(record.subject.shortName ?? record.subject.title)",
        metadata: metadata(of: record),
        source: "BlockRuntime")
    }
  }

  private func level(of record: TraceRecord) -> Logger.Level {
    if case .threw = record.outcome { return slowLevel }
    guard let slowThreshold else { return level }
    return .nanoseconds(record.durationNanoseconds) >= slowThreshold ? slowLevel : level
  }

  private func metadata(of record: TraceRecord) -> Logger.Metadata {
    var metadata: Logger.Metadata = [
      "duration_ns": "\(record.durationNanoseconds)", "thread": "\(record.thread)",
      "depth": "\(record.depth)", "sequence": "\(record.sequence)",
      "arguments": .array(record.arguments.map { .string($0) }),
    ]
    metadata["image"] = record.subject.image.map { .string($0) }
    metadata["result"] = record.result.map { .string($0) }
    metadata["outcome"] = .string(record.outcome.name)
    if case .threw(let error) = record.outcome { metadata["error"] = .string(error) }
    return metadata
  }
}
#endif
