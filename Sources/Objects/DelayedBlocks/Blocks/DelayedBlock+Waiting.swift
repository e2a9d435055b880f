private import Dispatch

extension DelayedBlock {
  /// Waits for the block's end; may be called repeatedly, and on several threads.
  ///
  /// Where the block could not run during the wait, this returns `timedOut` at once: within the
  /// block itself, and in blocks that run inline on the thread of the same timer or clock. Waiting
  /// without a timeout on the queue or actor on which the block is to run never ends. The closures
  /// given to `whenEnded(_:)` may still be running when the wait ends.
  ///
  /// - Parameter timeout: How long to wait at most, in real time whatever the timer's clock is; nil
  ///   waits without limit.
  /// - Returns: How the wait ended. For a repeating block this is never `ran`: it ends when it is
  ///   cancelled.
  @available(*, noasync, message: "await `end`")
  @discardableResult
  public final func wait(timeout: Duration? = nil) -> Outcome {
    if let outcome { return outcome }
    if let timeout, timeout <= .zero { return .timedOut }
    guard mayWait else { return .timedOut }
    let semaphore = DispatchSemaphore(value: 0)
    let key = observe { _ in semaphore.signal() }
    guard let key else { return outcome ?? .timedOut }
    guard let timeout else {
      semaphore.wait()
      return outcome ?? .timedOut
    }
    let nanoseconds = Int(clamping: timeout.wholeNanoseconds)
    if semaphore.wait(timeout: .now() + .nanoseconds(nanoseconds)) == .timedOut {
      stopObserving(key)
    }
    return outcome ?? .timedOut
  }

  /// Cancels the block, and waits for the end of a run in progress.
  ///
  /// A call within the block itself does not wait.
  ///
  /// - Returns: What `cancel()` returns.
  @available(*, noasync, message: "cancel, and await `end`")
  @discardableResult
  public final func cancelAndWait() -> Bool {
    let isPrevented = cancel()
    wait()
    return isPrevented
  }

  /// Calls a closure when the block has ended; at once if it has ended already.
  ///
  /// Closures run in the order in which they were passed (one that another of them passes runs at
  /// once), on the thread that ran or cancelled the block, while no lock is held, before the
  /// `cancel()` that ended the block returns.
  ///
  /// - Parameter handler: Receives `ran` or `cancelled`.
  public final func whenEnded(_ handler: @escaping @Sendable (Outcome) -> Void) {
    if observe(handler) == nil, let outcome { handler(outcome) }
  }

  /// Awaits the block's end: `ran` or `cancelled`.
  ///
  /// Cancelling the task that waits cancels the block.
  public final var end: Outcome {
    get async {
      await withTaskCancellationHandler {
        await withCheckedContinuation { continuation in
          whenEnded { continuation.resume(returning: $0) }
        }
      } onCancel: {
        cancel()
      }
    }
  }

  /// Whether the block can end while the calling thread waits.
  private var mayWait: Bool {
    guard !isRunningHere else { return false }
    guard timer.isFiringHere else { return true }
    // A last run that is in progress on another thread ends without the timer.
    let status = status
    return status.state == .running && (!status.repeats || status.isStopping)
  }

  /// How the block ended, if it has.
  private var outcome: Outcome? {
    switch state {
    case .pending, .running: nil
    case .finished: .ran
    case .cancelled: .cancelled
    }
  }

  /// Adds a closure to call at the block's end.
  ///
  /// - Returns: The key for `stopObserving(_:)`; nil if the block has ended.
  private final func observe(_ handler: @escaping EndHandlers.Handler) -> EndHandlers.Key? {
    timer.withEndHandlers { allHandlers in
      let isObserved = change { status in
        guard !status.hasEnded else { return false }
        status.isObserved = true
        return true
      }
      guard isObserved != nil else { return nil }
      return allHandlers[ObjectIdentifier(self), default: EndHandlers()].add(handler)
    }
  }

  private final func stopObserving(_ key: EndHandlers.Key) {
    // The handler is released after unlocking.
    _ = timer.withEndHandlers { $0[ObjectIdentifier(self)]?.remove(key) }
  }

  /// Calls the closures that were added for the block's end.
  final func tellEnd(_ outcome: Outcome) {
    let handlers = timer.withEndHandlers { allHandlers in
      // An empty dictionary frees its capacity.
      defer { if allHandlers.isEmpty { allHandlers = [:] } }
      return allHandlers.removeValue(forKey: ObjectIdentifier(self))
    }
    handlers?.call(outcome)
  }
}
