private import BlockRuntimeThreads
private import CMessageForwarding.Messages

/// The place where the body of a called method leaves its answer or error, on the current thread, for
/// the case that a hook throws afterwards an error that the method cannot throw.
///
/// A call stores its own, and at its end that of the call outside of it, on the same thread.
///
/// It has the layout of `cbr_kept_answer`.
@unsafe
@frozen
@usableFromInline
struct KeptAnswer {
  /// The address of the `CalledMethod`; that of none outside of calls.
  @usableFromInline let called: UInt

  /// A `KeptOutcome`.
  @usableFromInline let place: UnsafeMutableRawPointer?

  /// That of the innermost call of the thread.
  @inline(__always)
  @usableFromInline static var here: UnsafeMutablePointer<KeptAnswer> {
    // SAFETY: the structure is thread-local, and C's has the same layout.
    unsafe UnsafeMutableRawPointer(cbr_kept_answer_here()).assumingMemoryBound(to: KeptAnswer.self)
  }

  /// Describes the place of a call's answer; without arguments, that there is no call.
  @inlinable
  @inline(__always)
  init(_ called: UInt = 1, _ place: UnsafeMutableRawPointer? = nil) {
    unsafe (self.called, self.place) = unsafe (called, place)
  }
}

/// What the body of an async method has answered or thrown, for the same case in the task that calls
/// it.
@usableFromInline
final class KeptAsyncAnswer: Sendable {
  /// That of the innermost call of the task.
  @TaskLocal @usableFromInline static var current: KeptAsyncAnswer?

  private let word: UInt
  private let receiver: ObjectIdentifier
  private let kept = Locked<(any Sendable)?>(nil)

  /// Creates one for a call of a method, which retains the receiver until it ends.
  @usableFromInline
  init(_ word: UInt, _ receiver: AnyObject) {
    (self.word, self.receiver) = (word, ObjectIdentifier(receiver))
  }

  /// Awaits the answer to the call's message.
  @usableFromInline
  nonisolated(nonsending)
    func value<Outcome>(of answer: AsyncAnswer<Outcome>) async throws -> Outcome
  {
    try await Self.$current.withValue(self) { try await answer.value }
  }

  /// Whether the call is one of a method with a receiver.
  @usableFromInline
  func isOf(_ word: UInt, _ receiver: AnyObject) -> Bool {
    word == self.word && ObjectIdentifier(receiver) == self.receiver
  }

  @usableFromInline
  func keep<Outcome: Sendable>(_ result: Result<Outcome, any Error>) {
    kept.withLock { $0 = result }
  }

  /// The body's answer or error; nil if it did not run.
  @usableFromInline
  func result<Outcome: Sendable>() -> Result<Outcome, any Error>? {
    kept.withLock { $0 } as? Result<Outcome, any Error>
  }
}

extension Result where Failure == any Error {
  /// The answer of a body; nil if that has thrown another error than its method can.
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
