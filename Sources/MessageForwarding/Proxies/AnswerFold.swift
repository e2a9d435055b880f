internal import Invocations

/// Combines the answers of a message's targets, one after the other, by a policy.
struct AnswerFold<Outcome> {
  private let policy: ResultPolicy
  private let selector: Selector
  private(set) var answer: Outcome?

  /// Creates a fold without an answer.
  ///
  /// - Throws: `typeMismatch` if the policy is for answers of another type.
  init(_ policy: ResultPolicy, _ selector: Selector) throws(MessageError) {
    self.policy = policy
    self.selector = selector
    guard Outcome.self != Void.self else { return }
    switch policy.kind {
    case .any, .allOf:
      if Outcome.self != Bool.self, Outcome.self != Bool?.self { throw mismatch(Bool.self) }
    case .reduce(let reducer):
      if !(reducer is TypedReducer<Outcome>) { throw mismatch(reducer.type) }
    default: break
    }
  }

  /// Adds the next answer.
  ///
  /// - Returns: Whether the policy needs the answers of further targets.
  /// - Throws: `thrown` with an error of the closure that combines two answers.
  mutating func take(_ new: Outcome) throws(MessageError) -> Bool {
    guard let current = answer else {
      answer = new
      if case .firstNonNil = policy.kind { return Nothing.isNothing(new) }
      return policy.goesToAll ?? false
    }
    switch policy.kind {
    case .automatic, .all, .first: return true
    case .last: answer = new
    case .firstNonNil:
      if Nothing.isNothing(new) { return true }
      answer = new
      return false
    case .any: combine(current, new) { $0 || $1 }
    case .allOf: combine(current, new) { $0 && $1 }
    case .reduce(let reducer):
      guard let reducer = reducer as? TypedReducer<Outcome> else { return true }
      do { answer = try reducer.combine(current, new) } catch {
        throw MessageError(thrown: error, by: selector)
      }
    }
    return true
  }

  private mutating func combine(
    _ current: Outcome, _ new: Outcome, _ operation: (Bool, Bool) -> Bool
  ) {
    guard let new = new as? Bool else { return }
    answer = ((current as? Bool).map { operation($0, new) } ?? new) as? Outcome
  }

  private func mismatch(_ expected: Any.Type) -> MessageError {
    MessageError(
      .typeMismatch,
      "`\(selector)`: the proxy's policy combines answers of type \(expected); ask for that, not for "
        + "\(Outcome.self)", selector: selector)
  }
}

/// Combines the answers of one type.
class AnswerReducer: @unchecked Sendable {
  // SAFETY: `@unchecked Sendable`: the properties, also of the subclass, are immutable; a metatype
  // is immutable too.
  let type: Any.Type

  init(_ type: Any.Type) { self.type = type }

  /// Combines the results of invocations, and stores the combined answer as the result of another.
  func reduce(_ answers: [Invocation], into invocation: Invocation) throws {}
}

/// Combines answers by a closure.
final class TypedReducer<Answer>: AnswerReducer, @unchecked Sendable {
  let combine: @Sendable (Answer, Answer) throws -> Answer

  init(_ combine: @escaping @Sendable (Answer, Answer) throws -> Answer) {
    self.combine = combine
    super.init(Answer.self)
  }

  override func reduce(_ answers: [Invocation], into invocation: Invocation) throws {
    var combined: Answer?
    for answer in answers {
      let next: Answer = try answer.loadResult()
      combined = try combined.map { try combine($0, next) } ?? next
    }
    if let combined { try invocation.storeResult(combined) }
  }
}

/// The values that the policy `firstNonNil` takes for no answer.
enum Nothing {
  /// Whether a value is nil.
  static func isNothing<Value>(_ value: Value) -> Bool {
    (value as? any OptionalValue)?.isNil ?? false
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

/// An Optional of any type.
protocol OptionalValue {
  /// Whether it is nil.
  var isNil: Bool { get }
}

extension Optional: OptionalValue {
  var isNil: Bool { self == nil }
}
