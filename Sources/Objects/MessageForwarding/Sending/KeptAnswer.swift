private import BlockRuntimeThreads
private import CMessageForwarding.Messages

/// The place where the body of a called method leaves its answer or error, on the current thread, for
/// the case that a hook throws afterwards an error that the method cannot throw.
///
/// A value holds the place of the call outside of this one.
// SAFETY: the structure is thread-local; the call that begins it ends it, on the same thread.
@unsafe
@usableFromInline
struct KeptAnswer {
  private let outer: cbr_kept_answer

  /// Sets the place for a call of a method: a `Result<Outcome, any Error>?`, where `outcome` is the
  /// identity of the answer's type.
  @usableFromInline
  init(
    _ word: UInt, _ receiver: AnyObject, _ outcome: UnsafeRawPointer,
    _ place: UnsafeMutableRawPointer
  ) {
    let here = unsafe cbr_message_here()
    unsafe outer = unsafe here.pointee.kept
    unsafe here.pointee.kept = unsafe cbr_kept_answer(
      called: word, receiver: UnsafeRawPointer(Unmanaged.passUnretained(receiver).toOpaque()),
      outcome: outcome, place: place)
  }

  /// Sets the place of the call outside of this.
  @usableFromInline
  func end() { unsafe cbr_message_here().pointee.kept = unsafe outer }

  /// Whether the innermost call is one of a method; false for the method 0.
  @usableFromInline
  static func isOf(_ word: UInt) -> Bool {
    unsafe word != 0 && cbr_message_here().pointee.kept.called == word
  }

  /// The place of the innermost call, if that has a receiver and an answer of a type.
  @usableFromInline
  static func place(
    _ receiver: AnyObject, _ outcome: UnsafeRawPointer
  ) -> UnsafeMutableRawPointer? {
    let kept = unsafe cbr_message_here().pointee.kept
    guard
      unsafe kept.receiver == UnsafeRawPointer(Unmanaged.passUnretained(receiver).toOpaque()),
      unsafe kept.outcome == outcome
    else { return nil }
    return unsafe kept.place
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
  /// - Parameter type: The errors of the method.
  /// - Returns: The answer.
  /// - Throws: What the body has thrown.
  @usableFromInline
  func answer<Own: Error>(orThrow type: Own.Type) throws(Own) -> Success? {
    switch self {
    case .success(let answer): return answer
    case .failure(let error):
      if let own = error as? Own { throw own }
      return nil
    }
  }
}
