/// The reason why nothing in a program can be traced.
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
  /// Tells the reader that nothing can be traced, at least not yet.
  package func refuse(_ refusal: TraceRefusal) {
    let size = StreamBodyWriter.size(refusal.code) + StreamBodyWriter.size(refusal.message)
    _ = appender.append(.refusal, refusal.endsProgram ? .isEnd : .none, .current, 0, size) { body in
      body.append(refusal.code)
      body.append(refusal.message)
    }
  }

  /// Tells the reader that what was refused can now be traced.
  package func accept() { _ = appender.append(.acceptance, .none, .current, 0, 0) { _ in } }
}
