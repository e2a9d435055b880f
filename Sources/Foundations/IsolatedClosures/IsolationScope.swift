/// Calls a closure that may give timers, blocks, objects and classes closures that need not be
/// `Sendable`, also where no actor isolates the code.
///
/// ```swift
/// func calls(of block: Block) throws -> Int {
///   var count = 0
///   try withIsolationScope { scope in
///     try scope.isolated(block).hook(.before) { _ in count += 1 }
///     let _: Int32 = try block.call(1)
///   }
///   return count
/// }
/// ```
///
/// These closures run only on the thread that runs `body`, until `body` returns. Before this
/// function returns, their hooks, observers and values are removed, their delayed blocks are
/// cancelled, and the closures are freed, on that thread.
///
/// - Parameter body: Receives the scope. The compiler lets no other task use what the closures use
///   meanwhile.
/// - Returns: What `body` returns.
/// - Throws: What `body` throws.
@discardableResult
public func withIsolationScope<Outcome, Failure: Error>(
  _ body: (IsolationScope) throws(Failure) -> Outcome
) throws(Failure) -> Outcome {
  let values = ScopedValues()
  defer { values.end() }
  return try body(IsolationScope(values: values))
}

/// The place where closures run that need not be `Sendable`, and end: see
/// ``withIsolationScope(_:)``.
public struct IsolationScope {
  fileprivate let values: ScopedValues

  /// Gives a timer, a block, an object or a class closures that end with the scope.
  ///
  /// - Parameter base: The timer, the block, the object or the class.
  /// - Returns: A value with the functions that `base` has. After the end of the scope, what they
  ///   add is removed at once.
  public func isolated<Base>(_ base: Base) -> Isolated<Base> {
    Isolated(base: base, isolation: Isolation(values))
  }
}

// Another task could otherwise add closures of its own.
@available(*, unavailable)
extension IsolationScope: Sendable {}
