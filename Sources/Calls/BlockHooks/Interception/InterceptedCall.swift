private import BlockRuntimeThreads
internal import DelayedBlocks
private import Glibc
internal import Invocations
private import Synchronization

/// An intercepted call, which waits for the decision whether it proceeds to the inner hooks and the
/// original: once or never.
///
/// It may be stored, and decided on any thread, long after its caller received the placeholder. It
/// owns its arguments: C strings were copied, blocks and objects copied or retained when the call
/// was intercepted, also inside records; memory behind other pointers belongs to the caller.
/// Arguments have the indices that they have for handlers: argument 0 is the block, 1 its first
/// parameter; of a method they are the receiver and the selector. Swift ends the program when a
/// closure that was passed as a non-escaping argument is retained: do not intercept blocks whose
/// closure parameters are not `@escaping`.
///
/// A call whose last reference is released without a decision is reported to the hook's `onError`
/// as `interceptionDropped`, and never proceeds. All functions may be called from any thread.
public final class InterceptedCall: @unchecked Sendable {
  // SAFETY: `@unchecked Sendable`: in the state `running`, the thread that decided runs the
  // invocation and writes its result, which other threads read only in the state `finished`; all
  // other uses of the invocation are under the lock of `current`. The other properties are
  // Sendable.

  /// A decision about a call.
  public enum Decision: String, Sendable, Hashable {
    /// The call proceeds to the inner hooks and the original.
    case proceed
    /// The call ends without running the inner hooks and the original.
    case cancel
  }

  /// The progress of a call.
  public enum State: String, Sendable, Hashable {
    /// The call is not decided.
    case pending
    /// The inner hooks or the original are running.
    case running
    /// The inner hooks and the original have run: there is a result, unless the block returns
    /// nothing.
    case finished
    /// The call was cancelled, and will never proceed.
    case cancelled
    /// The call was not decided in time, and will never proceed.
    case timedOut
    /// The interceptor threw before a decision: the call went on without it, on its caller's
    /// thread.
    case passedOver
  }

  private let invocation: Invocation
  private let current = Locked(State.pending)
  private let deadline = Locked<DelayedBlock?>(nil)
  private let onError: @Sendable (any Error) -> Void

  private let callersThread = pthread_self()

  /// Whether the caller still waits for the interceptor.
  private let callerWaits = Atomic(true)

  /// Whether the call has proceeded on the caller's thread, while the caller waited.
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

  /// The call's current state.
  public var state: State { current.withLock { $0 } }

  /// Runs the inner hooks, without those that were removed since the call began, and the original.
  ///
  /// They run on this thread, with the current arguments, before this function returns.
  ///
  /// - Throws: `interceptionDecided` if the call was decided before.
  public func proceed() throws(HookError) {
    try decide(.running)
    run()
  }

  /// Runs the inner hooks and the original, and ends the call.
  private func run() {
    invocation.proceed()
    let isHere = pthread_self() == callersThread && callerWaits.load(ordering: .relaxed)
    ranHere.store(isHere, ordering: .relaxed)
    if !isHere, let error = invocation.error { onError(error) }
    // Releasing the continuation may run foreign code, so it is released after the lock.
    let inner = current.withLock { state in
      state = .finished
      return invocation.takeContinuation()
    }
    withExtendedLifetime(inner) {}
  }

  /// Cancels the call: it never proceeds.
  ///
  /// - Throws: `interceptionDecided` if the call was decided before.
  public func cancel() throws(HookError) { try decide(.cancelled) }

  private func decide(_ next: State) throws(HookError) {
    guard let last = attempt(next) else { return }
    throw HookError(
      .interceptionDecided,
      "the call is \(last.rawValue) already, and can be decided only once; check `state` first")
  }

  /// Decides the call, if it is pending.
  ///
  /// - Returns: Nil if the call was pending; otherwise its state.
  private func attempt(_ next: State) -> State? {
    let (last, inner) = current.withLock { state -> (State, Invocation.Continuation?) in
      guard state == .pending else { return (state, nil) }
      state = next
      return (.pending, next == .running ? nil : invocation.takeContinuation())
    }
    withExtendedLifetime(inner) {}
    guard last == .pending else { return last }
    deadline.withLock { $0.take() }?.cancel()
    return nil
  }

  /// Calls `body` with the invocation and the state, under the lock of the state.
  func locked<Value, Failure: Error>(
    _ body: (Invocation, State) throws(Failure) -> Value
  ) throws(Failure) -> Value {
    try current.withLock { state in
      // SAFETY: the outcome leaves the lock on this thread, and is used by no other; values that
      // are read are copies, or references that are retained.
      nonisolated(unsafe) let outcome = Result { () throws(Failure) in
        try body(invocation, state)
      }
      return unsafe outcome
    }.get()
  }
}

extension InterceptedCall {
  /// Decides the call after `duration`, unless it was decided before.
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
    if decision == .proceed { run() }
    onError(
      HookError(
        .interceptionTimedOut,
        "a call of \(invocation.signature) was not decided in time: it "
          + (decision == .proceed ? "has run" : "will not run")))
  }

  /// Decides that the call goes on without the interceptor, if it is pending.
  ///
  /// - Returns: Whether the call was pending.
  func passOver() -> Bool { attempt(.passedOver) == nil }

  /// Stores the call's result or error in the frame that it was taken from, if the call has
  /// proceeded on the frame's thread; the caller waits no longer.
  ///
  /// - Returns: Whether the frame has the call's result or error.
  func giveResult(to frame: inout CallFrame) -> Bool {
    callerWaits.store(false, ordering: .relaxed)
    return current.withLock { state in
      guard state == .finished, ranHere.load(ordering: .relaxed) else { return false }
      frame.setResult(of: invocation)
      return true
    }
  }
}

extension InterceptedCall: ReferenceTable {
  package var contents: Any { (current.withLock { $0 }, deadline.withLock { $0 }) }
}
