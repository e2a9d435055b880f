/// Gives a timer, a block, an object or a class closures that need not be `Sendable`.
///
/// ```swift
/// var count = 0
/// try isolated(block).hook(.before) { _ in count += 1 }
///
/// @MainActor final class Clock {
///   var ticks = 0
///   func start() throws {
///     try isolated(DelayTimer.shared).repeat(every: .seconds(1)) { [weak self] _ in self?.ticks += 1 }
///   }
/// }
/// ```
///
/// The functions of the value that it returns have the names that they have without it. Their closures
/// may use what the code around them may use: local variables, objects that are not `Sendable`, the
/// state of the actor. For that, they run only where that code runs: on its actor, or, in code that no
/// actor isolates, in its task or on its thread. A closure whose turn comes elsewhere does not run:
/// the call passes by it, and the error `wrongExecutor` is reported, as the function says. Delayed
/// blocks are brought to the actor.
///
/// A closure is also freed there: if its last reference is released elsewhere, a task of the actor
/// frees it, or the thread, when it next uses this function, runs such a closure, or ends.
///
/// - Parameters:
///   - base: The timer, the block, the object or the class.
///   - actor: The actor; that of the calling code, if not given.
/// - Returns: A value with the functions that `base` has. It is not `Sendable`.
public func isolated<Base>(
  _ base: Base, to actor: isolated (any Actor)? = #isolation
) -> Isolated<Base> {
  Isolated(base: base, isolation: Isolation(actor))
}

/// A timer, a block, an object or a class, whose functions take closures that need not be `Sendable`:
/// see ``isolated(_:to:)``.
public struct Isolated<Base> {
  /// What has closures.
  public let base: Base

  /// Where the closures run.
  public let isolation: Isolation

  /// The same place for the closures of something else.
  package func with<Other>(_ other: Other) -> Isolated<Other> {
    Isolated<Other>(base: other, isolation: isolation)
  }

  /// Makes a closure that runs only where it belongs.
  package func closure<Body>(_ body: Body) -> IsolatedValue<Body> {
    IsolatedValue(body, isolation)
  }
}

// Another thread could otherwise add closures of its own.
@available(*, unavailable)
extension Isolated: Sendable {}
