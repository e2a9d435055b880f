/// Runs a closure for each of several objects, when the object is destroyed.
///
/// ```swift
/// let hooks = try onDeinit(ofEach: [page, otherPage]) { index in print("page \(index) is gone") }
/// for hook in hooks { hook.remove() }
/// ```
///
/// - Parameters:
///   - objects: The objects; not retained. An object that is there twice has two hooks.
///   - position: Before the object's own deinit, or after it.
///   - body: The closure, which receives the place of the object in the sequence.
/// - Returns: The hooks, in the order of the objects.
/// - Throws: What `onDeinit(of:_:_:)` throws for one of the objects; none has a hook then.
@discardableResult
public func onDeinit<Objects: Sequence>(
  ofEach objects: Objects, _ position: DeinitHook.Position = .after,
  _ body: @escaping @Sendable (Int) -> Void
) throws(LifetimeError) -> [DeinitHook] where Objects.Element: AnyObject {
  var hooks: [DeinitHook] = []
  hooks.reserveCapacity(objects.underestimatedCount)
  do throws(LifetimeError) {
    for (index, object) in objects.enumerated() {
      hooks.append(try onDeinit(of: object, position) { body(index) })
    }
  } catch {
    for hook in hooks { hook.remove() }
    throw error
  }
  return hooks
}

/// Runs a closure when the last of several objects has been destroyed.
///
/// The closure runs once, on the thread that destroys the last object, after the object's deinit,
/// while no lock is held. Without objects, it runs before this returns.
///
/// ```swift
/// try onDeinit(ofAll: [page, otherPage]) { print("both pages are gone") }
/// ```
///
/// - Parameters:
///   - objects: The objects; not retained.
///   - body: The closure; freed when it has run or when the hook is removed.
/// - Returns: The hook, for its removal; it may be dropped.
/// - Throws: What `onDeinit(of:_:_:)` throws for one of the objects; none has a hook then.
@discardableResult
public func onDeinit<Objects: Sequence>(
  ofAll objects: Objects, _ body: @escaping @Sendable () -> Void
) throws(LifetimeError) -> CommonDeinitHook where Objects.Element: AnyObject {
  let countdown = Countdown(body)
  let hooks = try onDeinit(ofEach: objects) { _ in countdown.add(-1) }
  countdown.add(hooks.count)
  return CommonDeinitHook(countdown, hooks)
}
