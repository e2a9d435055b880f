private import BlockRuntimeThreads
internal import DelayedBlocks
private import Glibc
internal import Invocations
private import Synchronization

/// A call that waits for a decision: whether what lies below its interceptor runs, exactly once or
/// never.
///
/// It may be kept, and decided on any thread, long after its caller got the placeholder. Its arguments
/// are its own: C strings, blocks and objects were copied or retained when it was intercepted, also
/// where records hold them; memory behind other pointers is the caller's. Argument 0 is the block;
/// 1 is its first parameter. Swift ends the program when a closure that it lent as a non-escaping
/// argument is kept: do not intercept blocks whose closure parameters are not `@escaping`.
///
/// A call that is dropped without a decision is reported to the hook's `onError` as
/// `interceptionDropped`, and never runs. All functions may be called from any thread.
public final class InterceptedCall: @unchecked Sendable {
  // SAFETY: the invocation is used under the lock of the state; while it is running its thread writes
  // the result, which others read only when it is finished.

  /// What can become of a call.
  public enum Decision: String, Sendable, Hashable {
    /// What lies below the interceptor runs.
    case proceed
    /// It does not.
    case cancel
  }

  /// Where a call stands.
  public enum State: String, Sendable, Hashable {
    /// Nobody has decided yet.
    case pending
    /// What lies below the interceptor is running.
    case running
    /// It has run: there is a result, unless the block returns nothing.
    case finished
    /// It will never run.
    case cancelled
    /// It will never run, because nobody decided in time.
    case timedOut
    /// The interceptor threw: its caller's thread went on without it.
    case passedOver
  }

  private let invocation: Invocation
  private let current = Locked(State.pending)
  private let deadline = Locked<DelayedBlock?>(nil)
  private let onError: @Sendable (any Error) -> Void

  /// The thread that the call came in on, and whether the call ran there.
  private let callersThread = pthread_self()
  private let ranHere = Atomic(false)

  init(_ frame: borrowing CallFrame, onError: @escaping @Sendable (any Error) -> Void) {
    invocation = Invocation(takenFrom: frame)
    self.onError = onError
  }

  deinit {
    deadline.withLock { $0 }?.cancel()
    guard state == .pending else { return }
    onError(
      HookError(
        .interceptionDropped,
        "a call of \(invocation.signature) was dropped without a decision; `proceed()` or `cancel()` "
          + "every call on all paths"))
  }

  /// Where the call stands now.
  public var state: State { current.withLock { $0 } }

  /// Runs what lies below the interceptor: the hooks installed there when the call came in and not
  /// removed since, in the end the original.
  ///
  /// It runs on this thread, with the arguments as they are now, before this returns.
  ///
  /// - Throws: `interceptionDecided`, if that was done before, or never will be.
  public func proceed() throws(HookError) {
    try decide(.running)
    invocation.proceed()
    if pthread_self() == callersThread { ranHere.store(true, ordering: .relaxed) }
    finish()
  }

  /// Ends a call that has run.
  private func finish() {
    // What lay below may run foreign code as it goes.
    let below = current.withLock { state in
      state = .finished
      return invocation.takeContinuation()
    }
    withExtendedLifetime(below) {}
  }

  /// Makes sure that what lies below the interceptor never runs for this call.
  ///
  /// - Throws: `interceptionDecided`, if it was decided before.
  public func cancel() throws(HookError) { try decide(.cancelled) }

  private func decide(_ next: State) throws(HookError) {
    guard let last = attempt(next) else { return }
    throw HookError(
      .interceptionDecided,
      "the call is \(last.rawValue) already: it is decided once; look at `state` first")
  }

  /// Makes a decision, if none was made.
  ///
  /// - Returns: The state that stands in the way, nil if there is none.
  private func attempt(_ next: State) -> State? {
    let (last, below) = current.withLock { state -> (State, Invocation.Continuation?) in
      guard state == .pending else { return (state, nil) }
      state = next
      return (.pending, next == .running ? nil : invocation.takeContinuation())
    }
    withExtendedLifetime(below) {}
    guard last == .pending else { return last }
    deadline.withLock { $0.take() }?.cancel()
    return nil
  }

  /// Uses the invocation under the lock of the state.
  func locked<Value, Failure: Error>(
    _ body: (Invocation, State) throws(Failure) -> Value
  ) throws(Failure) -> Value {
    try current.withLock { state in
      // SAFETY: values that are read are copies, or references that are safe to share.
      nonisolated(unsafe) let outcome = Result { () throws(Failure) in
        try body(invocation, state)
      }
      return unsafe outcome
    }.get()
  }
}

extension InterceptedCall {
  /// Ends the call by a decision of its own if nobody decides in time.
  func expire(after duration: Duration, _ decision: Decision, _ timer: DelayTimer) {
    let block = timer.perform(after: duration) { [weak self] in self?.expire(decision) }
    let isLate = deadline.withLock { deadline in
      deadline = block
      return state != .pending
    }
    if isLate { block.cancel() }
  }

  private func expire(_ decision: Decision) {
    guard attempt(decision == .proceed ? .running : .timedOut) == nil else { return }
    if decision == .proceed {
      invocation.proceed()
      finish()
    }
    onError(
      HookError(
        .interceptionTimedOut,
        "nobody decided about a call of \(invocation.signature) in time: it "
          + (decision == .proceed ? "has run" : "will not run")))
  }

  /// Lets the caller's thread go on without the interceptor, if nobody has decided.
  func passOver() -> Bool { attempt(.passedOver) == nil }

  /// Gives the frame that the call came from its result, if the call has run on the frame's thread.
  func giveResult(to frame: inout CallFrame) -> Bool {
    current.withLock { state in
      guard state == .finished, ranHere.load(ordering: .relaxed) else { return false }
      frame.setResult(of: invocation)
      return true
    }
  }
}
