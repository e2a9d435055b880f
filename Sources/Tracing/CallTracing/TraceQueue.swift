private import BlockRuntimeThreads
private import DelayedBlocks
private import Dispatch

/// The queue of calls between the traced threads and the sinks.
///
/// A traced thread appends to a ring. A separate thread of the queue makes records of the calls
/// that wait there, and calls the sinks without a lock held.
final class TraceQueue: Sendable {
  fileprivate struct State {
    /// Records that the sinks have received, that exceed the rate, and that sinks lost.
    var delivered = 0
    var suppressed = 0
    var lost = 0
    var limiter: RateLimiter
    var isClosed = false
    var isFinished = false
    var sinks: [any TraceSink]

    /// Code that only its calls in the ring need: it is released once so many calls were taken.
    var retired: [(count: Int, code: RecordedCode)] = []

    /// Threads that wait until a number of records was delivered; `Int.max` waits for the end.
    var waiters: [(count: Int, semaphore: DispatchSemaphore)] = []
  }

  /// The number of records for which memory is reserved from the start.
  private static let reservedCapacity = 65_536

  private let ring: TraceRing
  private let state: Locked<State>
  private let isLimited: Bool
  private let wake = DispatchSemaphore(value: 0)
  private let delay: DispatchTimeInterval

  init(_ sinks: [any TraceSink], _ options: TraceOptions) {
    ring = TraceRing(capacity: options.queueCapacity)
    delay = .nanoseconds(Int(clamping: options.deliveryDelay.wholeNanoseconds))
    isLimited = options.recordsPerSecond != nil
    state = Locked(State(limiter: RateLimiter(options.recordsPerSecond), sinks: sinks))
    TraceThread.watchForks()
    // A thread of its own: otherwise each delivery would submit a block, which could itself be
    // traced.
    DispatchQueue(label: "BlockRuntime.traces").async { self.deliverAll() }
  }

  /// The ring, if the rate of records is not limited: then traced threads append to it themselves.
  var unlimitedRing: TraceRing.Appender? { isLimited ? nil : ring.appender }

  /// Accepts a call that has ended, or counts it as dropped or suppressed.
  func offer(_ call: EndedCall, _ words: TraceWords, _ code: RecordedCode, _ texts: TraceTexts?) {
    if isLimited, !isAdmitted(at: call.start &+ call.duration) { return }
    if ring.appender.append(call, words, code, texts) { wakeUp() }
  }

  /// Wakes the delivering thread, when the ring says so.
  func wakeUp() { wake.signal() }

  /// Whether the rate admits a call; one that it does not admit is counted.
  private func isAdmitted(at now: UInt64) -> Bool {
    state.withLock { state in
      let isAdmitted = state.limiter.admits(at: now)
      if !isAdmitted { state.suppressed += 1 }
      return isAdmitted
    }
  }

  /// Keeps code, which is not called any more, until its calls were taken.
  func retire(_ code: RecordedCode) {
    // The child of a fork has nothing delivered.
    if TraceThread.isInForkedChild { return }
    let count = ring.acceptedCount
    guard count > ring.takenCount else { return }
    state.withLock { state in
      if count > ring.takenCount { state.retired.append((count, code)) }
    }
  }

  /// Totals over the records so far, without `belowThreshold`.
  var counts: TraceCounts {
    var counts = TraceCounts()
    let sinks = state.withLock { state in
      counts.delivered = state.delivered
      counts.suppressed = state.suppressed
      counts.lostBySinks = state.lost
      return state.sinks
    }
    counts.dropped = ring.droppedCount
    counts.pending = ring.acceptedCount - counts.delivered
    return sinks.reduce(into: counts) { $0.lostBySinks += $1.lostRecordCount }
  }

  /// Waits until the sinks have received all records accepted so far.
  func flush() { wait(for: ring.acceptedCount) }

  /// Accepts no further records, waits until the sinks have received all, and ends them.
  func close() {
    end()
    wait(for: .max)
  }

  /// Accepts no further records; the sinks receive the pending ones, and end.
  func end() {
    if TraceThread.isInForkedChild { return }
    ring.close()
    state.withLock { $0.isClosed = true }
    wake.signal()
  }

  private func wait(for count: Int) {
    // A sink cannot wait for itself, and a forked child lacks the delivering thread.
    if TraceThread.isInForkedChild || TraceThread.current.isDelivering(self) { return }
    let semaphore = DispatchSemaphore(value: 0)
    let mustWait = state.withLock { state in
      guard !state.isFinished, state.delivered < count else { return false }
      state.waiters.append((count, semaphore))
      return true
    }
    guard mustWait else { return }
    wake.signal()
    semaphore.wait()
  }

  private func deliverAll() {
    var batch: [TraceRecord] = []
    batch.reserveCapacity(min(ring.capacity, Self.reservedCapacity))
    var sequence: UInt64 = 0
    while waitForRecords() {
      ring.take(into: &batch, &sequence)
      // The first call has a thread that was interrupted before it completed the call.
      if batch.isEmpty { _ = wake.wait(timeout: .now() + .microseconds(100)) }
      let (sinks, retired) = state.withLock { ($0.sinks, $0.releaseRetired(ring.takenCount)) }
      withExtendedLifetime(retired) {}
      TraceThread.current.deliver(self) {
        for sink in sinks where !batch.isEmpty { sink.receive(batch) }
      }
      let count = batch.count
      batch.removeAll(keepingCapacity: true)
      state.withLock { state in
        state.delivered += count
        state.releaseWaiters()
      }
    }
    var sinks = state.withLock { $0.sinks }
    TraceThread.current.deliver(self) {
      for sink in sinks { sink.finish() }
    }
    let lost = sinks.reduce(0) { $0 + $1.lostRecordCount }
    // The sinks are released before waiting threads see the end.
    state.withLock { state in
      state.lost = lost
      state.sinks = []
    }
    sinks = []
    state.withLock { state in
      state.isFinished = true
      state.releaseWaiters()
    }
  }

  /// Sleeps until there is a batch to deliver.
  ///
  /// - Returns: False if there is none and will be none.
  private func waitForRecords() -> Bool {
    while true {
      let (isUrgent, isClosed) = state.withLock { state in
        (state.isClosed || !state.waiters.isEmpty, state.isClosed)
      }
      if ring.acceptedCount == ring.takenCount {
        // The ring was closed before, so that nothing can come.
        if isClosed { return false }
        if ring.maySleep(untilThereAre: 1) { wake.wait() }
        ring.stayAwake()
      } else {
        if !isUrgent, ring.maySleep(untilThereAre: (ring.capacity + 1) / 2) {
          _ = wake.wait(timeout: .now() + delay)
          ring.stayAwake()
        }
        return true
      }
    }
  }
}

extension TraceQueue.State {
  /// Wakes the threads whose wait is over.
  fileprivate mutating func releaseWaiters() {
    waiters.removeAll { waiter in
      guard isFinished || waiter.count <= delivered else { return false }
      waiter.semaphore.signal()
      return true
    }
  }

  /// Removes the code of which all calls were taken.
  ///
  /// - Returns: The code, for release without the lock held.
  fileprivate mutating func releaseRetired(_ takenCount: Int) -> [RecordedCode] {
    guard !retired.isEmpty else { return [] }
    let released = retired.filter { $0.count <= takenCount }.map(\.code)
    retired.removeAll { $0.count <= takenCount }
    return released
  }
}
