internal import BlockABI
internal import BlockHooks
internal import DelayedBlocks
public import Invocations
private import Synchronization

/// Records calls, and passes the records to sinks.
///
/// A traced thread copies the call's values, reads the clock twice and appends to a bounded queue;
/// a separate thread of the tracer passes batches to the sinks. A slow sink therefore loses
/// records, which `counts` shows, instead of delaying traced calls.
///
/// A tracer may be used from any thread and for any number of blocks. After the last reference to
/// it is released, its sinks soon receive the remaining records and end; `close()` waits for that.
/// A process that exits loses pending records.
public final class Tracer: Sendable {
  /// The selection of what is recorded.
  public let options: TraceOptions

  let clock: ClockReading
  private let slowThreshold: UInt64
  private let queue: TraceQueue?

  /// The destination of the calls if the tracer has no queue.
  let stream: TraceStreamWriter?
  let place = DepthPlace.take()
  let codes = TracedCodes()
  private let belowThreshold = Atomic<Int>(0)

  /// Creates a tracer.
  ///
  /// - Parameters:
  ///   - sinks: Receive the records.
  ///   - options: Selects what is recorded; everything if not given.
  public init(_ sinks: [any TraceSink], options: TraceOptions = TraceOptions()) {
    self.options = options
    clock = ClockReading(options.clock)
    slowThreshold = options.slowThreshold.wholeNanoseconds
    queue = TraceQueue(sinks, options)
    stream = nil
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
  package init(_ stream: TraceStreamWriter, options: TraceOptions = TraceOptions()) {
    self.options = options
    clock = ClockReading(options.clock)
    slowThreshold = options.slowThreshold.wholeNanoseconds
    queue = nil
    self.stream = stream
  }

  deinit {
    queue?.end()
    place.free()
  }

  /// Totals over the calls seen so far.
  public var counts: TraceCounts {
    var counts = queue?.counts ?? TraceCounts()
    if let stream { counts.dropped = stream.droppedCount }
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
    try record(&call, as: code, body)
  }

  /// The code of a block, for the hook that records it.
  func code(of block: Block) -> TracedCode? { codes.code(of: block, options) }

  /// Records a call of known code.
  @inline(__always)
  func record(
    _ call: inout CallFrame, as code: TracedCode,
    _ body: (_ call: inout CallFrame) throws -> Void
  ) rethrows {
    if let stream { return try append(&call, as: code, to: stream, body) }
    let thread = TraceThread.current
    if thread.isUntraced { return try body(&call) }
    var values = TraceValues()
    let texts = code.capture.captureArguments(of: call, &values)
    let proceedCount = call.proceedCount
    let depth = thread.enter(place)
    let start = clock.nanoseconds
    do {
      try body(&call)
    } catch {
      let end = clock.nanoseconds
      thread.leave(place, at: depth)
      let text = "\(error)".capped(Self.errorLimit)
      finish(call, code, &values, texts, thread, depth, start, end, .replaced, text)
      throw error
    }
    let end = clock.nanoseconds
    thread.leave(place, at: depth)
    let ending: TraceRecord.Ending = call.proceedCount > proceedCount ? .proceeded : .replaced
    finish(call, code, &values, texts, thread, depth, start, end, ending, nil)
  }

  static let errorLimit = 1024

  @inline(__always)
  private func finish(
    _ call: borrowing CallFrame, _ code: TracedCode, _ values: inout TraceValues,
    _ texts: [String]?, _ thread: TraceThread, _ depth: Int32, _ start: UInt64, _ end: UInt64,
    _ ending: TraceRecord.Ending, _ error: String?
  ) {
    let duration = end > start ? end - start : 0
    guard isSlow(duration) else { return }
    let result = code.capture.captureResult(of: call, &values)
    if texts != nil || result != nil || error != nil {
      values.texts = TraceTexts(arguments: texts, result: result, error: error)
    }
    queue?.offer(
      TraceRecord(
        start: start, duration: duration, thread: thread.number, depth: depth,
        ending: ending, code: code, values: values),
      at: end)
  }

  /// Whether a call took long enough to be recorded; others are counted.
  @inline(__always)
  private func isSlow(_ duration: UInt64) -> Bool {
    if duration >= slowThreshold { return true }
    belowThreshold.add(1, ordering: .relaxed)
    return false
  }

  /// Records a call that has ended.
  func keep(_ record: TraceRecord, at end: UInt64) {
    if isSlow(record.durationNanoseconds) { queue?.offer(record, at: end) }
  }
}
