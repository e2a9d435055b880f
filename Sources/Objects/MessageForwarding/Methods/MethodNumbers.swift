internal import Invocations

/// The types of a method whose arguments and result, if it has one, are numbers.
struct MethodNumbers: Sendable {
  /// The class of implementations with exactly these types.
  let implementation: ObjectIdentifier
  /// The class of implementations with these arguments, and without a result.
  let ignoringOutcome: ObjectIdentifier

  /// The kind of the result; `.none` if there is none.
  let result: ScalarKind

  /// The places and kinds of the tuple's elements.
  let elements: [(offset: Int, kind: ScalarKind)]
}
