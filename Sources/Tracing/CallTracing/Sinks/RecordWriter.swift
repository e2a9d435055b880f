private import BlockRuntimeThreads

/// The common part of the sinks that write lines: the memory of their text, and the count of lost
/// records.
final class RecordWriter: Sendable {
  private struct State {
    var text = TraceText()
    var lostCount = 0
  }

  private let output: TraceOutput
  private let state = Locked(State())

  init(_ output: TraceOutput) { self.output = output }

  var lostRecordCount: Int { state.withLock { $0.lostCount } }

  /// Writes records that `render` converts to text.
  func write(_ records: [TraceRecord], _ render: (TraceRecord, inout TraceText) -> Void) {
    // The memory is taken out of the state, so that rendering and writing need no lock.
    var text = state.withLock { state in
      let text = state.text
      state.text = TraceText()
      return text
    }
    text.clear()
    for record in records { render(record, &text) }
    let isWritten = output.write(text.bytes)
    state.withLock { state in
      state.text = text
      if !isWritten { state.lostCount += records.count }
    }
  }
}
