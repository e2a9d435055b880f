internal import BlockHooks
internal import Invocations

extension Tracer {
  /// Records a variadic call of known code: one that goes on when its handlers have returned ends
  /// with its original.
  func recordVariadic(_ call: inout CallFrame, as code: TracedCode) throws {
    let thread = TraceThread.current
    guard !thread.isDelivering, stream != nil || !thread.isUntraced else {
      return try call.proceedAsItIs(byFormat: true)
    }
    var words = TraceWords()
    let texts = code.plan.captureArguments(of: call, &words, withStrings: stream != nil)
    let depth = thread.enter(place)
    let start = clock.nanoseconds
    let begin = stream?.begin(
      code, on: thread, depth: depth, at: start, dispatch(of: call, on: thread),
      callers(of: code), words, texts)
    let end = { [self, words] (call: borrowing CallFrame, error: (any Error)?) in
      let (thread, time) = (TraceThread.current, clock.nanoseconds)
      let ending: TraceRecord.Ending = error == nil ? .proceeded : .replaced
      var words = words
      thread.leave(place, at: depth)
      if let stream {
        return self.end(
          call, code, begin ?? nil, in: stream, thread, &words, (depth, time, ending), error)
      }
      finish(call, code, &words, texts, EndedCall(thread, depth, start, time, ending), error)
    }
    do { try call.proceedAsItIs(byFormat: true) } catch {
      end(call, error)
      throw error
    }
    if call.goesOn { call.runAtEnd { call in end(call, nil) } } else { end(call, nil) }
  }
}
