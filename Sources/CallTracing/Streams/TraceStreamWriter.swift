private import CCallTracing.TraceStream
private import Glibc
private import Synchronization

/// The traced process's end of a stream: threads append their calls, for a reader in another
/// process.
///
/// Appended records survive the end of this process. Appending takes no lock and allocates no
/// memory. The child of a fork appends to the same stream.
@safe
package final class TraceStreamWriter: Sendable {
  private typealias Format = TraceStreamFormat

  /// The default capacity of a stream, in bytes.
  package static let defaultCapacity = 16 << 20

  // SAFETY: written by `init` and `deinit` only; the C functions access the shared ring with atomic
  // operations, and reserve memory of the requested size.
  nonisolated(unsafe) private let stream: UnsafeMutablePointer<cbr_trace_stream>

  /// Creates a stream in a file of its own.
  ///
  /// - Parameters:
  ///   - directory: The directory in which the reader looks for streams.
  ///   - capacity: The number of bytes for records that the reader has not consumed; further
  ///     records are dropped.
  /// - Throws: `outputUnavailable`.
  package init(directory: String, capacity: Int = defaultCapacity) throws(TraceError) {
    let made = UnsafeMutablePointer<cbr_trace_stream>.allocate(capacity: 1)
    let error = unsafe cbr_trace_stream_create(made, directory, UInt64(max(capacity, 0)))
    guard error == 0 else {
      unsafe made.deallocate()
      let reason = unsafe String(cString: strerror(error))
      throw TraceError(
        .outputUnavailable,
        "cannot create a stream of \(capacity) bytes in \(directory): \(reason); give a directory "
          + "and a capacity that this process has room for")
    }
    unsafe stream = unsafe made
    TraceThread.watchForks()
  }

  deinit {
    unsafe cbr_trace_stream_close(stream)
    unsafe stream.deallocate()
  }

  /// How many calls were dropped for lack of room.
  package var droppedCount: Int {
    unsafe Int(truncatingIfNeeded: cbr_trace_stream_dropped(stream))
  }

  /// Appends the begin of a call.
  ///
  /// - Returns: The record's position, nil if there was no room.
  func begin(
    _ code: TracedCode, on thread: TraceThread, depth: Int32, at start: UInt64,
    _ values: TraceValues, _ texts: [String]?
  ) -> UInt64? {
    thread.introduce(to: unsafe stream.pointee.number) { name in
      append(.thread, [], thread, 0, StreamBodyWriter.size(name)) { $0.append(name) } != nil
    }
    guard let number = number(of: code, thread) else {
      unsafe cbr_trace_stream_drop(stream)
      return nil
    }
    let count = values.hasArguments ? code.capture.wordCount : 0
    let parts: Format.Parts = values.hasArguments ? .words : texts == nil ? [] : .texts
    let size = 12 + 8 * count + (texts.map(StreamBodyWriter.size) ?? 0)
    let place = append(.begin, parts, thread, depth, size) { body in
      body.append(number)
      body.append(start)
      // SAFETY: the count is that of the capture, which never exceeds the words.
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
    _ values: TraceValues, result: String?, error: String?
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
    let written = append(.end, parts, thread, depth, size, isUrgent: true) { body in
      body.append(place)
      body.append(end)
      if values.hasResult {
        body.append(values.words.6)
        body.append(values.words.7)
      }
      if let result { body.append(result) }
      if let error { body.append(error) }
    }
    if written == nil { unsafe cbr_trace_stream_drop(stream) }
  }

  /// The number of some code in the stream, to which the code is appended first if it is new.
  private func number(of code: TracedCode, _ thread: TraceThread) -> UInt32? {
    // Stored after the code's record was committed, so the reader meets that first.
    let known = code.number.load(ordering: .acquiring)
    if known != 0 { return known }
    let subject = code.subject
    let texts = [subject.name, subject.image, subject.signature].compactMap(\.self)
    var parts: Format.Parts = subject.name == nil ? [] : .name
    if subject.image != nil { parts.insert(.image) }
    let number = unsafe cbr_trace_stream_take_number(stream)
    let size = 20 + texts.reduce(0) { $0 + StreamBodyWriter.size($1) }
    let place = append(.code, parts, thread, 0, size) { body in
      body.append(number)
      body.append(UInt64(subject.address ?? 0))
      body.append(Int32(truncatingIfNeeded: code.capture.hiddenArgumentCount))
      body.append(Int32(clamping: code.capture.limit))
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
    let size = UInt64(Format.Head.size + size)
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
