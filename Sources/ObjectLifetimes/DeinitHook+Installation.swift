/// Runs a closure when an object of any Swift class dies.
///
/// The closure runs exactly once, on the thread that gives up the last reference, under no lock;
/// hooks of the same position run in the order of installation. A closure that refers to the object
/// keeps it alive for ever: refer to it weakly, or not at all.
///
/// ```swift
/// let hook = try onDeinit(of: connection) { print("the connection is gone") }
/// hook.remove()  // true: the closure is freed, and never runs
/// ```
///
/// The first hook or value for an object of a class makes the ends of all objects of exactly this
/// class a few nanoseconds slower, for good. An isolated deinit runs later, on its actor, where the
/// last reference is given up elsewhere: hooks after it do not wait for that.
///
/// - Parameters:
///   - object: The object; not retained.
///   - position: Before the object's own deinit, or after it.
///   - body: The closure; freed when it has run (one that runs before the deinit, when that is over)
///     or when the hook is removed.
/// - Returns: The hook, for its removal; it may be dropped.
/// - Throws: `objectIsDying` if the object's last reference is gone; `unsupportedObject` for a
///   block; `protectedMemory`, `outOfMemory`.
@discardableResult
public func onDeinit(
  of object: AnyObject, _ position: DeinitHook.Position = .after,
  _ body: @escaping @Sendable () -> Void
) throws(LifetimeError) -> DeinitHook {
  try install(.plain(body), position, on: object)
}

/// Runs a closure with an object before its own deinit.
///
/// All the object's fields are alive then. Otherwise like `onDeinit(of:_:_:)` with `before`.
///
/// ## Safety
///
/// The closure must keep no reference to the object: the object ends when it returns, whatever
/// refers to it.
///
/// - Parameters:
///   - object: The object; not retained.
///   - body: The closure, to which the dying object is lent.
/// - Returns: The hook, for its removal; it may be dropped.
/// - Throws: What `onDeinit(of:_:_:)` throws.
@unsafe @discardableResult
public func onDeinit<Object: AnyObject>(
  lending object: Object, _ body: @escaping @Sendable (Object) -> Void
) throws(LifetimeError) -> DeinitHook {
  // SAFETY: a hook gets the object it was installed for.
  let lending: @Sendable (AnyObject) -> Void = { body(unsafe unsafeDowncast($0, to: Object.self)) }
  return try install(.lending(lending), .before, on: object)
}

private func install(
  _ body: DeinitHook.Body, _ position: DeinitHook.Position, on object: AnyObject
) throws(LifetimeError) -> DeinitHook {
  try RecordTable.withRecord(makingOf: object) { record in
    let hook = DeinitHook(position, body, record)
    record.add(hook)
    return hook
  }
}
