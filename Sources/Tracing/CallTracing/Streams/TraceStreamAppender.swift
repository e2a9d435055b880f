internal import CCallTracing.TraceStream
private import CCallTracing.TraceStrings
private import CodeSymbols
private import Synchronization

/// Appends records to a stream, whose writer must outlive it.
///
/// A plain address: counting references takes traced threads as long as a record.
@safe
struct TraceStreamAppender: @unchecked Sendable {
  private typealias Format = TraceStreamFormat

  // SAFETY: the writer keeps the memory, which it does not change; the C functions access the
  // shared ring with atomic operations, and reserve memory of the requested size.
  private let stream: UnsafeMutablePointer<cbr_trace_stream>

  /// The stream's number among those of the process.
  private let streamNumber: UInt32

  /// Appends to a stream.
  ///
  /// ## Safety
  /// The stream must have been created, and outlive the appender.
  @unsafe
  init(_ stream: UnsafeMutablePointer<cbr_trace_stream>) {
    unsafe self.stream = unsafe stream
    streamNumber = unsafe stream.pointee.number
  }

  /// The number of some code in the stream, for calls on a thread; both are appended first if they
  /// are new.
  ///
  /// - Returns: The number, nil if there was no room for the code.
  @inline(__always)
  func number(of code: TracedCode, on thread: TraceThread) -> UInt32? {
    // Stored after the code's record was committed, so the reader meets that first.
    let known = code.number.load(ordering: .acquiring)
    if known != 0, thread.isIntroduced(to: streamNumber) { return known }
    return introduce(code, on: thread)
  }

  /// A number of the stream's series that nothing else has.
  func takeNumber() -> UInt32 { unsafe cbr_trace_stream_take_number(stream) }

  /// How many records of any kind found no room so far.
  var gaps: UInt32 { unsafe cbr_trace_stream_gaps(stream) }

  /// Counts a record that is not of a call and found no room.
  func leaveGap() { unsafe cbr_trace_stream_leave_gap(stream) }

  /// Appends the begin of a call whose arguments are copied.
  ///
  /// The closure stores so many words, which are zero before.
  ///
  /// - Returns: The record's position, nil if there was no room.
  @inline(__always)
  func begin(
    _ code: UInt32, on thread: TraceThread, depth: Int32, at start: UInt64,
    _ dispatch: StreamDispatch, wordCount: Int, _ fill: (UnsafeMutableRawPointer) -> Void
  ) -> UInt64? {
    let size = 12 &+ StreamDispatch.size &+ 8 &* wordCount
    let place = append(.begin, .words.with(.dispatched), thread, depth, size) { body in
      body.append(code)
      body.append(start)
      append(dispatch, to: &body)
      unsafe body.append(wordCount: wordCount, fill)
    }
    if place == nil { unsafe cbr_trace_stream_drop(stream) }
    return place
  }

  @inline(__always)
  private func append(_ dispatch: StreamDispatch, to body: inout StreamBodyWriter) {
    body.append(dispatch.queue)
    body.append(gaps)
    body.append(dispatch.block)
    body.append(dispatch.task)
  }

  /// Appends the end of a call whose begin has a position, and whose result is copied.
  ///
  /// The closure stores the words of the result, which are zero before.
  @inline(__always)
  func end(
    _ place: UInt64, on thread: TraceThread, depth: Int32, at end: UInt64, hasProceeded: Bool,
    _ fill: (UnsafeMutableRawPointer) -> Void
  ) {
    let parts: Format.Parts = .words.with(.hasProceeded, if: hasProceeded)
    let size = 16 + CapturePlan.resultBytes
    let written = append(.end, parts, thread, depth, size, isUrgent: true) { body in
      body.append(place)
      body.append(end)
      unsafe body.append(wordCount: CapturePlan.resultBytes / 8, fill)
    }
    if written == nil { unsafe cbr_trace_stream_drop(stream) }
  }

  /// Appends the begin of a call.
  ///
  /// - Returns: The record's position, nil if there was no room.
  func begin(
    _ code: TracedCode, on thread: TraceThread, depth: Int32, at start: UInt64,
    _ dispatch: StreamDispatch, _ callers: TraceCallers?, _ values: TraceWords,
    _ texts: [String]?
  ) -> UInt64? {
    var values = values
    guard let number = number(of: code, on: thread) else {
      unsafe cbr_trace_stream_drop(stream)
      return nil
    }
    let count = values.hasArguments ? code.plan.wordCount : 0
    let parts: Format.Parts = .dispatched.with(.callers, if: callers != nil)
      .with(.words, if: values.hasArguments).with(.texts, if: texts != nil)
    var strings = cbr_trace_strings()
    let mask = count > 0 ? code.plan.strings & CapturePlan.argumentStrings : 0
    unsafe values.withArguments { unsafe cbr_trace_find_strings(&strings, $0, mask) }
    let size =
      12 + StreamDispatch.size + (callers?.size ?? 0) + 8 * count
      + (texts.map(StreamBodyWriter.size) ?? 0) + Int(strings.size)
    let place = append(.begin, parts, thread, depth, size) { body in
      body.append(number)
      body.append(start)
      append(dispatch, to: &body)
      callers?.append(to: &body)
      // SAFETY: the count is that of the plan, which never exceeds the words.
      unsafe body.append(wordCount: count) { body in
        unsafe values.withArguments { unsafe body.copyMemory(from: $0, byteCount: 8 * count) }
      }
      if let texts { body.append(texts) }
      body.append(strings)
    }
    if place == nil { unsafe cbr_trace_stream_drop(stream) }
    return place
  }

  /// Appends the end of a call whose begin has a position.
  ///
  /// `strings` are the words that are addresses of C strings, as bits.
  func end(
    _ place: UInt64, on thread: TraceThread, depth: Int32, at end: UInt64, hasProceeded: Bool,
    _ values: TraceWords, strings: UInt8 = 0, result: String?, error: String?,
    suspension: TaskSuspension? = nil
  ) {
    var values = values
    var found = cbr_trace_strings()
    let mask = values.hasResult ? strings & ~CapturePlan.argumentStrings : 0
    unsafe values.withArguments { unsafe cbr_trace_find_strings(&found, $0, mask) }
    let parts: Format.Parts = .none.with(.hasProceeded, if: hasProceeded)
      .with(.words, if: values.hasResult).with(.texts, if: result != nil)
      .with(.error, if: error != nil).with(.suspension, if: suspension != nil)
    let size =
      16 + (values.hasResult ? CapturePlan.resultBytes : 0) + Int(found.size)
      + StreamBodyWriter.size(result) + StreamBodyWriter.size(error) + (suspension == nil ? 0 : 1)
    let written = append(.end, parts, thread, depth, size, isUrgent: true) { body in
      body.append(place)
      body.append(end)
      if values.hasResult {
        body.append(values.words.6)
        body.append(values.words.7)
      }
      body.append(found)
      body.append(result)
      body.append(error)
      if let suspension { body.append(suspension.rawValue) }
    }
    if written == nil { unsafe cbr_trace_stream_drop(stream) }
  }

  /// Appends a thread if it is new.
  func introduce(_ thread: TraceThread) {
    unsafe thread.introduce(to: streamNumber) { unsafe append(thread, named: $0) }
  }

  /// Appends a thread that got another name.
  func rename(_ thread: TraceThread, to name: UnsafeRawBufferPointer) {
    thread.rename(in: streamNumber) { unsafe append(thread, named: name) }
  }

  private func append(_ thread: TraceThread, named name: UnsafeRawBufferPointer) -> Bool {
    let size = unsafe StreamBodyWriter.size(name)
    return append(.thread, .none, thread, 0, size) { unsafe $0.append(name) } != nil
  }

  /// Appends a thread and some code if they are new, and returns the code's number.
  @inline(never)
  private func introduce(_ code: TracedCode, on thread: TraceThread) -> UInt32? {
    introduce(thread)
    let known = code.number.load(ordering: .acquiring)
    if known != 0 { return known }
    let subject = code.recorded.subject
    let file = subject.place?.file
    let kind = code.recorded.kind
    let signature = subject.hasSignature ? subject.signature : nil
    let parts: Format.Parts = .none.with(.name, if: subject.name != nil)
      .with(.image, if: file != nil).with(.signature, if: signature != nil)
      .with(.isWait, if: kind == .wait).with(.isTask, if: code.recorded.isTask)
    let number = takeNumber()
    let size =
      36 + StreamBodyWriter.size(subject.name) + StreamBodyWriter.size(file)
      + StreamBodyWriter.size(signature)
    let place = append(.code, parts, thread, 0, size) { body in
      body.append(number)
      body.append(UInt64(subject.address ?? 0))
      body.append(UInt64(subject.place?.address ?? 0))
      body.append(subject.place?.buildID ?? 0)
      body.append(Int32(truncatingIfNeeded: code.recorded.capture?.hiddenArgumentCount ?? 0))
      body.append(Int32(clamping: code.plan.limit))
      body.append(subject.name)
      body.append(file)
      body.append(signature)
    }
    guard place != nil else { return nil }
    // Two threads may append the same code: the reader then knows it by both numbers.
    code.number.store(number, ordering: .releasing)
    return number
  }

  @inline(__always)
  func append(
    _ kind: TraceStreamFormat.Kind, _ parts: TraceStreamFormat.Parts, _ thread: TraceThread,
    _ depth: Int32,
    _ size: Int, isUrgent: Bool = false, _ fill: (inout StreamBodyWriter) -> Void
  ) -> UInt64? {
    let size = UInt64(truncatingIfNeeded: Format.Head.size &+ size)
    var place: UInt64 = 0
    guard let body = unsafe cbr_trace_stream_reserve(stream, size, isUrgent, &place) else {
      return nil
    }
    let head = Format.Head(
      kind: kind, parts: parts, depth: depth, process: TraceThread.process, thread: thread.number)
    var writer = unsafe StreamBodyWriter(body, head)
    fill(&writer)
    unsafe cbr_trace_stream_commit(body)
    return place
  }

  /// Appends a record that is not of a call; returns false if there was no room.
  @discardableResult
  func appendOrLeaveGap(
    _ kind: TraceStreamFormat.Kind, _ parts: TraceStreamFormat.Parts, depth: Int32 = 0,
    _ size: Int, _ fill: (inout StreamBodyWriter) -> Void
  ) -> Bool {
    if append(kind, parts, .current, depth, size, fill) != nil { return true }
    leaveGap()
    return false
  }
}

/// The fields of a call in a stream that tell where it was dispatched.
struct StreamDispatch {
  static let size = 24

  /// The number of the queue that the thread runs.
  let queue: UInt32

  /// The address of the called block; 0 if the call is not one of a block.
  let block: UInt64

  /// The number of the Swift task that makes the call; 0 for none.
  let task: UInt64
}
