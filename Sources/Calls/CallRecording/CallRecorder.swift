internal import BlockHooks
private import BlockRuntimeThreads
private import Dispatch
private import Glibc
internal import Invocations
private import Synchronization

/// Writes recorded calls to a file.
///
/// Callers only copy their call into a buffer; a queue of the recorder's own writes it out, within
/// some milliseconds. When the buffer is full calls are dropped and counted, so that a slow disk
/// does not slow the blocks. All functions may be called from any thread. Dropping the last
/// reference, which hooks hold too, ends the file as `close()` does, but reports no errors.
public final class CallRecorder: Sendable {
  private struct State {
    /// The bytes that the writer has not taken yet.
    var pending: [UInt8] = []
    var pendingCalls = 0

    /// When the writer is to come next, if that was set since it last took the pending bytes.
    var wake = Wake.never
    var isClosed = false
    var subjectCount: UInt32 = 0
    var recorded = 0
    var dropped = 0
    var failure: RecordingError?
  }

  /// The time at which the writer comes next.
  private enum Wake: Int {
    case never, later, now
  }

  /// How long calls wait for others to be written with them.
  private static let delay = DispatchTimeInterval.milliseconds(10)

  private let path: String
  private let descriptor: Int32
  private let capacity: Int
  private let queue = DispatchQueue(label: "CallRecording.CallRecorder", qos: .utility)
  private let state: Locked<State>
  private let lastNumber = Atomic<UInt64>(0)

  /// Creates a file for recorded calls, in place of one that is there.
  ///
  /// The file is readable by its owner only: calls may hold secrets.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - bufferSize: How many bytes of calls may wait to be written, at least 1; as many again may
  ///     be being written. A call that is longer is dropped.
  /// - Throws: `recordingFailed`.
  public init(path: String, bufferSize: Int = 1 << 20) throws(RecordingError) {
    guard bufferSize > 0 else {
      throw RecordingError(
        .recordingFailed, "a buffer of \(bufferSize.of("byte")) holds no call; give more")
    }
    // A pipe that nobody reads is refused, not waited for. From then on writing may wait.
    // SAFETY: the path is a C string for the duration of the call.
    let descriptor = unsafe open(
      path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NONBLOCK, 0o600)
    guard descriptor >= 0 else { throw Self.error("cannot be opened", path, errno) }
    _ = fcntl(descriptor, F_SETFL, O_WRONLY)
    self.path = path
    self.descriptor = descriptor
    capacity = bufferSize
    state = Locked(State(pending: RecordingFormat.header))
  }

  deinit {
    // A writer that was woken holds the recorder: no call is pending, at most header and subjects.
    let isClosed = state.withLock { $0.isClosed }
    if !isClosed { end() }
  }

  /// How many calls have been taken, whether they are written yet or not; calls that could not be
  /// written do not count.
  public var recordedCount: Int { state.withLock { $0.recorded } }

  /// How many calls were dropped: for a full buffer, for an error in writing, or after the end.
  public var droppedCount: Int { state.withLock { $0.dropped } }

  /// Waits until all calls taken so far are written.
  ///
  /// - Throws: `recordingFailed` once writing has failed; the recorder has stopped then, and drops
  ///   all further calls.
  public func flush() throws(RecordingError) {
    queue.sync { write() }
    if let failure = state.withLock({ $0.failure }) { throw failure }
  }

  /// Writes the rest, and ends the file; a second call only throws the same error again.
  ///
  /// Hooks that record to the file stay in place; their calls are dropped and counted.
  ///
  /// - Throws: `recordingFailed` if something could not be written.
  public func close() throws(RecordingError) {
    let wasClosed = state.withLock { state in
      defer { state.isClosed = true }
      return state.isClosed
    }
    queue.sync { if !wasClosed { end() } }
    if let failure = state.withLock({ $0.failure }) { throw failure }
  }

  /// The number of a call that begins now.
  func beginCall() -> UInt64 { lastNumber.add(1, ordering: .relaxed).newValue }

  /// Adds a block whose calls shall be recorded.
  ///
  /// - Returns: The number by which calls name the block.
  /// - Throws: `recordingFailed` after the end, and for names or signatures that are too long.
  func addSubject(
    name: String, signature: String, usesStructReturn: Bool?
  ) throws(RecordingError) -> UInt32 {
    var body = [RecordingFormat.Kind.subject.rawValue]
    body.append(UInt8(RecordingFormat.structReturnFlags.firstIndex(of: usesStructReturn) ?? 0))
    guard body.append(counted: name.utf8), body.append(counted: signature.utf8) else {
      throw RecordingError(
        .recordingFailed, "the block's name or signature is too long to be recorded")
    }
    let record = RecordingFormat.record(body)
    let path = path
    // Subjects are never dropped: calls refer to them.
    return try state.withLock { state throws(RecordingError) in
      if let failure = state.failure { throw failure }
      guard !state.isClosed else {
        throw RecordingError(.recordingFailed, "\(path) is closed; make another recorder")
      }
      state.pending += record
      defer { state.subjectCount += 1 }
      return state.subjectCount
    }
  }

  /// Adds a call, or drops it if there is no room.
  ///
  /// - Parameter body: The body of the call's record; nil if the call could not be encoded.
  func add(call body: [UInt8]?) {
    let record = body.map(RecordingFormat.record)
    let wake = state.withLock { state -> Wake in
      guard let record, !state.isClosed, state.failure == nil,
        record.count <= capacity - min(state.pending.count, capacity)
      else {
        state.dropped += 1
        return .never
      }
      state.pending += record
      state.pendingCalls += 1
      state.recorded += 1
      let wake: Wake = state.pending.count > capacity / 2 ? .now : .later
      guard wake.rawValue > state.wake.rawValue else { return .never }
      state.wake = wake
      return wake
    }
    switch wake {
    case .never: break
    case .later: queue.asyncAfter(deadline: .now() + Self.delay) { self.write() }
    case .now: queue.async { self.write() }
    }
  }

  /// Writes the pending bytes; runs on the queue, or where nobody else has the recorder.
  private func write() {
    var batch: [UInt8] = []
    let calls = state.withLock { state in
      swap(&batch, &state.pending)
      state.wake = .never
      defer { state.pendingCalls = 0 }
      return state.pendingCalls
    }
    if let number = write(batch) { fail(number, losing: calls) }
  }

  /// Writes bytes.
  ///
  /// - Returns: The system's error number, nil if all was written.
  private func write(_ bytes: [UInt8]) -> Int32? {
    var rest = bytes[...]
    while !rest.isEmpty {
      // SAFETY: the buffer is as long as the system is told.
      let count = ReentrancyGuard.ignoringThread {
        unsafe rest.withUnsafeBytes {
          unsafe Glibc.write(descriptor, $0.baseAddress, $0.count)
        }
      }
      if count < 0 {
        if errno == EINTR { continue }
        return errno
      }
      rest = rest.dropFirst(count)
    }
    return nil
  }

  /// Ends recording after an error: the bytes that were to be written, and those that wait, are
  /// lost.
  private func fail(_ number: Int32, losing calls: Int) {
    let failure = Self.error("cannot be written", path, number)
    state.withLock { state in
      let lost = calls + state.pendingCalls
      state.failure = failure
      state.pending = []
      state.pendingCalls = 0
      state.recorded -= lost
      state.dropped += lost
    }
  }

  /// Writes the rest and the record of the end, and closes the file.
  private func end() {
    write()
    let counts = state.withLock { state in
      defer { state.isClosed = true }
      return state.failure == nil ? (state.recorded, state.dropped) : nil
    }
    if let (recorded, dropped) = counts {
      var body = [RecordingFormat.Kind.end.rawValue]
      body.append(littleEndian: UInt64(recorded))
      body.append(littleEndian: UInt64(dropped))
      if let number = write(RecordingFormat.record(body)) { fail(number, losing: 0) }
    }
    // Some file systems tell of lost writes only here.
    if Glibc.close(descriptor) != 0, counts != nil, errno != EINTR { fail(errno, losing: 0) }
  }

  private static func error(_ problem: String, _ path: String, _ number: Int32) -> RecordingError {
    let reason = SystemError.text(number)
    return RecordingError(
      .recordingFailed, "\(path) \(problem): \(reason); give a path with room that may be written")
  }
}
