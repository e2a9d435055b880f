/// Selects the calls that a tracer records, and how much of them.
public struct TraceOptions: Sendable {
  /// Calls that took less are counted but not recorded; zero records all calls.
  ///
  /// Arguments are captured before each call, however long it takes: numbers and addresses by
  /// copying; text, objects and blocks by rendering.
  public var slowThreshold = Duration.zero

  /// Patterns of the subjects to trace; all subjects if empty.
  ///
  /// Patterns are those of the shell (`*`, `?`, `[…]`), and are compared with a subject's title,
  /// its image's path, and the name of the image's file.
  public var include: [String] = []

  /// Patterns of subjects that are not traced even if `include` selects them.
  public var exclude: [String] = []

  /// The maximum number of records per second, nil for all; the same number may come at once after
  /// a second without any.
  ///
  /// 0 or less records nothing.
  public var recordsPerSecond: Int?

  /// The maximum length of the text of an argument or of the result, in bytes of UTF-8 before an
  /// `…`.
  ///
  /// 0 or less captures neither. Of a C string at most 256 bytes are shown in any case.
  public var valueByteLimit = 512

  /// The number of records that may wait for the sinks, from 1 to 268,435,456; further ones are
  /// dropped and counted.
  ///
  /// If the system reserves no memory for so many, fewer may wait; if for none, all are dropped.
  ///
  /// A call that waits takes 128 bytes, and its memory is used again for later ones. The sinks may
  /// hold the same number of records, which take about 200 bytes.
  public var queueCapacity = 4096

  /// How long records are gathered before they are passed to the sinks.
  ///
  /// A longer time wakes the delivering thread less often. A queue that is half full is delivered
  /// at once.
  public var deliveryDelay = Duration.milliseconds(10)

  /// The clock for starts, durations, the threshold and the rate; if not given, the system's clock
  /// `CLOCK_MONOTONIC`, computed from the processor's counter.
  ///
  /// It is read on the threads of the traced calls, without a lock held, and must not make traced
  /// calls itself. Zero is the system's start for a `SuspendingClock`, a `ManualClock`'s own zero,
  /// and for other clocks the time at which the tracer was made.
  public var clock: any Clock<Duration> = SuspendingClock()

  /// Creates options that record everything.
  public init() {}

  func includes(_ subject: TraceSubject) -> Bool {
    (include.isEmpty || include.contains { subject.matches($0) })
      && !exclude.contains { subject.matches($0) }
  }
}

/// Totals over the calls that a tracer saw.
public struct TraceCounts: Hashable, Sendable {
  /// Records that all sinks have received.
  public internal(set) var delivered = 0

  /// Records that wait for the sinks, or that sinks are receiving.
  public internal(set) var pending = 0

  /// Records for which the queue was full or the tracer closed.
  public internal(set) var dropped = 0

  /// Records beyond `recordsPerSecond`.
  public internal(set) var suppressed = 0

  /// Calls that took less than `slowThreshold`.
  public internal(set) var belowThreshold = 0

  /// Records that sinks received but could not write, summed over the sinks.
  public internal(set) var lostBySinks = 0
}
