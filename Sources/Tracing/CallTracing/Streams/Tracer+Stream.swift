internal import BlockHooks
internal import Invocations

extension Tracer {
  /// Records a call of known code in a stream.
  @inline(never)
  func append(
    _ call: inout CallFrame, as code: TracedCode, to stream: TraceStreamAppender,
    _ body: (_ call: inout CallFrame) throws -> Void
  ) rethrows {
    let thread = TraceThread.current
    if thread.isDelivering { return try body(&call) }
    var values = TraceWords()
    let texts = code.plan.captureArguments(of: call, &values, withStrings: true)
    let depth = thread.enter(place)
    let begin = stream.begin(
      code, on: thread, depth: depth, at: clock.nanoseconds, dispatch(of: call, on: thread),
      callers(of: code), values, texts)
    try run(&call, on: thread, at: depth, body) { call, ended, error in
      end(call, code, begin, in: stream, thread, &values, ended, error)
    }
  }

  /// Records a call in a stream whose values are all copied.
  ///
  /// A call whose callers are recorded is left to `append`: their numbers are many words, which all
  /// calls would copy.
  ///
  /// It is `run` by hand, because that makes `trace.stream` 89 instructions longer.
  @inline(never)
  func appendCopied(
    _ call: inout CallFrame, as code: TracedCode, to stream: TraceStreamAppender,
    _ body: (_ call: inout CallFrame) throws -> Void
  ) rethrows {
    let thread = TraceThread.current
    if thread.isDelivering { return try body(&call) }
    guard code.callers == nil, let number = stream.number(of: code, on: thread) else {
      return try append(&call, as: code, to: stream, body)
    }
    let proceedCount = call.proceedCount
    let depth = thread.enter(place)
    let begin = unsafe stream.begin(
      number, on: thread, depth: depth, at: clock.nanoseconds, dispatch(of: call, on: thread),
      wordCount: code.plan.wordCount
    ) { words in
      unsafe call.memory.inRegisters { unsafe code.plan.copyArguments(from: $0.address, to: words) }
    }
    do {
      try body(&call)
    } catch {
      var words = TraceWords()
      let time = clock.nanoseconds
      thread.leave(place, at: depth)
      end(call, code, begin, in: stream, thread, &words, (depth, time, .replaced), error)
      throw error
    }
    let end = clock.nanoseconds
    thread.leave(place, at: depth)
    // The end of a call whose begin was dropped is dropped as well.
    guard let begin else { return }
    let hasProceeded = call.proceedCount > proceedCount
    guard code.plan.hasResult, call.isResultSet else {
      return stream.end(
        begin, on: thread, depth: depth, at: end, hasProceeded: hasProceeded, TraceWords(),
        result: nil, error: nil)
    }
    unsafe stream.end(begin, on: thread, depth: depth, at: end, hasProceeded: hasProceeded) {
      words in
      unsafe code.plan.copyResult(from: call.memory.resultAddress, to: words)
    }
  }

  /// Where a call that begins was dispatched.
  @inline(__always)
  func dispatch(of call: borrowing CallFrame, on thread: TraceThread) -> StreamDispatch {
    StreamDispatch(
      queue: queues?.current(on: thread) ?? 0,
      block: unsafe UInt64(UInt(bitPattern: call.calledBlock)), task: thread.task)
  }

  /// Who made the call that begins; nil if that is not recorded of the code.
  @inline(__always)
  func callers(of code: TracedCode) -> TraceCallers? {
    guard let search = code.callers else { return nil }
    return queues?.callers.find(search, mayAllocate: code.recorded.kind == .wait)
  }

  func end(
    _ call: borrowing CallFrame, _ code: TracedCode, _ begin: UInt64?,
    in stream: TraceStreamAppender, _ thread: TraceThread, _ values: inout TraceWords,
    _ ended: RunCall, _ error: (any Error)?
  ) {
    // The end of a call whose begin was dropped is dropped as well.
    guard let begin else { return }
    let result = code.plan.captureResult(of: call, &values, withStrings: true)
    // Not by `map`, which allocates its types' metadata in debug builds.
    var failure: String?
    if let error { failure = "\(error)".capped(Self.errorLimit) }
    stream.end(
      begin, on: thread, depth: ended.depth, at: ended.time,
      hasProceeded: ended.ending == .proceeded, values, strings: code.plan.strings, result: result,
      error: failure)
  }
}
