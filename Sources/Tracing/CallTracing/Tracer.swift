internal import BlockABI
internal import BlockHooks
internal import BlockRuntimeThreads
internal import DelayedBlocks
public import Invocations
private import Synchronization

/// Records calls, and passes the records to sinks.
///
/// A traced thread copies the call's values, reads the clock twice and appends to a bounded queue;
/// a separate thread of the tracer passes batches to the sinks. A slow sink therefore loses
/// records, which `counts` shows, instead of delaying traced calls. A traced thread takes no lock
/// unless the rate of records is limited, and allocates memory only for values that it renders.
///
/// A tracer may be used from any thread and for any number of blocks. After the last reference to
/// it is released, its sinks soon receive the remaining records and end; `close()` waits for that.
/// A process that exits loses pending records.
public final class Tracer: Sendable {
  /// The selection of what is recorded.
  public let options: TraceOptions

  let clock: TraceClock
  private let slowThreshold: UInt64
  let queue: TraceQueue?

  /// The queue's ring, if every call that has ended may be appended to it.
  private let ring: TraceRing.Appender?

  /// The destination of the calls if the tracer has no queue, and how they are appended to it.
  private let writer: TraceStreamWriter?
  let stream: TraceStreamAppender?

  /// The process's queues, for a stream; nil without one, or without memory for them.
  package let queues: TraceQueues?
  let place = DepthPlace.take()
  let codes: TracedCodes
  let marks = Locked<[String: TracedCode]>([:])
  private let belowThreshold = Atomic<Int>(0)

  /// Creates a tracer.
  ///
  /// - Parameters:
  ///   - sinks: Receive the records.
  ///   - options: Selects what is recorded; everything if not given.
  public convenience init(_ sinks: [any TraceSink], options: TraceOptions = TraceOptions()) {
    self.init(TraceQueue(sinks, options), nil, options)
  }

  /// Creates a tracer of one sink.
  ///
  /// - Parameters:
  ///   - sink: Receives the records.
  ///   - options: Selects what is recorded; everything if not given.
  public convenience init(_ sink: any TraceSink, options: TraceOptions = TraceOptions()) {
    self.init([sink], options: options)
  }

  /// Creates a tracer whose calls another process reads: the calling thread itself appends them to
  /// a stream when they begin and when they end, so a crash loses none.
  ///
  /// Such a tracer has no thread. The threshold, the rate and the options of the queue have no
  /// effect.
  ///
  /// - Parameters:
  ///   - stream: Receives the calls.
  ///   - options: Selects what is recorded; everything if not given.
  package convenience init(_ stream: TraceStreamWriter, options: TraceOptions = TraceOptions()) {
    self.init(nil, stream, options)
  }

  private init(_ queue: TraceQueue?, _ writer: TraceStreamWriter?, _ options: TraceOptions) {
    self.options = options
    clock = TraceClock(options.clock)
    slowThreshold = options.slowThreshold.wholeNanoseconds
    self.queue = queue
    ring = queue?.unlimitedRing
    self.writer = writer
    stream = writer?.appender
    queues = stream.flatMap { [clock, place] in TraceQueues($0, clock, place) }
    codes = TracedCodes(queue, queues)
  }

  deinit {
    queue?.end()
    place.free()
  }

  /// Totals over the calls seen so far.
  public var counts: TraceCounts {
    var counts = queue?.counts ?? TraceCounts()
    if let writer { counts.dropped = writer.droppedCount }
    counts.belowThreshold = belowThreshold.load(ordering: .relaxed)
    return counts
  }

  /// Waits until the sinks have received the records of all calls that have ended.
  ///
  /// It returns at once if one of the tracer's sinks calls it.
  public func flush() { queue?.flush() }

  /// Passes the remaining records to the sinks, ends the sinks and releases them.
  ///
  /// Later records are counted as dropped. It does not wait if one of the tracer's sinks calls it.
  public func close() { queue?.close() }

  /// Records the execution of `body` for a call, in any hook that runs instead of the original and
  /// in handlers of function pointers and of blocks made at run time.
  ///
  /// - Parameters:
  ///   - call: The call.
  ///   - body: Runs the call: proceeds, or sets a result.
  /// - Throws: The error of `body`, which is recorded.
  public func record(
    _ call: inout CallFrame, _ body: (_ call: inout CallFrame) throws -> Void
  ) rethrows {
    let code = codes.code(of: call, options)
    guard code.isIncluded else { return try body(&call) }
    // The call in the queue does not retain its code.
    defer { withExtendedLifetime(code) {} }
    try record(&call, as: code, body)
  }

  /// Records a call of known code.
  @inline(__always)
  func record(
    _ call: inout CallFrame, as code: TracedCode,
    _ body: (_ call: inout CallFrame) throws -> Void
  ) rethrows {
    // Hooks get a copy of this function, so what takes longer is in others.
    guard code.plan.copiesAll, call.position != .death else {
      return try recordRendered(&call, as: code, body)
    }
    guard let ring else {
      if let stream { return try appendCopied(&call, as: code, to: stream, body) }
      return try recordRendered(&call, as: code, body)
    }
    let thread = TraceThread.current
    if thread.isUntraced { return try body(&call) }
    var words = TraceWords()
    words.hasArguments = true
    unsafe words.withArguments { words in
      unsafe call.memory.inRegisters { unsafe code.plan.copyArguments(from: $0.address, to: words) }
    }
    let depth = thread.enter(place)
    let start = clock.nanoseconds
    try run(&call, on: thread, at: depth, body) { call, ended, error in
      let ended = EndedCall(thread, ended.depth, start, ended.time, ended.ending)
      if error != nil { return finish(call, code, &words, nil, ended, error) }
      guard isSlow(ended.duration) else { return }
      let hasResult = code.plan.hasResult && call.isResultSet
      let mustWake = unsafe ring.append(
        ended, code.recorded, nil, hasArguments: true, hasResult: hasResult
      ) { target in
        unsafe target.pointee = words.words
        guard hasResult else { return }
        let result = unsafe UnsafeMutableRawPointer(target) + 8 * CapturePlan.argumentWords
        unsafe code.plan.copyResult(from: call.memory.resultAddress, to: result)
      }
      if mustWake { wakeQueue() }
    }
  }

  /// Records a call that may have values to render, or whose rate is limited, or in a stream.
  @inline(never)
  private func recordRendered(
    _ call: inout CallFrame, as code: TracedCode,
    _ body: (_ call: inout CallFrame) throws -> Void
  ) rethrows {
    if let stream { return try append(&call, as: code, to: stream, body) }
    let thread = TraceThread.current
    if thread.isUntraced { return try body(&call) }
    var words = TraceWords()
    let texts = code.plan.captureArguments(of: call, &words)
    let depth = thread.enter(place)
    let start = clock.nanoseconds
    try run(&call, on: thread, at: depth, body) { call, ended, error in
      let ended = EndedCall(thread, ended.depth, start, ended.time, ended.ending)
      finish(call, code, &words, texts, ended, error)
    }
  }

  /// What is known of each call that has run.
  typealias RunCall = (depth: Int32, time: UInt64, ending: TraceRecord.Ending)

  /// Runs a call that a thread has entered: the form of recorded calls, whose values a queue gets
  /// when they have ended, and a stream when they begin and when they end.
  @inline(__always)
  func run(
    _ call: inout CallFrame, on thread: TraceThread, at depth: Int32,
    _ body: (_ call: inout CallFrame) throws -> Void,
    end: (_ call: borrowing CallFrame, RunCall, (any Error)?) -> Void
  ) rethrows {
    let proceedCount = call.proceedCount
    do {
      try body(&call)
    } catch {
      let time = clock.nanoseconds
      thread.leave(place, at: depth)
      end(call, (depth, time, .replaced), error)
      throw error
    }
    let time = clock.nanoseconds
    thread.leave(place, at: depth)
    end(call, (depth, time, call.proceedCount > proceedCount ? .proceeded : .replaced), nil)
  }

  static let errorLimit = 1024

  /// Offers a call that has ended to the queue, with what is rendered of it.
  @inline(never)
  func finish(
    _ call: borrowing CallFrame, _ code: TracedCode, _ words: inout TraceWords, _ texts: [String]?,
    _ ended: EndedCall, _ error: (any Error)?
  ) {
    guard isSlow(ended.duration) else { return }
    let result = code.plan.captureResult(of: call, &words)
    queue?.offer(
      ended, words, code.recorded,
      .ifAny(
        arguments: texts, result: result, error: error.map { "\($0)".capped(Self.errorLimit) }))
  }

  @inline(never)
  private func wakeQueue() { queue?.wakeUp() }

  /// Whether a call took long enough to be recorded; others are counted.
  @inline(__always)
  func isSlow(_ duration: UInt64) -> Bool {
    if duration >= slowThreshold { return true }
    belowThreshold.add(1, ordering: .relaxed)
    return false
  }
}
