/// The rule that decides which of a proxy's targets receive a message, and which answer the sender
/// receives.
///
/// A target that throws has no answer: the policy applies to the others. If all targets throw, the
/// first error is thrown to the sender, even if it ignores the answer.
public struct ResultPolicy: Sendable {
  enum Kind: Sendable {
    case automatic
    case all
    case first
    case last
    case firstNonNil
    case any
    case allOf
    case reduce(any AnswerReducer)
  }

  let kind: Kind

  /// Whether the answers of async methods are awaited at once.
  private(set) var isConcurrent = false

  private init(_ kind: Kind) { self.kind = kind }

  /// The policy, with the answers of async methods awaited all at once, in a task group, instead of
  /// one after the other.
  ///
  /// The answers are combined in the order of the targets. The policy `firstNonNil` then awaits
  /// all.
  public var concurrently: ResultPolicy {
    var policy = self
    policy.isConcurrent = true
    return policy
  }

  /// A message without a result is sent to every responder, a message with a result only to the
  /// first.
  public static let automatic = ResultPolicy(.automatic)

  /// The message is sent to every responder; the sender receives the first answer.
  public static let all = ResultPolicy(.all)

  /// The message is sent only to the first responder.
  public static let first = ResultPolicy(.first)

  /// The message is sent to every responder; the sender receives the last answer.
  public static let last = ResultPolicy(.last)

  /// The message is sent to the responders in order, until an answer is neither nil nor null.
  public static let firstNonNil = ResultPolicy(.firstNonNil)

  /// The message is sent to every responder; the answer, a Bool, is true if any answer is.
  public static let any = ResultPolicy(.any)

  /// The message is sent to every responder; the answer, a Bool, is true if all answers are.
  public static let allOf = ResultPolicy(.allOf)

  /// The message is sent to every responder; the answers are combined in the order of the targets.
  ///
  /// - Parameter combine: Combines two answers to one; runs on the sender's thread, under no lock.
  /// - Returns: The policy, for messages with answers of that type.
  public static func reduce<Answer>(
    _ combine: @escaping @Sendable (Answer, Answer) throws -> Answer
  ) -> ResultPolicy {
    ResultPolicy(.reduce(Reducer(combine: combine)))
  }

  /// Whether the message is sent to the targets after the first responder too; nil if that depends
  /// on the message's signature.
  var goesToAll: Bool? {
    switch kind {
    case .automatic: nil
    case .first: false
    case .all, .last, .firstNonNil, .any, .allOf, .reduce: true
    }
  }
}
