package import TypeEncodings

/// A result that stands for what a task awaits later, such as that of an async method.
package protocol AwaitedAnswer: AnyObject, Sendable {
  associatedtype Outcome: Sendable

  /// Creates an answer that a closure computes each time that it is awaited.
  init(_ body: @escaping @Sendable () async throws -> Outcome)

  /// The answer, which is computed now.
  var value: Outcome { get async throws }
}

extension TypeEncoding {
  /// Whether values of the type are awaited later.
  package var isAwaitedAnswer: Bool {
    swiftValueTypeName?.hasPrefix("MessageForwarding.AsyncAnswer<") ?? false
  }
}
