private import BlockRuntimeThreads
private import DelayedBlocks
private import Dispatch

/// The queue of records between the traced threads and the sinks.
///
/// A traced thread appends while it holds a lock for a short time. A separate thread of the queue
/// takes all pending records at once, and calls the sinks without a lock held.
final class TraceQueue: Sendable {
  fileprivate struct State {
    var pending: [TraceRecord] = []
    var counts = TraceCounts()
    var accepted = 0
    var sequence: UInt64 = 0
    var limiter: RateLimiter

    /// Whether the delivering thread sleeps until it is woken.
    var isIdle = false
    var isClosed = false
    var isFinished = false
    var sinks: [any TraceSink]

    /// Threads that wait until a number of records was delivered; `Int.max` waits for the end.
    var waiters: [(count: Int, semaphore: DispatchSemaphore)] = []
  }

  /// The number of records for which memory is reserved from the start, so that appending moves
  /// nothing.
  private static let reservedCapacity = 65_536

  private let state: Locked<State>
  private let wake = DispatchSemaphore(value: 0)
  private let capacity: Int
  private let delay: DispatchTimeInterval

  private static let capacityLimit = 1 << 32

  init(_ sinks: [any TraceSink], _ options: TraceOptions) {
    // A larger number of records would not fit into memory.
    capacity = min(max(options.queueCapacity, 1), Self.capacityLimit)
    delay = .nanoseconds(Int(clamping: options.deliveryDelay.wholeNanoseconds))
    var pending: [TraceRecord] = []
    pending.reserveCapacity(min(capacity, Self.reservedCapacity))
    state = Locked(
      State(pending: pending, limiter: RateLimiter(options.recordsPerSecond), sinks: sinks))
    TraceThread.watchForks()
    // A thread of its own: otherwise each delivery would submit a block, which could itself be
    // traced.
    DispatchQueue(label: "BlockRuntime.traces").async { self.deliverAll() }
  }

  /// Accepts a record, or counts it as dropped or suppressed.
  func offer(_ record: TraceRecord, at now: UInt64) {
    let needsWaking = state.withLock { state in
      guard state.limiter.admits(at: now) else {
        state.counts.suppressed += 1
        return false
      }
      let sequence = state.sequence
      state.sequence += 1
      guard state.pending.count < capacity, !state.isClosed else {
        state.counts.dropped += 1
        return false
      }
      state.pending.append(record)
      state.pending[state.pending.count - 1].sequence = sequence
      state.accepted += 1
      let needsWaking = state.isIdle || state.pending.count == (capacity + 1) / 2
      state.isIdle = false
      return needsWaking
    }
    if needsWaking { wake.signal() }
  }

  /// Totals over the records so far, without `belowThreshold`.
  var counts: TraceCounts {
    let (counts, sinks) = state.withLock { state in
      var counts = state.counts
      counts.pending = state.accepted - counts.delivered
      return (counts, state.sinks)
    }
    return sinks.reduce(into: counts) { $0.lostBySinks += $1.lostRecordCount }
  }

  /// Waits until the sinks have received all records accepted so far.
  func flush() { wait { $0.accepted } }

  /// Accepts no further records, waits until the sinks have received all, and ends them.
  func close() {
    end()
    wait { _ in Int.max }
  }

  /// Accepts no further records; the sinks receive the pending ones, and end.
  func end() {
    if TraceThread.isInForkedChild { return }
    state.withLock { $0.isClosed = true }
    wake.signal()
  }

  private func wait(_ count: (State) -> Int) {
    // A sink cannot wait for itself, and a forked child lacks the delivering thread.
    if TraceThread.isInForkedChild || TraceThread.current.isDelivering(self) { return }
    let semaphore = DispatchSemaphore(value: 0)
    let mustWait = state.withLock { state in
      let count = count(state)
      guard !state.isFinished, state.counts.delivered < count else { return false }
      state.waiters.append((count, semaphore))
      return true
    }
    guard mustWait else { return }
    wake.signal()
    semaphore.wait()
  }

  private func deliverAll() {
    var batch: [TraceRecord] = []
    batch.reserveCapacity(min(capacity, Self.reservedCapacity))
    while waitForRecords() {
      let sinks = state.withLock { state in
        swap(&batch, &state.pending)
        return state.sinks
      }
      TraceThread.current.deliver(self) {
        for sink in sinks where !batch.isEmpty { sink.receive(batch) }
      }
      let count = batch.count
      batch.removeAll(keepingCapacity: true)
      state.withLock { state in
        state.counts.delivered += count
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
      state.counts.lostBySinks = lost
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
      let (isEmpty, isUrgent, isClosed) = state.withLock { state in
        let isEmpty = state.pending.isEmpty
        let isUrgent =
          state.isClosed || !state.waiters.isEmpty || state.pending.count >= (capacity + 1) / 2
        state.isIdle = isEmpty && !state.isClosed
        return (isEmpty, isUrgent, state.isClosed)
      }
      if isEmpty {
        if isClosed { return false }
        wake.wait()
      } else {
        if !isUrgent { _ = wake.wait(timeout: .now() + delay) }
        return true
      }
    }
  }
}

extension TraceQueue.State {
  /// Wakes the threads whose wait is over.
  fileprivate mutating func releaseWaiters() {
    waiters.removeAll { waiter in
      guard isFinished || waiter.count <= counts.delivered else { return false }
      waiter.semaphore.signal()
      return true
    }
  }
}
