private import CCallTracing.TraceStream
private import Glibc
internal import Invocations

/// The reader's end of a stream: makes records of what another process appended.
///
/// The contents of a stream are not trusted: invalid data is an error, and is never used to read
/// outside the stream's memory.
@safe
package final class TraceStreamReader {
  // SAFETY: one thread at a time uses the stream, as the class is not `Sendable`; bodies are copied
  // before they are decoded, because other processes can still write to them.

  private typealias Format = TraceStreamFormat

  private struct Thread: Hashable {
    let process: Int32
    let number: Int32
  }

  private struct OpenCall {
    let code: RecordedCode
    let start: UInt64
    let head: TraceStreamFormat.Head
    let values: TraceValues
    let texts: [String]?
  }

  /// The process that created the stream.
  package let process: Int32

  /// That process's name.
  package let processName: String

  /// The processes that write to the stream, as of the last `read`: its creator and the creator's
  /// forks.
  package private(set) var processes: Set<Int32> = []

  /// The reason why nothing can be traced; nil if the program can be traced.
  package private(set) var refusal: TraceRefusal?

  /// The latest time in the records read so far.
  package private(set) var latest: UInt64 = 0

  private var knownProcessCount: UInt32 = 0
  private var stream: cbr_trace_stream
  private var codes: [UInt32: RecordedCode] = [:]
  private var origins: [Thread: TraceOrigin] = [:]
  private var openCalls: [UInt64: OpenCall] = [:]

  /// Opens a stream.
  ///
  /// - Parameter path: The path of the stream's file.
  /// - Throws: `damagedTrace`.
  package init(path: String) throws(TraceError) {
    var opened = unsafe cbr_trace_stream()
    let error = unsafe cbr_trace_stream_open(&opened, path)
    guard error == 0 else {
      let reason =
        error == EINVAL
        ? "it is no stream of this version" : unsafe String(cString: strerror(error))
      throw TraceError(.damagedTrace, "\(path): \(reason); trace the program again")
    }
    unsafe stream = unsafe opened
    process = unsafe cbr_trace_stream_process(&opened, 0)
    processName = unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 16) { name in
      let start = unsafe name.baseAddress.unsafelyUnwrapped
      unsafe cbr_trace_stream_name(&opened, start)
      return unsafe String(cString: start)
    }
  }

  deinit { unsafe cbr_trace_stream_close(&stream) }

  /// How many calls were dropped for lack of room.
  package var droppedCount: Int {
    unsafe Int(truncatingIfNeeded: cbr_trace_stream_dropped(&stream))
  }

  /// How many calls are in progress.
  package var openCallCount: Int { openCalls.count }

  /// A part that its writer has not finished, and that blocks reading.
  struct UnfinishedPart: Equatable {
    /// The position in the stream.
    let place: UInt64
    /// The process that writes the part; nil if it has not recorded that yet.
    let process: Int32?
  }

  /// The part that blocked the last read; nil if none did.
  private(set) var unfinishedPart: UnfinishedPart?

  /// Reads what has been appended, up to the first unfinished part.
  ///
  /// - Parameters:
  ///   - records: Receives the calls that have ended.
  ///   - limit: The maximum number of parts to read; a call has two.
  /// - Returns: Whether an unfinished part was found.
  /// - Throws: `damagedTrace`; the stream cannot be read any further.
  package func read(
    into records: inout [TraceRecord], limit: Int = .max
  ) throws(TraceError) -> Bool {
    findProcesses()
    unfinishedPart = nil
    var part = unsafe cbr_trace_part()
    for _ in 0..<limit {
      switch unsafe cbr_trace_stream_next(&stream, &part) {
      case CBR_TRACE_NOTHING: return false
      case CBR_TRACE_UNFINISHED:
        unfinishedPart = unsafe UnfinishedPart(
          place: part.place, process: part.process == 0 ? nil : part.process)
        return true
      case CBR_TRACE_RECORD:
        let bytes = unsafe Array(UnsafeRawBufferPointer(start: part.body, count: Int(part.size)))
        unsafe cbr_trace_stream_consume(&stream, part.size)
        do throws(DamagedRecord) {
          if let record = try decode(bytes, unsafe part.place) { records.append(record) }
        } catch {
          throw damage(error.reason)
        }
      default: throw damage("the next data is not a record")
      }
    }
    return false
  }

  /// Skips the part that blocks reading, unless it was finished meanwhile.
  ///
  /// ## Safety
  /// The part's process must be dead; if it is not known, all processes that write to the stream
  /// must be. A living one would write over other records.
  @unsafe
  package func passOverUnfinishedPart() {
    guard unfinishedPart != nil else { return }
    unsafe cbr_trace_stream_pass_over(&stream)
    unfinishedPart = nil
  }

  /// The calls in progress, as calls that lasted until now.
  ///
  /// - Parameter now: The time now, by `CLOCK_MONOTONIC`.
  /// - Returns: Their records, in the order in which they began.
  package func unfinishedRecords(at now: UInt64) -> [TraceRecord] {
    openCalls.sorted { $0.key < $1.key }.map { _, call in
      record(of: call, head: call.head, end: now, call.values, ending: .unfinished)
    }
  }

  private func findProcesses() {
    let count = unsafe cbr_trace_stream_process_count(&stream)
    if count &- knownProcessCount > 512 { knownProcessCount = count &- 512 }
    // A process whose entry is not written yet is found by the next read.
    while knownProcessCount != count {
      let process = unsafe cbr_trace_stream_process(&stream, knownProcessCount)
      guard process > 0 else { return }
      processes.insert(process)
      knownProcessCount &+= 1
    }
  }

  private func damage(_ reason: String) -> TraceError {
    TraceError(
      .damagedTrace,
      "the stream of process \(process) (\(processName)) is damaged: \(reason); the program may "
        + "have written over it")
  }

  // MARK: Decoding

  private func decode(_ bytes: [UInt8], _ place: UInt64) throws(DamagedRecord) -> TraceRecord? {
    var body = ByteReader<DamagedRecord>(bytes[...])
    let kind = Format.Kind(rawValue: try body.integer())
    let parts = Format.Parts(rawValue: try body.integer())
    let _: UInt16 = try body.integer()
    guard let kind else { throw DamagedRecord("an unknown kind") }
    // The sinks indent by the depth, so its range must not depend on untrusted data.
    let depth = min(max(try body.integer(Int32.self), 0), Int32(UInt16.max))
    let head = Format.Head(
      kind: kind, parts: parts, depth: depth, process: try body.integer(),
      thread: try body.integer())
    switch kind {
    case .code: try addCode(&body, head)
    case .thread:
      let name = try body.text()
      let thread = Thread(process: head.process, number: head.thread)
      origins[thread] = TraceOrigin(
        process: head.process, processName: processName, threadName: name)
    case .begin: openCalls[place] = try begin(&body, head)
    case .end: return try end(&body, head)
    case .refusal:
      refusal = TraceRefusal(
        code: try body.text(), message: try body.text(), endsProgram: parts.contains(.isEnd))
    case .acceptance: refusal = nil
    }
    return nil
  }

  private func addCode(
    _ body: inout ByteReader<DamagedRecord>, _ head: Format.Head
  ) throws(DamagedRecord) {
    let number: UInt32 = try body.integer()
    let address: UInt64 = try body.integer()
    let hidden = Int(try body.integer(Int32.self))
    let limit = Int(try body.integer(Int32.self))
    let name = head.parts.contains(.name) ? try body.text() : nil
    let image = head.parts.contains(.image) ? try body.text() : nil
    let signature = try body.text()
    guard let interface = try? CallInterface.of(signature),
      (0...interface.argumentCount).contains(hidden)
    else { throw DamagedRecord("an invalid signature: \(signature)") }
    codes[number] = RecordedCode(
      TraceSubject(
        name: name, image: image, signature: signature,
        address: address == 0 ? nil : UInt(address)),
      TraceCapture(interface, hiddenArgumentCount: hidden, limit: limit))
  }

  private func begin(
    _ body: inout ByteReader<DamagedRecord>, _ head: Format.Head
  ) throws(DamagedRecord) -> OpenCall {
    guard let code = codes[try body.integer()] else {
      throw DamagedRecord("a call of unknown code")
    }
    let start: UInt64 = try body.integer()
    latest = max(latest, start)
    var values = TraceValues()
    if head.parts.contains(.words), code.capture.plan.copiesArguments {
      try values.readArguments(code.capture.plan.wordCount, from: &body)
    }
    let texts = head.parts.contains(.texts) ? try body.texts() : nil
    return OpenCall(code: code, start: start, head: head, values: values, texts: texts)
  }

  /// The call that ended; nil if its begin was dropped.
  private func end(
    _ body: inout ByteReader<DamagedRecord>, _ head: Format.Head
  ) throws(DamagedRecord) -> TraceRecord? {
    let place: UInt64 = try body.integer()
    let time: UInt64 = try body.integer()
    latest = max(latest, time)
    guard let call = openCalls[place] else { return nil }
    // After a fork the call ends in both processes.
    if call.head.process == head.process { openCalls[place] = nil }
    var values = call.values
    if head.parts.contains(.words), call.code.capture.plan.copiesResult {
      try values.readResult(from: &body)
    }
    let result = head.parts.contains(.texts) ? try body.text() : nil
    let error = head.parts.contains(.error) ? try body.text() : nil
    return record(
      of: call, head: head, end: time, values, result: result, error: error,
      ending: head.parts.contains(.hasProceeded) ? .proceeded : .replaced)
  }

  private func record(
    of call: OpenCall, head: Format.Head, end: UInt64, _ values: TraceValues,
    result: String? = nil, error: String? = nil, ending: TraceRecord.Ending
  ) -> TraceRecord {
    var values = values
    values.texts = TraceTexts.ifAny(arguments: call.texts, result: result, error: error)
    return TraceRecord(
      start: call.start, duration: end > call.start ? end - call.start : 0, thread: head.thread,
      depth: head.depth, ending: ending, code: call.code, values: values, origin: origin(of: head))
  }

  private func origin(of head: Format.Head) -> TraceOrigin {
    let thread = Thread(process: head.process, number: head.thread)
    if let known = origins[thread] { return known }
    let made = TraceOrigin(process: head.process, processName: processName, threadName: nil)
    origins[thread] = made
    return made
  }
}

/// The reason why a record is invalid.
private struct DamagedRecord: DamageError {
  let reason: String

  init(_ reason: String) { self.reason = reason }

  static func truncated(_ message: String, at offset: Int) -> DamagedRecord {
    DamagedRecord(message)
  }

  static func invalidValue(_ message: String, at offset: Int) -> DamagedRecord {
    DamagedRecord(message)
  }
}

extension ByteReader<DamagedRecord> {
  fileprivate mutating func texts() throws(DamagedRecord) -> [String] {
    var texts: [String] = []
    for _ in 0..<(try integer(UInt32.self)) { texts.append(try text()) }
    return texts
  }
}

extension TraceValues {
  /// Reads the words of the arguments, at most six.
  fileprivate mutating func readArguments(
    _ count: Int, from body: inout ByteReader<DamagedRecord>
  ) throws(DamagedRecord) {
    for index in 0..<count {
      let word: UInt64 = try body.integer()
      // SAFETY: the count is that of a capture, which never exceeds the words for arguments.
      unsafe withUnsafeMutableBytes(of: &words.words) { words in
        unsafe words.storeBytes(of: word, toByteOffset: 8 * index, as: UInt64.self)
      }
    }
    words.hasArguments = true
  }

  /// Reads the words of the result.
  fileprivate mutating func readResult(
    from body: inout ByteReader<DamagedRecord>
  ) throws(DamagedRecord) {
    (words.words.6, words.words.7) = (try body.integer(), try body.integer())
    words.hasResult = true
  }
}
