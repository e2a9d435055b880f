#if Spans || Everything
internal import CallTracing
internal import Invocations
internal import SymbolInterposing
internal import Tracing

/// Runs hooked calls in spans.
final class CallSpans: Sendable {
  typealias Prepare = @Sendable (_ span: any Span, _ call: borrowing CallFrame) throws -> Void

  private let name: String?
  private let kind: SpanKind
  private let values: SpanValues
  private let tracer: (any Tracing.Tracer)?
  private let prepare: Prepare?
  let codes = CalledCodes()

  init(
    _ name: String?, _ kind: SpanKind, _ values: SpanValues, _ tracer: (any Tracing.Tracer)?,
    _ prepare: Prepare?
  ) {
    self.name = name
    self.kind = kind
    self.values = values
    self.tracer = tracer
    self.prepare = prepare
  }

  /// Runs a call in a span.
  ///
  /// - Throws: What `prepare` throws, after the call, and the errors of proceeding.
  func run(_ call: inout CallFrame) throws {
    let (codeName, code) = codes.code(of: call)
    let name = name ?? codeName
    let span = (tracer ?? InstrumentationSystem.tracer).startSpan(
      name, context: ServiceContext.current ?? .topLevel, ofKind: kind, at: DefaultTracerClock.now,
      function: code.name ?? name, file: code.image ?? "", line: 0)
    var failure: (any Error)?
    if span.isRecording {
      addAttributes(to: span, code, call)
      do { try prepare?(span, call) } catch { failure = error }
    }
    do {
      try ServiceContext.withValue(span.context) { try call.proceedAsItIs(byFormat: true) }
    } catch {
      record(error, in: span)
      span.end()
      throw error
    }
    if call.goesOn { call.runAtEnd { call in self.end(span, call) } } else { end(span, call) }
    if let failure { throw failure }
  }

  private func end(_ span: any Span, _ call: borrowing CallFrame) {
    if let error = call.error { record(error, in: span) }
    if values.contains(.result), span.isRecording, let result = call.resultText {
      span.attributes["blockruntime.result"] = result
    }
    span.end()
  }

  private func addAttributes(
    to span: any Span, _ code: TraceSubject, _ call: borrowing CallFrame
  ) {
    let queue = QueueLabel.ofCurrent
    let arguments =
      values.contains(.arguments)
      ? call.ownArgumentIndices.map { ($0, call.arguments.text($0)) } : []
    span.updateAttributes { attributes in
      attributes["code.function.name"] = code.name
      attributes["blockruntime.image"] = code.image
      attributes["blockruntime.queue"] = queue
      for (index, text) in arguments { attributes["blockruntime.argument.\(index)"] = text }
    }
  }

  private func record(_ error: any Error, in span: any Span) {
    span.recordError(error)
    span.setStatus(SpanStatus(code: .error))
  }
}
#endif
