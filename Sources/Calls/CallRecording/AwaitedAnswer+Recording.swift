internal import Invocations
internal import TypeEncodings

extension AwaitedAnswer {
  /// The type of what is awaited.
  static var outcome: Any.Type { Outcome.self }

  /// An answer whose outcome is known; nil if the outcome has another type.
  static func with(_ value: Any) -> AnyObject? {
    (value as? Outcome).map { outcome in Self { outcome } }
  }

  /// An answer that passes on this one, and reports each of its ends.
  func telling(_ tell: @escaping @Sendable (Result<Any, any Error>) -> Void) -> AnyObject {
    Self {
      do {
        let outcome = try await self.value
        tell(.success(outcome))
        return outcome
      } catch {
        tell(.failure(error))
        throw error
      }
    }
  }
}

extension TypeEncoding {
  /// The Swift type of values; for an answer that is awaited, the type of its outcome.
  var awaitedType: Any.Type? { answerType.map { $0.outcome } ?? swiftValueType }

  /// The type of answers that are awaited; nil for all other types.
  private var answerType: (any AwaitedAnswer.Type)? { swiftValueType as? any AwaitedAnswer.Type }

  /// A value as a result of this type: if results are awaited, as an answer whose outcome it is.
  func result(_ value: CValue) -> CValue? {
    guard let answerType, case .object(let object?) = value else { return value }
    return answerType.with((object as? SwiftValue)?.value ?? object).map { .object($0) }
  }
}
