private import CCallTracing.TraceRing

/// The calls that wait for the sinks of a queue.
///
/// Traced threads append without a lock, and allocate nothing: a call is a fixed number of words in
/// memory that is reserved from the start. One thread makes records of them.
@safe
final class TraceRing: Sendable {
  // SAFETY: the memory lives as long as this object; the C functions keep the accesses of writers
  // and of the reader apart by atomic operations. The code of a call in the ring is alive, because
  // `TraceQueue` retains the code that its owner releases until the call was taken.
  nonisolated(unsafe) private let ring: OpaquePointer

  /// The number of calls that may wait.
  let capacity: Int

  /// Reserves memory, of which calls that never wait use none.
  ///
  /// - Parameter capacity: The number of calls that may wait; if the system does not reserve so
  ///   much, fewer may, and none if it reserves nothing.
  init(capacity: Int) {
    unsafe ring = unsafe cbr_trace_ring_create(UInt64(max(capacity, 1)))
    self.capacity = unsafe Int(cbr_trace_ring_capacity(ring))
  }

  deinit { unsafe cbr_trace_ring_free(ring) }

  /// The number of calls that were appended so far.
  var acceptedCount: Int { unsafe Int(cbr_trace_ring_accepted(ring)) }

  /// The number of calls that were taken so far.
  var takenCount: Int { unsafe Int(cbr_trace_ring_taken(ring)) }

  /// The number of calls that found no room.
  var droppedCount: Int { unsafe Int(cbr_trace_ring_dropped(ring)) }

  /// The ring as traced threads see it.
  var appender: Appender { unsafe Appender(ring: ring) }

  /// Appends calls to a ring, whose owner must outlive it: a plain address, because counting
  /// references takes traced threads longer than a call's words.
  @safe
  struct Appender: @unchecked Sendable {
    fileprivate let ring: OpaquePointer

    /// Appends a call, or counts it as dropped.
    ///
    /// - Returns: Whether the reader must be woken.
    func append(
      _ call: EndedCall, _ words: TraceWords, _ code: RecordedCode, _ texts: TraceTexts?
    ) -> Bool {
      unsafe append(
        call, code, texts, hasArguments: words.hasArguments, hasResult: words.hasResult
      ) { unsafe $0.pointee = words.words }
    }

    /// Appends a call, or counts it as dropped.
    ///
    /// The closure stores the words that there are.
    ///
    /// - Returns: Whether the reader must be woken.
    @inline(__always)
    func append(
      _ call: EndedCall, _ code: RecordedCode, _ texts: TraceTexts?, hasArguments: Bool,
      hasResult: Bool, _ fill: (UnsafeMutablePointer<TraceWords.Words>) -> Void
    ) -> Bool {
      var place: UInt64 = 0
      guard let slot = unsafe cbr_trace_ring_reserve(ring, &place) else { return false }
      unsafe slot.pointee.start = call.start
      unsafe slot.pointee.duration = call.duration
      unsafe slot.pointee.code = unsafe UnsafeRawPointer(Unmanaged.passUnretained(code).toOpaque())
      unsafe slot.pointee.texts = unsafe texts.map {
        unsafe UnsafeRawPointer(Unmanaged.passRetained($0).toOpaque())
      }
      unsafe slot.pointee.thread = call.thread
      unsafe slot.pointee.depth = call.depth
      unsafe slot.pointee.ending = call.ending.rawValue
      unsafe slot.pointee.has_arguments = hasArguments
      unsafe slot.pointee.has_result = hasResult
      unsafe fill(&slot.pointee.words)
      return unsafe cbr_trace_ring_commit(ring, slot, place)
    }
  }

  /// Lets no further call be appended.
  func close() { unsafe cbr_trace_ring_close(ring) }

  // MARK: The reader

  /// Moves calls to the end of some records, up to the first that its thread has not completed.
  ///
  /// Calls that are appended meanwhile may be left.
  ///
  /// - Parameters:
  ///   - records: Receives them.
  ///   - sequence: The number of the next record, which grows by the calls that were dropped.
  func take(into records: inout [TraceRecord], _ sequence: inout UInt64) {
    let count = acceptedCount - takenCount
    var offset: UInt64 = 0
    for _ in 0..<count {
      guard let call = unsafe cbr_trace_ring_next(ring, offset) else { break }
      // Calls that were dropped by other threads are counted by the call that notices them.
      let passed = unsafe cbr_trace_ring_taken(ring) + offset + call.pointee.dropped
      sequence = max(sequence, passed)
      records.append(unsafe TraceRecord(call.pointee, sequence))
      sequence += 1
      offset += 1
      // Traced threads soon find room again.
      if offset == 32 {
        unsafe cbr_trace_ring_give_back(ring, offset)
        offset = 0
      }
    }
    unsafe cbr_trace_ring_give_back(ring, offset)
  }

  /// Announces that the reader sleeps while fewer than `count` calls wait; the call that makes them
  /// so many tells that the reader must be woken.
  ///
  /// - Returns: Whether fewer wait.
  func maySleep(untilThereAre count: Int) -> Bool {
    unsafe cbr_trace_ring_may_sleep(ring, UInt64(count))
  }

  /// Ends the announcement.
  func stayAwake() { unsafe cbr_trace_ring_awake(ring) }
}

/// A call that has ended, apart from its code and its values.
struct EndedCall {
  let start: UInt64
  let duration: UInt64
  let thread: Int32
  let depth: Int32
  let ending: TraceRecord.Ending

  @inline(__always)
  init(
    _ thread: TraceThread, _ depth: Int32, _ start: UInt64, _ end: UInt64,
    _ ending: TraceRecord.Ending
  ) {
    self.start = start
    duration = end > start ? end - start : 0
    self.thread = thread.number
    self.depth = depth
    self.ending = ending
  }
}

extension TraceRecord {
  /// Makes a record of a call in a ring.
  ///
  /// ## Safety
  /// The call must be complete, and this the only record made of it.
  @unsafe
  fileprivate init(_ call: cbr_trace_call, _ sequence: UInt64) {
    let code = unsafe Unmanaged<RecordedCode>.fromOpaque(call.code).takeUnretainedValue()
    let texts = unsafe call.texts.map {
      unsafe Unmanaged<TraceTexts>.fromOpaque($0).takeRetainedValue()
    }
    self.init(
      start: unsafe call.start, duration: unsafe call.duration, thread: unsafe call.thread,
      depth: unsafe call.depth,
      ending: unsafe Ending(rawValue: call.ending) ?? .proceeded, code: code,
      values: TraceValues(
        words: TraceWords(
          words: unsafe call.words, hasArguments: unsafe call.has_arguments,
          hasResult: unsafe call.has_result), texts: texts))
    self.sequence = sequence
  }
}
