private import Dispatch

extension DelayedBlock {
  /// Waits for the block's end, as often as you like and on as many threads.
  ///
  /// Waiting where the block could not run meanwhile ends at once, with `timedOut`: within the block itself,
  /// and in blocks that run inline on the thread of the same timer, or clock. Who waits without a
  /// timeout on the queue or actor that the block is to run on waits for ever. The closures given to `whenEnded(_:)` may still be running
  /// when the wait ends.
  ///
  /// - Parameter timeout: How long to wait at most, in real time whatever the timer's clock is; nil waits for
  ///   as long as it takes.
  /// - Returns: How the wait ended. Of a repeating block `ran` is never said: it ends by cancelling.
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

  /// Cancels the block, and waits for the end of a run that is under way.
  ///
  /// Called within the block it does not wait.
  ///
  /// - Returns: What `cancel()` returns.
  @available(*, noasync, message: "cancel, and await `end`")
  @discardableResult
  public final func cancelAndWait() -> Bool {
    let isPrevented = cancel()
    wait()
    return isPrevented
  }

  /// Runs a closure when the block has ended, or now if it has.
  ///
  /// Closures run in the order in which they were given (one that another gives runs at once), on the thread that ran or cancelled the block,
  /// under no lock, before the `cancel()` that ended it returns.
  ///
  /// - Parameter handler: Receives `ran` or `cancelled`.
  public final func whenEnded(_ handler: @escaping @Sendable (Outcome) -> Void) {
    if observe(handler) == nil, let outcome { handler(outcome) }
  }

  /// How the block ended, when it has: `ran` or `cancelled`.
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
    // What is running elsewhere, for the last time, ends without the timer.
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

  /// Has a closure told of the end.
  ///
  /// - Returns: A key to take it back with; nil if the block has ended.
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
    // The handler is freed under no lock.
    _ = timer.withEndHandlers { $0[ObjectIdentifier(self)]?.remove(key) }
  }

  /// Tells all that asked that the block has ended.
  final func tellEnd(_ outcome: Outcome) {
    let handlers = timer.withEndHandlers { allHandlers in
      // What has grown is given back when nothing is left.
      defer { if allHandlers.isEmpty { allHandlers = [:] } }
      return allHandlers.removeValue(forKey: ObjectIdentifier(self))
    }
    handlers?.call(outcome)
  }
}
