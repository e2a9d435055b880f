private import BlockRuntimeThreads

/// The common part of the sinks that write: the memory of their text, and the count of lost
/// records.
final class RecordWriter: Sendable {
  private struct State {
    var text = TraceText()
    var lostCount = 0
    var isFinished = false
  }

  private let output: TraceOutput
  private let state = Locked(State())

  init(_ output: TraceOutput) { self.output = output }

  var lostRecordCount: Int { state.withLock { $0.lostCount } }

  /// Writes records that `render` converts to text; after the end they are lost.
  func write(_ records: [TraceRecord], _ render: (TraceRecord, inout TraceText) -> Void) {
    let isFinished = state.withLock { $0.isFinished }
    let isWritten =
      !isFinished
      && write { text in
        for record in records { render(record, &text) }
      }
    if !isWritten { state.withLock { $0.lostCount += records.count } }
  }

  /// Writes text before or between records.
  @discardableResult
  func write(_ render: (inout TraceText) -> Void) -> Bool {
    // The memory is taken out of the state, so that rendering and writing need no lock.
    var text = state.withLock { state in
      let text = state.text
      state.text = TraceText()
      return text
    }
    text.clear()
    render(&text)
    let isWritten = output.write(text.bytes)
    state.withLock { $0.text = text }
    return isWritten
  }

  /// Writes the last text, once.
  func finish(_ render: (inout TraceText) -> Void) {
    let isFirst = state.withLock { state in
      defer { state.isFinished = true }
      return !state.isFinished
    }
    if isFirst { write(render) }
  }
}
