public import IsolatedClosures

/// An installed hook: the token that removes it.
///
/// Dropping the token does not remove the hook; `scoped()` makes a token that does. All functions
/// may be called from any thread and from inside any handler.
public final class Hook: Removable {
  fileprivate let state: any HookControl

  /// Makes a token of an installed hook.
  package init(_ state: any HookControl) { self.state = state }

  /// The name given at installation.
  public var name: String? { state.name }

  /// The priority given at installation.
  public var priority: Int { state.priority }

  /// The positions given at installation.
  public var positions: HookPositions { state.positions }

  /// The conditions given at installation.
  public var conditions: HookConditions { state.conditions }

  /// Whether the hook is installed: false while it is suspended, after it was removed, and after
  /// its block has died.
  public var isInstalled: Bool { state.isInstalled }

  /// Whether the hook is suspended, and can be installed again.
  public var isSuspended: Bool { state.isSuspended }

  /// Whether the hook was removed for good: it is neither installed nor suspended, now and at any
  /// later moment.
  package var hasEnded: Bool { state.hasEnded }

  /// Removes the hook; if it was removed before, or its block has died, does nothing.
  ///
  /// After the return no new call of the handler starts; handler calls in progress continue. In a
  /// call in progress the handler's later positions are skipped. The handler's captures are
  /// released as soon as no call needs them.
  ///
  /// The handler of a typed hook of an async method runs in the task that awaits the method's
  /// answer, also after the removal if the message was sent before.
  ///
  /// - Returns: True if this call removed the hook.
  @discardableResult
  public func remove() -> Bool { state.remove() }

  /// Removes the hook and waits until no call of its handler is running.
  ///
  /// Called from inside the handler, this does not wait for the handler calls that it is part of,
  /// nor for those that wait for the same hook on other threads. The handlers of two hooks that
  /// wait for each other's hook are deadlocked, like two threads that join each other. It does not
  /// wait for the tasks in which handlers of async methods run.
  ///
  /// - Returns: True if this call removed the hook.
  @discardableResult
  public func removeAndWait() -> Bool {
    let isRemoved = state.remove()
    state.waitForRunningCalls()
    return isRemoved
  }

  /// Takes the hook out of its chain as `remove()` does, and stores its handler for `resume()`.
  ///
  /// - Returns: True if this call suspended the hook.
  @discardableResult
  public func suspend() -> Bool { state.suspend() }

  /// Installs a suspended hook again, outermost among those of its priority.
  ///
  /// A call in progress that began with the hook runs it in those positions that are yet to come.
  ///
  /// The numbers of calls and runs that its conditions have counted are unchanged.
  ///
  /// - Returns: True if this call installed the hook; false if it is installed or removed, or if
  ///   its block has died.
  /// - Throws: `signatureConflict`, `tooManyHooks`, `protectedMemory`, `outOfMemory`. Then the hook
  ///   stays suspended.
  @discardableResult
  public func resume() throws(HookError) -> Bool { try state.resume() }
}

/// The installed hook behind a token: a handler in one chain, or in several owners' chains.
package protocol HookControl: AnyObject, Sendable {
  var name: String? { get }
  var priority: Int { get }
  var positions: HookPositions { get }
  var conditions: HookConditions { get }
  var isInstalled: Bool { get }
  var isSuspended: Bool { get }

  /// Whether the hook was removed for good.
  var hasEnded: Bool { get }

  func remove() -> Bool
  func suspend() -> Bool
  func resume() throws(HookError) -> Bool

  /// Waits until no call of the handler is running, except calls whose threads are waiting too.
  func waitForRunningCalls()
}

extension HookState: HookControl {}

/// A removed hook whose handler may still be running.
///
/// It does not retain the hook, which lives as long as calls of its handler are in progress.
package struct EndingHook: Sendable {
  private weak let state: (any HookControl)?

  /// Refers to a hook that has been removed.
  package init(_ hook: Hook) { state = hook.state }

  /// Whether no call of the handler can be in progress.
  package var hasNoCalls: Bool { state == nil }

  /// Waits until no call of the handler is running, as `Hook.removeAndWait()` does.
  package func wait() { state?.waitForRunningCalls() }
}

extension Hook: CustomStringConvertible {
  /// The name, the positions, the priority, the conditions and whether the hook is installed.
  public var description: String {
    let names: [(HookPositions, String)] = [
      (.before, "before"), (.instead, "instead"), (.after, "after"), (.death, "death"),
    ]
    let positions = names.filter { self.positions.contains($0.0) }.map(\.1)
    let state = isInstalled ? "installed" : isSuspended ? "suspended" : "removed"
    return "<hook \(name ?? "without name") \(positions.joined(separator: " ")), "
      + "priority \(priority), \(conditions.isAlways ? "" : "\(conditions), ")\(state)>"
  }
}
