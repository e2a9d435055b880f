internal import BlockHooks
package import Invocations

/// Records calls of code that is not hooked itself: time, thread and duration, and the arguments
/// that the caller tells.
package final class OpaqueCallTrace: OpaqueCallObserver {
  private let tracer: Tracer
  private let code: TracedCode

  /// Traces the calls of some code; nil if the tracer's patterns exclude it.
  ///
  /// - Parameters:
  ///   - tracer: Receives the calls.
  ///   - address: The address of the code.
  package convenience init?(_ tracer: Tracer, codeAt address: UnsafeRawPointer?) {
    tracer.codes.forgetWhatWasUnloaded()
    // SAFETY: the address is only looked up.
    self.init(tracer, try? unsafe tracer.codes.codeWithoutValues(at: address, tracer.options))
  }

  /// Traces the calls of a function of integers and addresses; nil if the tracer's patterns exclude
  /// it.
  ///
  /// - Parameters:
  ///   - tracer: Receives the calls.
  ///   - address: The address of the function.
  ///   - interface: Its call interface: no result, and at most two arguments.
  ///   - isTask: Whether it is what a Swift task runs.
  package convenience init?(
    _ tracer: Tracer, functionAt address: UnsafeRawPointer?, _ interface: CallInterface,
    isTask: Bool = false
  ) {
    tracer.codes.forgetWhatWasUnloaded()
    // SAFETY: the address is only looked up.
    let code = unsafe tracer.codes.code(
      at: address, interface, hidden: 0, tracer.options, isTask: isTask,
      title: unsafe isTask && address == nil ? "a task" : nil)
    self.init(tracer, code)
  }

  /// Records what is no call of a function by a name; nil if the tracer's patterns exclude it.
  ///
  /// - Parameters:
  ///   - tracer: Receives the records.
  ///   - name: The name.
  package convenience init?(_ tracer: Tracer, named name: String) {
    self.init(
      tracer, try? unsafe tracer.codes.codeWithoutValues(at: nil, tracer.options, title: name))
  }

  private init?(_ tracer: Tracer, _ code: TracedCode?) {
    guard let code, code.isIncluded else { return nil }
    (self.tracer, self.code) = (tracer, code)
    // Not at the first call, which a signal's handler may make.
    _ = tracer.stream?.number(of: code, on: .current)
  }

  /// The address of the code; 0 if it is not known.
  package var address: UInt { code.recorded.subject.address ?? 0 }

  /// Records that a call begins on the current thread.
  package func begin() -> OpaqueCall { tracer.begin(code, 0, TraceWords()) }

  /// Records that a call of a function begins on the current thread.
  ///
  /// - Parameters:
  ///   - block: What stands for the block in the submission.
  ///   - first: The first argument.
  ///   - second: The second, if there is one.
  /// - Returns: What ends the call.
  package func begin(block: UInt, _ first: UInt, _ second: UInt = 0) -> OpaqueCall {
    var words = TraceWords()
    (words.words.0, words.words.1) = (UInt64(first), UInt64(second))
    words.hasArguments = true
    return tracer.begin(code, UInt64(block), words)
  }

  /// Records that the thread begins to run a part of a Swift task.
  ///
  /// - Parameters:
  ///   - task: The task's number.
  ///   - job: What stands for the task in its submission.
  /// - Returns: What ends the part, and the task that the thread ran before.
  package func begin(task: UInt64, job: UInt) -> (call: OpaqueCall, outer: UInt64) {
    let thread = TraceThread.current
    let outer = thread.task
    thread.task = task
    return (tracer.begin(code, UInt64(job), TraceWords()), outer)
  }

  /// Records that the thread ends to run a part of a Swift task.
  ///
  /// - Parameters:
  ///   - call: What began it.
  ///   - outer: The task that the thread ran before.
  ///   - suspension: Why it ends.
  package func end(_ call: OpaqueCall, outer: UInt64, _ suspension: TaskSuspension) {
    tracer.end(call, of: code, suspension)
    TraceThread.current.task = outer
  }

  /// Records that a call was left without an end.
  package func abandon(_ call: OpaqueCall) { tracer.abandon(call) }

  /// Records that a call ends.
  package func end(_ call: OpaqueCall) { tracer.end(call, of: code) }
}

extension Tracer {
  /// Records that a call begins.
  func begin(_ code: TracedCode, _ block: UInt64, _ words: TraceWords) -> OpaqueCall {
    let thread = TraceThread.current
    let depth = thread.enter(place)
    let start = clock.nanoseconds
    let dispatch = StreamDispatch(
      queue: queues?.current(on: thread) ?? 0, block: block, task: thread.task)
    let begin = stream?.begin(
      code, on: thread, depth: depth, at: start, dispatch, nil, words, nil)
    return OpaqueCall(start: start, place: begin, depth: depth)
  }

  /// Records that a call was left without an end.
  func abandon(_ call: OpaqueCall) { TraceThread.current.leave(place, at: call.depth) }

  /// Records that a call ends.
  func end(_ call: OpaqueCall, of code: TracedCode, _ suspension: TaskSuspension? = nil) {
    let thread = TraceThread.current
    let end = clock.nanoseconds
    thread.leave(place, at: call.depth)
    if let stream {
      guard let begin = call.place else { return }
      return stream.end(
        begin, on: thread, depth: call.depth, at: end, hasProceeded: true, TraceWords(),
        result: nil, error: nil, suspension: suspension)
    }
    guard !thread.isUntraced else { return }
    let ended = EndedCall(thread, call.depth, call.start, end, .proceeded)
    if isSlow(ended.duration) { queue?.offer(ended, TraceWords(), code.recorded, nil) }
  }
}

extension OpaqueCall {
  /// The data that a tracer stores in a call in progress.
  fileprivate init(start: UInt64, place: UInt64?, depth: Int32) {
    self.init((start, place.map { $0 + 1 } ?? 0, UInt64(UInt32(bitPattern: depth))))
  }

  /// The time at which it began.
  fileprivate var start: UInt64 { words.0 }

  /// The position of its begin in the stream, if that was recorded.
  fileprivate var place: UInt64? { words.1 == 0 ? nil : words.1 - 1 }

  /// The number of traced calls around it on its thread.
  fileprivate var depth: Int32 { Int32(truncatingIfNeeded: words.2) }
}
