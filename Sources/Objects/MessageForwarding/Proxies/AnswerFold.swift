internal import Invocations
private import TypeEncodings

/// Combines the answers of a message's targets, one after the other, as a policy says.
///
/// The answers are Swift values, or invocations that have been sent, of which the policy chooses
/// one.
struct AnswerFold<Answer> {
  private let policy: ResultPolicy
  private let selector: Selector
  private let isNothing: (Answer) -> Bool

  /// Whether targets after the first responder receive the message too; nil while that is unknown.
  var goesToAll: Bool?

  private var answer: Answer?
  private var error: MessageError?

  /// Creates a fold without an answer.
  ///
  /// - Parameters:
  ///   - policy: The policy.
  ///   - selector: The message.
  ///   - isNothing: Whether the policy `firstNonNil` asks the next target after an answer.
  /// - Throws: `typeMismatch` if the policy is for answers of another type.
  init(
    _ policy: ResultPolicy, _ selector: Selector,
    isNothing: @escaping (Answer) -> Bool = Nothing.isNothing
  ) throws(MessageError) {
    self.policy = policy
    self.selector = selector
    self.isNothing = isNothing
    goesToAll = policy.goesToAll
    guard Answer.self != Void.self else { return }
    switch policy.kind {
    case .any, .allOf:
      if Answer.self != Bool.self, Answer.self != Bool?.self { throw mismatch(Bool.self) }
    case .reduce(let reducer):
      if !(reducer is Reducer<Answer>) { throw mismatch(reducer.answerType) }
    case .automatic, .all, .first, .last, .firstNonNil: break
    }
  }

  /// Adds the next answer.
  ///
  /// An error, of reading the answer or of the policy's closure, ends the combining and not the
  /// delivery.
  ///
  /// - Parameter read: Reads the answer.
  /// - Returns: Whether the message goes to further targets.
  mutating func take(_ read: () throws(InvocationError) -> Answer) -> Bool {
    guard error == nil else { return true }
    let new: Answer
    do throws(InvocationError) { new = try read() } catch {
      self.error = MessageError(error, selector)
      return true
    }
    do {
      guard let current = answer else {
        answer = new
        if case .firstNonNil = policy.kind { return isNothing(new) }
        return goesToAll ?? false
      }
      switch policy.kind {
      case .automatic, .all, .first: break
      case .last: answer = new
      case .firstNonNil:
        guard !isNothing(new) else { break }
        answer = new
        return false
      case .any: combine(current, new) { $0 || $1 }
      case .allOf: combine(current, new) { $0 && $1 }
      case .reduce(let reducer):
        if let reducer = reducer as? Reducer<Answer> {
          answer = try reducer.combine(current, new)
        }
      }
    } catch {
      self.error = MessageError(thrown: error, by: selector)
    }
    return true
  }

  /// The combined answer; nil if no target answered.
  ///
  /// - Throws: The error of reading or combining answers.
  func result() throws(MessageError) -> Answer? {
    if let error { throw error }
    return answer
  }

  private mutating func combine(
    _ current: Answer, _ new: Answer, _ operation: (Bool, Bool) -> Bool
  ) {
    guard let new = new as? Bool else { return }
    answer = ((current as? Bool).map { operation($0, new) } ?? new) as? Answer
  }

  private func mismatch(_ expected: Any.Type) -> MessageError {
    MessageError(
      .typeMismatch, of: selector,
      "the proxy's policy combines answers of type \(expected); ask for that, not for "
        + "\(Answer.self)")
  }
}

/// A `Reducer` of answers of any one type.
protocol AnswerReducer<Answer>: Sendable {
  associatedtype Answer
}

extension AnswerReducer {
  /// The type of the answers.
  var answerType: Any.Type { Answer.self }
}

/// Combines two answers by a closure.
struct Reducer<Answer>: AnswerReducer {
  let combine: @Sendable (Answer, Answer) throws -> Answer
}

/// The values that the policy `firstNonNil` takes for no answer.
enum Nothing {
  /// Whether a value is nil.
  static func isNothing<Value>(_ value: Value) -> Bool {
    (value as? any OptionalType)?.isNil ?? false
  }

  /// Whether an invocation's result is nil or null.
  static func isNothing(resultOf invocation: Invocation) -> Bool {
    switch try? invocation.resultValue() {
    case .object(nil), .block(nil), .pointer(0), .cString(nil): true
    case .object(let object?): ((object as? SwiftValue)?.value).map { isNothing($0) } ?? false
    default: false
    }
  }
}
