internal import BlockHooks
internal import Invocations

extension Tracer {
  /// Records that a call begins of which nothing else is known.
  func begin(_ code: TracedCode) -> OpaqueCall {
    let thread = TraceThread.current
    let depth = thread.enter(place)
    let start = clock.nanoseconds
    let begin = stream?.begin(code, on: thread, depth: depth, at: start, TraceValues(), nil)
    return OpaqueCall(start: start, place: begin, depth: depth)
  }

  /// Notes that a call was left without an end.
  func abandon(_ call: OpaqueCall) { TraceThread.current.leave(place, at: call.depth) }

  /// Records that it ends.
  func end(_ call: OpaqueCall, of code: TracedCode) {
    let thread = TraceThread.current
    let end = clock.nanoseconds
    thread.leave(place, at: call.depth)
    if let stream {
      guard let begin = call.place else { return }
      return stream.end(
        begin, on: thread, depth: call.depth, at: end, hasProceeded: true, TraceValues(),
        result: nil, error: nil)
    }
    guard !thread.isUntraced else { return }
    keep(
      TraceRecord(
        start: call.start, duration: end > call.start ? end - call.start : 0,
        thread: thread.number, depth: call.depth, ending: .proceeded, code: code,
        values: TraceValues()), at: end)
  }
}
