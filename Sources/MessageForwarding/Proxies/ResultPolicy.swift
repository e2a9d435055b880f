/// Who of a proxy's targets gets a message, and whose answer the sender gets.
///
/// A target that throws has no answer: the policy goes on with the others. If no answer is left
/// where the sender waits for one, it gets the first error.
public struct ResultPolicy: Sendable {
  enum Kind: Sendable {
    case automatic
    case all
    case first
    case last
    case firstNonNil
    case any
    case allOf
    case reduce(AnswerReducer)
  }

  let kind: Kind

  private init(_ kind: Kind) { self.kind = kind }

  /// A message without a result goes to every responder, one with a result to the first only.
  public static let automatic = ResultPolicy(.automatic)

  /// Every responder gets the message; the first answer counts.
  public static let all = ResultPolicy(.all)

  /// Only the first responder gets the message.
  public static let first = ResultPolicy(.first)

  /// Every responder gets the message; the last answer counts.
  public static let last = ResultPolicy(.last)

  /// The responders get the message one after the other, until an answer is neither nil nor null.
  public static let firstNonNil = ResultPolicy(.firstNonNil)

  /// Every responder gets the message; the answer, a Bool, is whether any says true.
  public static let any = ResultPolicy(.any)

  /// Every responder gets the message; the answer, a Bool, is whether all say true.
  public static let allOf = ResultPolicy(.allOf)

  /// Every responder gets the message; their answers are combined, in the order of the targets.
  ///
  /// - Parameter combine: Makes one answer of two; it runs on the sender's thread, under no lock.
  /// - Returns: The policy, for messages with answers of that type.
  public static func reduce<Answer>(
    _ combine: @escaping @Sendable (Answer, Answer) throws -> Answer
  ) -> ResultPolicy {
    ResultPolicy(.reduce(TypedReducer(combine)))
  }

  /// Whether the targets behind the first responder get a message too; nil if its signature says
  /// so.
  var goesToAll: Bool? {
    switch kind {
    case .automatic: nil
    case .first: false
    case .all, .last, .firstNonNil, .any, .allOf, .reduce: true
    }
  }
}
