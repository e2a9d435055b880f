private import BlockRuntimeThreads
private import Synchronization

/// A function that does not escape, as an argument of a Swift call whose hooks see it as a value.
///
/// Hooks may keep the value, but call it only until the call of the method ends. All threads may
/// use it.
public final class LentFunction<Function>: Sendable {
  private let lent: Locked<Function?>
  private let throwing = Atomic(false)

  /// Creates the argument of a message.
  ///
  /// - Parameter function: The function, until `end()`.
  public init(_ function: Function) { lent = Locked(function) }

  /// The function.
  ///
  /// ## Safety
  ///
  /// The function must be read, and its calls must end, before ``end()``. A hook that reads it
  /// after the call of the method has ended ends the program, as Swift does with non-escaping
  /// functions that escape; so does a hook whose call of it on another thread goes on at that time.
  @unsafe public var function: Function {
    guard let function = lent.withLock({ $0 }) else {
      preconditionFailure(
        "a hook calls a function that does not escape after its call has ended; write @escaping before its type"
      )
    }
    return function
  }

  /// Whether the function has thrown: then the caller of a method that rethrows expects errors.
  public var hasThrown: Bool { throwing.load(ordering: .relaxed) }

  /// Notes that the function has thrown.
  public func noteError() { throwing.store(true, ordering: .relaxed) }

  /// Ends the time for which the function is lent.
  public func end() { lent.withLock { $0 = nil } }
}
