@_exported public import IsolatedClosures

extension Isolated where Base: AnyObject {
  /// Runs a closure that need not be `Sendable` when the object is destroyed.
  ///
  /// It is like `onDeinit(of:_:_:)`, but the closure runs only if the last reference is released where
  /// `isolated(_:to:)` was called: on that actor, in that task or on that thread. Otherwise it does not
  /// run, and the error `wrongExecutor` is written to standard error.
  ///
  /// ```swift
  /// var count = 0
  /// for object in [page, otherPage] { try isolated(object).onDeinit { count += 1 } }
  /// ```
  ///
  /// - Parameters:
  ///   - position: Before the object's own deinit, or after it.
  ///   - body: The closure.
  /// - Returns: The hook, for its removal; it may be dropped.
  /// - Throws: What `onDeinit(of:_:_:)` throws.
  @discardableResult
  public func onDeinit(
    _ position: DeinitHook.Position = .after, _ body: @escaping () -> Void
  ) throws(LifetimeError) -> DeinitHook {
    let closure = closure(body)
    return try ObjectLifetimes.onDeinit(of: base, position) { closure.report { $0() } }
  }
}
