internal import LoadedClasses

/// Runs a closure whenever an object of a class, or of its subclasses, is destroyed from now on.
///
/// The closure runs once for each object, on the thread that releases its last reference, while no
/// lock is held; on several threads at once if these destroy objects. It runs after the object's
/// own hooks with the same position; hooks of classes run in the order of installation.
///
/// ```swift
/// let hook = try onDeinit(ofInstances: Page.self) { gone in print("\(gone.type) is gone") }
/// hook.remove()
/// ```
///
/// Included are all loaded subclasses that are not generic, and the subclasses that these inherit
/// from; `includeLoadedSubclasses()` includes those of libraries that are loaded later. Any other
/// specialised generic class is included once an object of it has had its own hook or value, or
/// once that class itself is hooked. In optimised code, no hook runs for an object that is created
/// and destroyed where the compiler sees all of its uses.
///
/// - Parameters:
///   - type: The class.
///   - includingSubclasses: Whether the objects of subclasses have the hook, too.
///   - position: Before the object's own deinit, or after it.
///   - body: The closure; freed when the hook is removed.
/// - Returns: The hook, for its removal; it may be dropped.
/// - Throws: `protectedMemory`, `outOfMemory`; nothing is installed then.
@discardableResult
public func onDeinit(
  ofInstances type: AnyClass, includingSubclasses: Bool = true,
  _ position: DeinitHook.Position = .after,
  _ body: @escaping @Sendable (DestroyedObject) -> Void
) throws(LifetimeError) -> ClassDeinitHook {
  let hook = ClassDeinitHook(
    ClassMetadata(type), includesSubclasses: includingSubclasses, position, .plain(body))
  try HookedClasses.install(hook)
  return hook
}

/// Runs a closure with each object of a class, or of its subclasses, before its own deinit.
///
/// All stored properties of the object are intact then. Otherwise it is like
/// `onDeinit(ofInstances:includingSubclasses:_:_:)` with `before`.
///
/// ## Safety
///
/// When the closure returns, no reference to the object that it made may be left: the object is
/// then destroyed, whatever its reference count is.
///
/// - Parameters:
///   - type: The class.
///   - includingSubclasses: Whether the objects of subclasses have the hook, too.
///   - body: The closure; it borrows the dying object.
/// - Returns: The hook, for its removal; it may be dropped.
/// - Throws: What `onDeinit(ofInstances:includingSubclasses:_:_:)` throws.
@unsafe @discardableResult
public func onDeinit<Object: AnyObject>(
  lendingInstances type: Object.Type, includingSubclasses: Bool = true,
  _ body: @escaping @Sendable (Object) -> Void
) throws(LifetimeError) -> ClassDeinitHook {
  // SAFETY: a hook is called with objects of its class and of subclasses, which are `Object`s.
  let lending: @Sendable (AnyObject) -> Void = { body(unsafe unsafeDowncast($0, to: Object.self)) }
  let hook = ClassDeinitHook(
    ClassMetadata(type), includesSubclasses: includingSubclasses, .before, .lending(lending))
  try HookedClasses.install(hook)
  return hook
}
