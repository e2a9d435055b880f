@_exported public import IsolatedClosures

extension Isolated where Base: AnyObject {
  /// Runs a closure that need not be `Sendable` when the object is destroyed.
  ///
  /// It is like `onDeinit(of:_:_:)`, but the closure runs only if the last reference is released by
  /// the actor's code, or by that of the scope. Otherwise it does not run, and the error
  /// `wrongExecutor` is written to standard error; this is also so if the actor's own end destroys
  /// the object, unless its deinit is isolated or the actor's code releases the actor.
  ///
  /// ```swift
  /// @MainActor final class Counter {
  ///   var count = 0
  ///   func start(_ page: Page) throws {
  ///     try isolated(page).onDeinit { [weak self] in self?.count += 1 }
  ///   }
  /// }
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
    let hook = try ObjectLifetimes.onDeinit(of: base, position) { closure.report { $0() } }
    return ending(hook)
  }
}
