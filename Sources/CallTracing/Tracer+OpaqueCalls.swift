internal import BlockHooks
package import Invocations

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

extension OpaqueCall {
  /// What a tracer keeps of a call under way.
  fileprivate init(start: UInt64, place: UInt64?, depth: Int32) {
    self.init((start, place.map { $0 + 1 } ?? 0, UInt64(UInt32(bitPattern: depth))))
  }

  /// When it began.
  fileprivate var start: UInt64 { words.0 }

  /// Where its begin was recorded, if it was.
  fileprivate var place: UInt64? { words.1 == 0 ? nil : words.1 - 1 }

  /// How many traced calls it is inside of, on its thread.
  fileprivate var depth: Int32 { Int32(truncatingIfNeeded: words.2) }

  /// Which trace was told of the begin; 0 for none.
  package var trace: UInt32 {
    get { UInt32(words.2 >> 32) }
    set { words.2 = words.2 & 0xFFFF_FFFF | UInt64(newValue) << 32 }
  }
}
