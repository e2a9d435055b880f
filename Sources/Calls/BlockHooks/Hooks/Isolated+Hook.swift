public import Invocations
@_exported public import IsolatedClosures

extension Isolated where Base: HookTarget {
  /// Installs a hook whose handler need not be `Sendable`.
  ///
  /// It is like `HookTarget.hook(_:name:priority:when:onError:_:)`, but the handler runs only in
  /// calls that the actor's code makes, or that of the scope. Other calls pass by the hook as if it
  /// had been skipped, and `onError` receives `wrongExecutor`.
  ///
  /// ```swift
  /// var count = 0
  /// try withIsolationScope { scope in
  ///   try scope.isolated(block).hook(.before) { _ in count += 1 }
  ///   let _: Int32 = try block.call(1, 2.0)
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - positions: Where the handler runs.
  ///   - name: A name for descriptions and removal by name.
  ///   - priority: A hook of a higher priority is outside of those of lower ones; 0 if not given.
  ///   - conditions: Which calls run the handler; all if not given.
  ///   - onError: Receives what the handler throws, on any thread.
  ///   - handler: Runs in each position.
  /// - Returns: The token that removes the hook. Dropping the token does not remove it.
  /// - Throws: As `HookTarget.install(_:)`.
  @discardableResult
  public func hook(
    _ positions: HookPositions = .instead, name: String? = nil, priority: Int = 0,
    when conditions: HookConditions = .always,
    onError: @escaping @Sendable (any Error) -> Void = reportHandlerError,
    _ handler: @escaping (_ call: inout CallFrame) throws -> Void
  ) throws(Base.Failure) -> Hook {
    let closure = closure(handler)
    let hook = try base.hook(
      positions, name: name, priority: priority, when: conditions, onError: onError
    ) { call in try closure.entered()(&call) }
    return ending(hook)
  }
}
