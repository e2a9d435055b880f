private import BlockRuntimeThreads
private import CMessageForwarding.Messages

/// The place where the body of a called method leaves its answer or error, on the current thread, for
/// the case that a hook throws afterwards an error that the method cannot throw.
///
/// A call stores its own, and at its end that of the call outside of it, on the same thread.
///
/// It has the layout of `cbr_kept_answer`, so that calls read and write it where they are compiled.
@unsafe
@frozen
@usableFromInline
struct KeptAnswer {
  /// The address of the `CalledMethod`; 0 outside of calls.
  @usableFromInline let called: UInt
  @usableFromInline let receiver: UnsafeRawPointer?

  /// The identity of the answer's type.
  @usableFromInline let outcome: UnsafeRawPointer?

  /// A `Result<Outcome, any Error>?`.
  @usableFromInline let place: UnsafeMutableRawPointer?

  /// That of the innermost call of the thread.
  @inline(__always)
  @usableFromInline static var here: UnsafeMutablePointer<KeptAnswer> {
    // SAFETY: the structure is thread-local, and C's has the same layout.
    unsafe UnsafeMutableRawPointer(cbr_kept_answer_here()).assumingMemoryBound(to: KeptAnswer.self)
  }

  /// Describes the place of a call's answer.
  @inlinable
  @inline(__always)
  init<Outcome>(
    _ called: UInt, _ receiver: AnyObject,
    _ place: UnsafeMutablePointer<Result<Outcome, any Error>?>
  ) {
    unsafe self.called = called
    unsafe self.receiver = unsafe UnsafeRawPointer(Unmanaged.passUnretained(receiver).toOpaque())
    unsafe outcome = unsafe Self.identity(of: Outcome.self)
    unsafe self.place = UnsafeMutableRawPointer(place)
  }

  /// The place, if the call is one of a method with a receiver and an answer of a type.
  @inlinable
  @inline(__always)
  func place<Outcome>(
    of called: UInt, _ receiver: AnyObject
  ) -> UnsafeMutablePointer<Result<Outcome, any Error>?>? {
    // SAFETY: the place is that of a variable of the type, which the call has.
    guard unsafe called == self.called,
      unsafe self.receiver
        == UnsafeRawPointer(Unmanaged.passUnretained(receiver).toOpaque()),
      unsafe outcome == Self.identity(of: Outcome.self)
    else { return nil }
    return unsafe place?.assumingMemoryBound(to: Result<Outcome, any Error>?.self)
  }

  /// The identity of an answer's type.
  @inlinable
  @inline(__always)
  static func identity<Outcome>(of type: Outcome.Type) -> UnsafeRawPointer {
    // SAFETY: a metatype is the address of the type's metadata.
    unsafe unsafeBitCast(type as Any.Type, to: UnsafeRawPointer.self)
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

  /// What the body has answered or thrown; nil if it did not run.
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
