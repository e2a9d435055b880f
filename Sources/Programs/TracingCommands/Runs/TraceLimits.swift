import CallTracing

/// A time that is given on the command line: a number with `ns`, `us`, `µs`, `ms` or `s`.
struct TimeLimit: Sendable {
  let nanoseconds: UInt64

  private static let units: [(name: String, nanoseconds: Double)] = [
    ("ns", 1), ("us", 1000), ("µs", 1000), ("ms", 1_000_000), ("s", 1_000_000_000),
  ]

  init?(argument: String) {
    guard let unit = Self.units.first(where: { argument.hasSuffix($0.name) }),
      let number = Double(argument.dropLast(unit.name.count)),
      let nanoseconds = UInt64(exactly: (number * unit.nanoseconds).rounded())
    else { return nil }
    self.nanoseconds = nanoseconds
  }
}

/// Which records are shown: those that reach any of the limits.
struct TraceLimits {
  private let duration: UInt64?
  private let wait: UInt64?
  private let mainThread: UInt64?

  /// Creates limits; nil if there is none.
  init?(duration: TimeLimit?, wait: TimeLimit?, mainThread: TimeLimit?) {
    guard duration != nil || wait != nil || mainThread != nil else { return nil }
    self.duration = duration?.nanoseconds
    self.wait = wait?.nanoseconds
    self.mainThread = mainThread?.nanoseconds
  }

  /// Whether a record reaches any of the limits.
  func admit(_ record: TraceRecord) -> Bool {
    if let duration, record.durationNanoseconds >= duration { return true }
    if let wait, let waited = record.waitedNanoseconds, waited >= wait { return true }
    guard let mainThread, record.durationNanoseconds >= mainThread else { return false }
    // Other threads run the main queue in `dispatchMain()` and after the first part of an async
    // `main`.
    return record.thread == record.process || record.queue?.label == "com.apple.main-thread"
  }
}

/// Passes the records that reach a limit to other sinks.
struct SelectingSink: TraceSink {
  private let limits: TraceLimits
  private let sinks: [any TraceSink]

  init(_ limits: TraceLimits, _ sinks: [any TraceSink]) {
    self.limits = limits
    self.sinks = sinks
  }

  func receive(_ records: [TraceRecord]) {
    let selected = records.filter(limits.admit)
    guard !selected.isEmpty else { return }
    for sink in sinks { sink.receive(selected) }
  }

  func finish() { for sink in sinks { sink.finish() } }

  var lostRecordCount: Int { sinks.reduce(0) { $0 + $1.lostRecordCount } }
}
