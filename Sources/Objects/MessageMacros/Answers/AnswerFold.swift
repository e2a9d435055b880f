#if Macros
/// An Optional of any type.
private protocol OptionalAnswer {
  /// Whether it is nil.
  var isNil: Bool { get }
}

extension Optional: OptionalAnswer {
  fileprivate var isNil: Bool { self == nil }
}

/// Combines the answers of targets, one after the other, as a policy says.
@usableFromInline
struct AnswerFold<Answer> {
  @usableFromInline let policy: AnswerPolicy<Answer>
  @usableFromInline var answer: Answer?

  @inlinable
  init(_ policy: AnswerPolicy<Answer>) {
    self.policy = policy
    answer = nil
  }

  /// Adds the next answer.
  ///
  /// - Returns: Whether further targets are asked.
  @inlinable
  mutating func take(_ new: Answer) -> Bool {
    guard let current = answer else {
      answer = new
      return switch policy.kind {
      case .first: false
      case .firstNonNil: isNil(new)
      case .last, .all, .reduce: true
      }
    }
    switch policy.kind {
    case .first, .all: break
    case .last: answer = new
    case .reduce(let combine): answer = combine(current, new)
    case .firstNonNil:
      guard !isNil(new) else { break }
      answer = new
      return false
    }
    return true
  }

  @usableFromInline
  func isNil(_ answer: Answer) -> Bool { (answer as? any OptionalAnswer)?.isNil ?? false }
}
#endif
