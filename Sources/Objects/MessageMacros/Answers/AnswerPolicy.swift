#if Macros
/// The rule that decides which of a forwarder's targets are asked for an answer, and which answer
/// the caller receives.
///
/// A target that throws has no answer, and neither has an object that leaves an optional
/// requirement out: the policy applies to the others.
public struct AnswerPolicy<Answer>: Sendable {
  @usableFromInline
  enum Kind: Sendable {
    case first
    case last
    case all
    case firstNonNil
    case reduce(@Sendable (Answer, Answer) -> Answer)
  }

  @usableFromInline let kind: Kind

  @usableFromInline
  init(_ kind: Kind) { self.kind = kind }

  /// Only the first responder is asked.
  @inlinable public static var first: Self { Self(.first) }

  /// Every responder is asked; the caller receives the last answer.
  @inlinable public static var last: Self { Self(.last) }

  /// Every responder is asked; the caller receives the first answer.
  @inlinable public static var all: Self { Self(.all) }

  /// Every responder is asked; the answers are combined in the order of the targets.
  ///
  /// - Parameter combine: Combines two answers to one; runs on the caller's thread, under no lock.
  /// - Returns: The policy.
  @inlinable
  public static func reduce(_ combine: @escaping @Sendable (Answer, Answer) -> Answer) -> Self {
    Self(.reduce(combine))
  }
}

extension AnswerPolicy where Answer == Bool {
  /// Every responder is asked; the answer is true if any answer is.
  @inlinable public static var any: Self { .reduce { $0 || $1 } }

  /// Every responder is asked; the answer is true if all answers are.
  @inlinable public static var allOf: Self { .reduce { $0 && $1 } }
}

extension AnswerPolicy where Answer: ExpressibleByNilLiteral {
  /// The responders are asked in order, until an answer is not nil.
  @inlinable public static var firstNonNil: Self { Self(.firstNonNil) }
}
#endif
