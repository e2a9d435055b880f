internal import Invocations
public import Synchronization

/// The types of the messages that enter a hooked method without its code: addresses of classes of
/// implementations.
///
/// Those of a method which is no closure are not known before the first message that has the types
/// of its signature.
@usableFromInline
@frozen
struct HookedTypes: ~Copyable, Sendable {
  /// The types of the method; 0 if no message enters, `unknown` until one has brought its types.
  @usableFromInline let exactly: Atomic<UInt>

  /// The same for messages that ignore the answer.
  @usableFromInline let ignoringAnswer: Atomic<UInt>

  /// No address of a class.
  static var unknown: UInt { 1 }

  private init(_ exactly: UInt, _ ignoringAnswer: UInt) {
    self.exactly = Atomic(exactly)
    self.ignoringAnswer = Atomic(ignoringAnswer)
  }

  /// Those of no messages.
  init() { self.init(0, 0) }

  /// Those of a method, unknown where it is no closure.
  init(of method: MethodNumbers?) {
    self.init(
      method.map { UInt(bitPattern: $0.implementation) } ?? Self.unknown,
      method.map { UInt(bitPattern: $0.ignoringOutcome) } ?? Self.unknown)
  }

  /// Whether messages of some types enter.
  @inlinable
  @inline(__always)
  func has(_ types: UInt) -> Bool {
    exactly.load(ordering: .relaxed) == types || ignoringAnswer.load(ordering: .relaxed) == types
  }

  /// Lets messages enter whose types are a plan's, if no message has brought its types before.
  ///
  /// - Returns: Whether they enter from now on.
  func learn(
    _ types: UInt, _ arguments: Any.Type, _ outcome: Any.Type, _ plan: TuplePlan
  ) -> Bool {
    let isIgnored = outcome == Void.self
    let known =
      isIgnored ? ignoringAnswer.load(ordering: .relaxed) : exactly.load(ordering: .relaxed)
    guard known == Self.unknown, isIgnored || plan.result == ScalarKind(of: outcome),
      let elements = try? ArgumentTypes.of(arguments).elements, plan.isOf(elements)
    else { return false }
    if isIgnored {
      ignoringAnswer.store(types, ordering: .relaxed)
    } else {
      exactly.store(types, ordering: .relaxed)
    }
    return true
  }
}
