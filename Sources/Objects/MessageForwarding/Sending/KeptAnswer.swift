private import BlockRuntimeThreads
private import CMessageForwarding.Messages

/// The innermost Swift call of a thread, with the place where it keeps its body's answer or error,
/// in case a hook then throws an error that the method cannot throw.
///
/// A call stores its own value in the thread, and at its end restores that of the call outside of
/// it.
///
/// It has the layout of `cbr_kept_answer`.
@unsafe
@frozen
@usableFromInline
struct KeptAnswer {
  /// The address of the `CalledMethod`; 1, which is none, outside of calls.
  @usableFromInline let called: UInt

  /// The `KeptOutcome` of the call.
  @usableFromInline let place: UnsafeMutableRawPointer?

  /// The value of the current thread.
  @inline(__always)
  @usableFromInline static var here: UnsafeMutablePointer<KeptAnswer> {
    // SAFETY: the structure is thread-local, and C's has the same layout.
    unsafe UnsafeMutableRawPointer(cbr_kept_answer_here()).assumingMemoryBound(to: KeptAnswer.self)
  }

  /// Creates the value of a call; without arguments, that of no call.
  @inlinable
  @inline(__always)
  init(_ called: UInt = 1, _ place: UnsafeMutableRawPointer? = nil) {
    unsafe (self.called, self.place) = unsafe (called, place)
  }
}

/// What the body of an async method has answered or thrown, kept for the same case by the task that
/// calls the method.
@usableFromInline
final class KeptAsyncAnswer: Sendable {
  /// The value of the task's innermost call.
  @TaskLocal @usableFromInline static var current: KeptAsyncAnswer?

  private let method: UInt
  private let receiver: ObjectIdentifier
  private let kept = Locked<(any Sendable)?>(nil)

  /// Creates the value of a call, which retains the receiver until it ends.
  @usableFromInline
  init(_ method: UInt, _ receiver: AnyObject) {
    (self.method, self.receiver) = (method, ObjectIdentifier(receiver))
  }

  /// Awaits the answer to the call's message.
  @usableFromInline
  nonisolated(nonsending)
    func value<Outcome>(of answer: AsyncAnswer<Outcome>) async throws -> Outcome
  {
    try await Self.$current.withValue(self) { try await answer.value }
  }

  /// Whether the call is of the given method and receiver.
  @usableFromInline
  func isOf(_ method: UInt, _ receiver: AnyObject) -> Bool {
    method == self.method && ObjectIdentifier(receiver) == self.receiver
  }

  @usableFromInline
  func keep<Outcome: Sendable>(_ result: Result<Outcome, any Error>) {
    kept.withLock { $0 = result }
  }

  /// The body's answer or error; nil if the body did not run.
  @usableFromInline
  func result<Outcome: Sendable>() -> Result<Outcome, any Error>? {
    kept.withLock { $0 } as? Result<Outcome, any Error>
  }
}

extension Result where Failure == any Error {
  /// The answer of a body; nil if the body has thrown an error that its method cannot throw.
  ///
  /// - Parameters:
  ///   - type: The errors of the method.
  ///   - mayThrow: Whether the caller expects an error.
  /// - Returns: The answer.
  /// - Throws: What the body has thrown.
  @usableFromInline
  func answer<Own: Error>(
    orThrow type: Own.Type, _ mayThrow: (() -> Bool)?
  ) throws(Own) -> Success? {
    switch self {
    case .success(let answer): return answer
    case .failure(let error):
      if mayThrow?() != false, let own = error as? Own { throw own }
      return nil
    }
  }
}
