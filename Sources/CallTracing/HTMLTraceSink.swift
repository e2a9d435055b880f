private import BlockRuntimeThreads

/// Writes one HTML page that shows the calls in any browser, without a network or other files.
///
/// The page has a timeline with a lane a thread, a search, and a table of the slowest blocks. It is
/// written when the tracer closes: until then the calls are in memory, each text once, in about 40
/// bytes a call beside its texts.
public final class HTMLTraceSink: TraceSink {
  private struct State {
    /// What the page will show, nil once it is written.
    var page: TracePageData?
    var lostCount = 0
    var unshownCount = 0
  }

  private let output: TraceOutput
  private let state: Locked<State>

  /// Creates a sink.
  ///
  /// - Parameters:
  ///   - output: Where the page goes.
  ///   - title: The page's heading.
  ///   - callLimit: The most calls that are kept, the first ones; the others are counted, and the
  ///     page says how many they are.
  ///   - textByteLimit: After so many bytes of different arguments, results and errors no more calls
  ///     are kept either.
  public init(
    _ output: TraceOutput, title: String = "Traced blocks", callLimit: Int = 200_000,
    textByteLimit: Int = 64 << 20
  ) {
    self.output = output
    let page = TracePageData(title: title, callLimit: callLimit, textByteLimit: textByteLimit)
    state = Locked(State(page: page))
  }

  /// Keeps the records for the page.
  public func receive(_ records: [TraceRecord]) {
    let room = state.withLock { $0.page?.room ?? 0 }
    // Arguments and results become text under no lock.
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
  /// Those beyond the limit are not among them.
  public var lostRecordCount: Int { state.withLock { $0.lostCount } }

  /// How many of the records received are beyond the limit, and on the page only as this number.
  public var unshownCallCount: Int { state.withLock { $0.unshownCount } }
}
