/// Gives a timer, a block, an object or a class closures of an actor, which need not be `Sendable`.
///
/// ```swift
/// @MainActor final class Clock {
///   var ticks = 0
///   func start() throws {
///     try isolated(DelayTimer.shared).repeat(every: .seconds(1)) { [weak self] _ in
///       self?.ticks += 1
///     }
///   }
/// }
/// ```
///
/// The value that it returns has the functions of `base`, by the same names. Their closures may use
/// what the code around them may use: local variables, objects that are not `Sendable`, the state
/// of the actor. For that, they run only on the actor. A closure whose turn comes elsewhere does
/// not run: the call passes by it, and the error `wrongExecutor` is reported, as the function says.
/// Delayed blocks are brought to the actor.
///
/// Arguments, results and receivers that a hook reads from a call, and that are not `Sendable`, may
/// belong to the caller: the closure uses them during the call only.
///
/// A closure is also freed on its actor: if its last reference is released elsewhere, a task of the
/// actor frees it. Closures do not retain the actor, unless a function says so. Once the actor has
/// been destroyed, its closures do not run, and any thread frees them, one after the other, but
/// none before the actor's deinit has ended. An isolated deinit is taken to have ended when the
/// actor's last reference has been released: if that is done outside of the actor, the deinit runs
/// later, and another thread may free a closure meanwhile. The same holds for a closure that an
/// isolated deinit makes, and for an actor whose class's metadata is read-only.
///
/// The main actor's code is also what the main queue runs on other threads, as after
/// `dispatchMain()`. An actor with an executor of its own is asked by `isIsolatingCurrentContext()`
/// about code that is not in a task.
///
/// Code that no actor isolates uses ``withIsolationScope(_:)``.
///
/// - Parameters:
///   - base: The timer, the block, the object or the class.
///   - actor: The actor of the calling code.
/// - Returns: A value with the functions that `base` has. It is not `Sendable`.
public func isolated<Base>(
  _ base: Base, to actor: isolated any Actor = #isolation
) -> Isolated<Base> {
  Isolated(base: base, isolation: Isolation(actor))
}

/// A timer, a block, an object or a class, whose functions take closures that need not be
/// `Sendable`: see ``isolated(_:to:)`` and ``withIsolationScope(_:)``.
public struct Isolated<Base> {
  /// The timer, the block, the object or the class.
  public let base: Base

  /// Where the closures run.
  public let isolation: Isolation

  /// Another base, whose closures run in the same place.
  package func with<Other>(_ other: Other) -> Isolated<Other> {
    Isolated<Other>(base: other, isolation: isolation)
  }

  /// Makes a closure that runs only where it belongs.
  package func closure<Body>(_ body: Body) -> IsolatedValue<Body> {
    IsolatedValue(body, isolation)
  }

  /// Returns a token, which the end of the scope removes if the closures belong to a scope.
  package func ending<Token: Removable>(_ token: Token) -> Token {
    isolation.atEnd { token.remove() }
    return token
  }
}

// Another thread could otherwise add closures of its own.
@available(*, unavailable)
extension Isolated: Sendable {}
