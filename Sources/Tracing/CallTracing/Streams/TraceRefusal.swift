/// The reason why a program, or a function that was named, cannot be traced.
package struct TraceRefusal: Hashable, Sendable {
  /// The error's stable name.
  package let code: String

  /// What is wrong, and how to correct it.
  package let message: String

  /// Whether the program was ended before it began; otherwise it runs without being traced.
  package let endsProgram: Bool

  /// Creates a refusal.
  package init(code: String, message: String, endsProgram: Bool) {
    self.code = code
    self.message = message
    self.endsProgram = endsProgram
  }
}

extension TraceStreamWriter {
  /// Tells the reader that the program or a function cannot be traced, at least not yet.
  package func refuse(_ refusal: TraceRefusal) {
    let size = StreamBodyWriter.size(refusal.code) + StreamBodyWriter.size(refusal.message)
    _ = appender.append(.refusal, refusal.endsProgram ? .isEnd : .none, .current, 0, size) { body in
      body.append(refusal.code)
      body.append(refusal.message)
    }
  }

  /// Takes all refusals back: one of them is over, and who still has others sends these again.
  package func accept() { _ = appender.append(.acceptance, .none, .current, 0, 0) { _ in } }
}
