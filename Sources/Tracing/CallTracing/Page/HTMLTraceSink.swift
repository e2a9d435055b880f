private import BlockRuntimeThreads

/// Writes one HTML page that shows the calls in any browser, without a network or other files.
///
/// The page has a timeline with lanes of threads, of queues or of Swift tasks, a search, and tables
/// of blocks, queues and tasks. It is written when the tracer closes: until then the calls are in
/// memory, each text once, with about 20 bytes per call besides its texts.
public final class HTMLTraceSink: TraceSink {
  private struct State {
    /// The data of the page, nil once it is written.
    var page: TracePageData?
    var lostCount = 0
    var unshownCount = 0
  }

  private let output: TraceOutput
  private let state: Locked<State>

  /// Creates a sink.
  ///
  /// - Parameters:
  ///   - output: Receives the page.
  ///   - title: The page's heading.
  ///   - callLimit: The maximum number of calls on the page, which are the first ones; the page
  ///     says how many others there were. A million calls, the default, are a page of about 10 MB,
  ///     more if many arguments and results differ, and take a browser about 300 MB.
  ///   - textByteLimit: The number of bytes of different texts, such as arguments and names, after
  ///     which no more calls are stored either.
  ///   - wallClockAtZero: The time at which the clock of the records was zero, in nanoseconds since
  ///     1970, which is in the page's title; nil if that is not known.
  public convenience init(
    _ output: TraceOutput, title: String = "Traced blocks", callLimit: Int = 1_000_000,
    textByteLimit: Int = 64 << 20, wallClockAtZero: UInt64? = nil
  ) {
    self.init(
      output, title: title, callLimit: callLimit, textByteLimit: textByteLimit,
      wallClockAtZero: wallClockAtZero, locating: nil)
  }

  /// Creates a sink whose page also has where code was written, which a closure finds.
  package init(
    _ output: TraceOutput, title: String, callLimit: Int = 1_000_000,
    textByteLimit: Int = 64 << 20, wallClockAtZero: UInt64?, locating locate: LocationSearch?
  ) {
    self.output = output
    let page = TracePageData(
      title: title, callLimit: callLimit, textByteLimit: textByteLimit,
      wallClockAtZero: wallClockAtZero, locate: locate)
    state = Locked(State(page: page))
  }

  /// Stores the records for the page.
  public func receive(_ records: [TraceRecord]) {
    let room = state.withLock { $0.page?.room ?? 0 }
    // Arguments and results are rendered without the lock held.
    let calls = records.prefix(room).map(TracedCall.init)
    state.withLock { state in
      guard state.page != nil else {
        state.lostCount += records.count
        return
      }
      for call in calls { state.page?.append(call) }
      state.unshownCount += records.count - calls.count
    }
  }

  /// Writes the page.
  public func finish() {
    let (page, unshownCount) = state.withLock { state in
      defer { state.page = nil }
      return (state.page, state.unshownCount)
    }
    guard let page else { return }
    var text = TraceText()
    TracePage.append(page, unshownCount: unshownCount, to: &text)
    guard !output.write(text.bytes) else { return }
    state.withLock { $0.lostCount += page.callCount }
  }

  /// How many of the records received could not be written.
  ///
  /// Calls beyond the limits are not included.
  public var lostRecordCount: Int { state.withLock { $0.lostCount } }

  /// How many of the records received are beyond the limits, and appear on the page only as this
  /// number.
  public var unshownCallCount: Int { state.withLock { $0.unshownCount } }
}
