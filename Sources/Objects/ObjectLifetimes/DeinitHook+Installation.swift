/// Runs a closure when an object of any Swift class is destroyed.
///
/// The closure runs exactly once, on the thread that releases the last reference, while no lock is
/// held; hooks with the same position run in the order of installation. A closure that retains the
/// object keeps it alive for ever: capture it weakly, or not at all.
///
/// ```swift
/// let hook = try onDeinit(of: connection) { print("the connection is gone") }
/// hook.remove()  // true: the closure is freed, and never runs
/// ```
///
/// The first hook or value for an object of a class makes the destruction of all objects of exactly
/// this class a few nanoseconds slower, permanently. If the last reference is released outside of
/// the actor of an isolated deinit, that deinit runs later: hooks after it do not wait for it.
///
/// - Parameters:
///   - object: The object; not retained.
///   - position: Before the object's own deinit, or after it.
///   - body: The closure; freed when it has run (if that is before the deinit, when the deinit is
///     over) or when the hook is removed.
/// - Returns: The hook, for its removal; it may be dropped.
/// - Throws: `objectIsDying` if the object's last reference has been released; `unsupportedObject`
///   for a block; `protectedMemory`, `outOfMemory`.
@discardableResult
public func onDeinit(
  of object: AnyObject, _ position: DeinitHook.Position = .after,
  _ body: @escaping @Sendable () -> Void
) throws(LifetimeError) -> DeinitHook {
  try install(.plain(body), position, on: object)
}

/// Runs a closure with an object before its own deinit.
///
/// All stored properties of the object are intact then. Otherwise it is like `onDeinit(of:_:_:)`
/// with `before`.
///
/// ## Safety
///
/// When the closure returns, no reference to the object that it made may be left: the object is
/// then destroyed, whatever its reference count is.
///
/// - Parameters:
///   - object: The object; not retained.
///   - body: The closure; it borrows the dying object.
/// - Returns: The hook, for its removal; it may be dropped.
/// - Throws: What `onDeinit(of:_:_:)` throws.
@unsafe @discardableResult
public func onDeinit<Object: AnyObject>(
  lending object: Object, _ body: @escaping @Sendable (Object) -> Void
) throws(LifetimeError) -> DeinitHook {
  // SAFETY: a hook is called with the object that it was installed for, which is an `Object`.
  let lending: @Sendable (AnyObject) -> Void = { body(unsafe unsafeDowncast($0, to: Object.self)) }
  return try install(.lending(lending), .before, on: object)
}

private func install(
  _ body: consuming DeinitHook.Body, _ position: DeinitHook.Position, on object: AnyObject
) throws(LifetimeError) -> DeinitHook {
  try ObjectDestruction.watchClass(of: object)
  let hook = DeinitHook(position, body, UInt(bitPattern: ObjectIdentifier(object)))
  RecordTable.add(hook)
  // If the caller's reference were released early, the hook would outlive the object.
  extendLifetime(object)
  return hook
}
