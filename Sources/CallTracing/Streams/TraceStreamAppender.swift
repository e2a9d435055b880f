internal import CCallTracing.TraceStream
private import Synchronization

/// Appends records to a stream, whose writer must outlive it.
///
/// A plain address: counting references takes traced threads as long as a record.
@safe
struct TraceStreamAppender: @unchecked Sendable {
  private typealias Format = TraceStreamFormat

  // SAFETY: the writer keeps the memory, which it does not change; the C functions access the shared
  // ring with atomic operations, and reserve memory of the requested size.
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
    let place = append(.begin, [.words, .dispatched], thread, depth, size) { body in
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
    let parts: Format.Parts = hasProceeded ? [.hasProceeded, .words] : .words
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
    _ dispatch: StreamDispatch, _ values: TraceWords, _ texts: [String]?
  ) -> UInt64? {
    guard let number = number(of: code, on: thread) else {
      unsafe cbr_trace_stream_drop(stream)
      return nil
    }
    let count = values.hasArguments ? code.plan.wordCount : 0
    var parts: Format.Parts = values.hasArguments ? .words : texts == nil ? [] : .texts
    parts.insert(.dispatched)
    let size = 12 + StreamDispatch.size + 8 * count + (texts.map(StreamBodyWriter.size) ?? 0)
    let place = append(.begin, parts, thread, depth, size) { body in
      body.append(number)
      body.append(start)
      append(dispatch, to: &body)
      // SAFETY: the count is that of the plan, which never exceeds the words.
      unsafe withUnsafeBytes(of: values.words) { words in
        for index in 0..<count {
          body.append(unsafe words.load(fromByteOffset: 8 * index, as: UInt64.self))
        }
      }
      if let texts { body.append(texts) }
    }
    if place == nil { unsafe cbr_trace_stream_drop(stream) }
    return place
  }

  /// Appends the end of a call whose begin has a position.
  func end(
    _ place: UInt64, on thread: TraceThread, depth: Int32, at end: UInt64, hasProceeded: Bool,
    _ values: TraceWords, result: String?, error: String?, suspension: TaskSuspension? = nil
  ) {
    var parts: Format.Parts = hasProceeded ? .hasProceeded : []
    var size = 16
    if values.hasResult {
      parts.insert(.words)
      size += 16
    }
    if let result {
      parts.insert(.texts)
      size += StreamBodyWriter.size(result)
    }
    if let error {
      parts.insert(.error)
      size += StreamBodyWriter.size(error)
    }
    if suspension != nil {
      parts.insert(.suspension)
      size += 1
    }
    let written = append(.end, parts, thread, depth, size, isUrgent: true) { body in
      body.append(place)
      body.append(end)
      if values.hasResult {
        body.append(values.words.6)
        body.append(values.words.7)
      }
      if let result { body.append(result) }
      if let error { body.append(error) }
      if let suspension { body.append(suspension.rawValue) }
    }
    if written == nil { unsafe cbr_trace_stream_drop(stream) }
  }

  /// Appends a thread if it is new.
  func introduce(_ thread: TraceThread) {
    thread.introduce(to: streamNumber) { append(thread, named: $0) }
  }

  /// Appends a thread that got another name.
  func rename(_ thread: TraceThread, to name: String) {
    thread.rename(in: streamNumber) { append(thread, named: name) }
  }

  private func append(_ thread: TraceThread, named name: String) -> Bool {
    append(.thread, [], thread, 0, StreamBodyWriter.size(name)) { $0.append(name) } != nil
  }

  /// Appends a thread and some code if they are new, and returns the code's number.
  @inline(never)
  private func introduce(_ code: TracedCode, on thread: TraceThread) -> UInt32? {
    introduce(thread)
    let known = code.number.load(ordering: .acquiring)
    if known != 0 { return known }
    let subject = code.recorded.subject
    let kind = code.recorded.kind
    let texts = [subject.name, subject.image, subject.signature].compactMap(\.self)
    var parts: Format.Parts = subject.name == nil ? [] : .name
    if subject.image != nil { parts.insert(.image) }
    if kind == .wait { parts.insert(.isWait) }
    if code.recorded.isTask { parts.insert(.isTask) }
    let number = takeNumber()
    let size = 20 + texts.reduce(0) { $0 + StreamBodyWriter.size($1) }
    let place = append(.code, parts, thread, 0, size) { body in
      body.append(number)
      body.append(UInt64(subject.address ?? 0))
      body.append(Int32(truncatingIfNeeded: code.recorded.capture?.hiddenArgumentCount ?? 0))
      body.append(Int32(clamping: code.plan.limit))
      for text in texts { body.append(text) }
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
    let process = TraceThread.process
    guard let body = unsafe cbr_trace_stream_reserve(stream, size, isUrgent, process, &place) else {
      return nil
    }
    let head = Format.Head(
      kind: kind, parts: parts, depth: depth, process: process, thread: thread.number)
    var writer = unsafe StreamBodyWriter(body, head)
    fill(&writer)
    unsafe cbr_trace_stream_commit(body)
    return place
  }
}
