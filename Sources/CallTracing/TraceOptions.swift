/// What a tracer records, and how much of it.
public struct TraceOptions: Sendable {
  /// Calls that took less are counted, not recorded; zero records all.
  ///
  /// Arguments are captured before a call, whatever it will take: numbers and addresses by copying,
  /// text, objects and blocks by rendering.
  public var slowThreshold = Duration.zero

  /// Patterns of what is traced; everything, if there are none.
  ///
  /// A pattern has the shell's `*`, `?` and `[…]`, and is compared with a subject's title, its
  /// image's path, and the name of the image's file.
  public var include: [String] = []

  /// Patterns of what is not traced, even if it is included.
  public var exclude: [String] = []

  /// The most records a second, nil for all; as many at once after a second without any.
  ///
  /// 0, or less, records nothing.
  public var recordsPerSecond: Int?

  /// The most bytes of UTF-8 that one argument's or the result's text takes, before an `…`.
  ///
  /// 0, or less, captures neither. Of a C string no more than 256 bytes are shown in any case.
  public var valueByteLimit = 512

  /// How many records wait for the sinks, at least 1; beyond that they are dropped and counted.
  ///
  /// As many again may be with the sinks. A record takes about 200 bytes.
  public var queueCapacity = 4096

  /// How long records are gathered before they are given to the sinks.
  ///
  /// A longer time wakes the delivering thread less often. A queue that is half full is delivered at
  /// once.
  public var deliveryDelay = Duration.milliseconds(10)

  /// The clock of start and duration, of the threshold and of the rate; the system's, as
  /// `CLOCK_MONOTONIC` has it, if not given.
  ///
  /// It is read on the threads of the traced calls, under no lock: it must not make such calls itself.
  /// The zero of a `SuspendingClock` is the system's start, of a `ManualClock` its own, of others the
  /// moment in which the tracer was made.
  public var clock: any Clock<Duration> = SuspendingClock()

  /// Creates options that record everything.
  public init() {}

  func includes(_ subject: TraceSubject) -> Bool {
    (include.isEmpty || include.contains { subject.matches($0) })
      && !exclude.contains { subject.matches($0) }
  }
}

/// What became of the calls that a tracer saw.
public struct TraceCounts: Hashable, Sendable {
  /// Records that all sinks have received.
  public internal(set) var delivered = 0

  /// Records that wait for the sinks, or are with them.
  public internal(set) var pending = 0

  /// Records that found the queue full, or the tracer closed.
  public internal(set) var dropped = 0

  /// Records beyond `recordsPerSecond`.
  public internal(set) var suppressed = 0

  /// Calls that took less than `slowThreshold`.
  public internal(set) var belowThreshold = 0

  /// Records that sinks received and could not write, summed up over the sinks.
  public internal(set) var lostBySinks = 0
}
