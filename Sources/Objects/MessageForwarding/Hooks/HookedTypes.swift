internal import Invocations
public import Synchronization

/// The Swift types of the messages that enter a hooked method without its code.
///
/// The address of a class of implementations stands for the types that the class is specialised
/// for.
///
/// The types of a method that is not a closure are unknown until a message comes that has the types
/// of the method's signature.
@usableFromInline
@frozen
struct HookedTypes: ~Copyable, Sendable {
  /// The types of messages that use the answer; 0 if none may enter, `unknown` until one has come.
  @usableFromInline let exactly: Atomic<UInt>

  /// The types of messages that ignore the answer; 0 and `unknown` as above.
  @usableFromInline let ignoringAnswer: Atomic<UInt>

  /// A word that is not the address of a class.
  static var unknown: UInt { 1 }

  private init(_ exactly: UInt, _ ignoringAnswer: UInt) {
    self.exactly = Atomic(exactly)
    self.ignoringAnswer = Atomic(ignoringAnswer)
  }

  /// Creates the types of no messages.
  init() { self.init(0, 0) }

  /// Creates the types of a method; they are unknown if the method is not a closure.
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

  /// Lets messages with the types of a plan enter, if the types were unknown.
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
