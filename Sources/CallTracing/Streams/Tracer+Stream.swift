internal import BlockHooks
internal import Invocations

extension Tracer {
  /// Records a call of known code in a stream.
  @inline(never)
  func append(
    _ call: inout CallFrame, as code: TracedCode, to stream: TraceStreamWriter,
    _ body: (_ call: inout CallFrame) throws -> Void
  ) rethrows {
    let thread = TraceThread.current
    if thread.isDelivering { return try body(&call) }
    var values = TraceValues()
    let texts = code.capture.captureArguments(of: call, &values)
    let proceedCount = call.proceedCount
    let depth = thread.enter(place)
    let begin = stream.begin(code, on: thread, depth: depth, at: clock.nanoseconds, values, texts)
    do {
      try body(&call)
    } catch {
      let text = "\(error)".capped(Self.errorLimit)
      end(call, code, begin, in: stream, thread, depth, &values, false, text)
      throw error
    }
    end(
      call, code, begin, in: stream, thread, depth, &values, call.proceedCount > proceedCount, nil)
  }

  private func end(
    _ call: borrowing CallFrame, _ code: TracedCode, _ begin: UInt64?,
    in stream: TraceStreamWriter, _ thread: TraceThread, _ depth: Int32,
    _ values: inout TraceValues, _ hasProceeded: Bool, _ error: String?
  ) {
    let end = clock.nanoseconds
    thread.leave(place, at: depth)
    // The end of a call whose begin was dropped is dropped as well.
    guard let begin else { return }
    let result = code.capture.captureResult(of: call, &values)
    stream.end(
      begin, on: thread, depth: depth, at: end, hasProceeded: hasProceeded, values,
      result: result, error: error)
  }
}
