private import BlockHooks
private import BlockRuntimeThreads

/// Writes Perfetto's own trace format, which <https://ui.perfetto.dev> and its trace processor
/// open.
///
/// Each thread is a track, and each call a slice of it. An arrow (a flow) leads from where a block
/// was sent to a queue, an instant on the sender's track, to the call. The output is bytes: it must
/// be a file or a descriptor, and not a closure that receives text.
///
/// Calls inside of another one are written with it, when that ends. A file that was cut short shows
/// all that was written.
public final class PerfettoTraceSink: TraceSink {
  private struct State {
    var calls = NestedCalls()
    var tracks: PerfettoTracks
    var lostCount = 0
    var isFinished = false
  }

  private let output: TraceOutput
  private let state: Locked<State>

  /// Creates a sink.
  ///
  /// - Parameters:
  ///   - output: Receives the trace.
  ///   - wallClockAtZero: The time at which the clock of the records was zero, in nanoseconds since
  ///     1970, which viewers show; nil if that is not known.
  public convenience init(_ output: TraceOutput, wallClockAtZero: UInt64? = nil) {
    self.init(output, wallClockAtZero: wallClockAtZero, locating: nil)
  }

  /// Creates a sink that also writes where code was written, which a closure finds.
  package init(
    _ output: TraceOutput, wallClockAtZero: UInt64?, locating locate: LocationSearch?
  ) {
    self.output = output
    let tracks = PerfettoTracks(wallClockAtZero: wallClockAtZero, locating: locate)
    state = Locked(State(tracks: tracks))
  }

  /// Writes the records, but for those inside of a call that has not ended.
  public func receive(_ records: [TraceRecord]) {
    write(records.count) { state in
      for record in records.innermostFirst { state.tracks.append(state.calls.add(record)) }
      for calls in state.calls.removeOldest() { state.tracks.append(calls) }
    }
  }

  /// Writes the records that remain; without any record, a trace without calls.
  public func finish() {
    write(0) { state in
      for calls in state.calls.removeAll() { state.tracks.append(calls) }
      state.tracks.beginIfEmpty(at: ClockReading.monotonic.nanoseconds)
      state.isFinished = true
    }
  }

  /// How many of the records received could not be written.
  public var lostRecordCount: Int { state.withLock { $0.lostCount } }

  private func write(_ count: Int, _ add: (inout State) -> Void) {
    // Records come on one thread at a time: the lock is free.
    state.withLock { state in
      guard !state.isFinished else {
        state.lostCount += count
        return
      }
      add(&state)
      let (bytes, recordCount) = state.tracks.takeBytes()
      guard !bytes.isEmpty, !output.write(bytes) else { return }
      state.lostCount += recordCount
      state.tracks.startOver()
    }
  }
}
