/// An installed hook: the token that removes it.
///
/// Dropping the token removes nothing; `scoped()` makes one that does. All functions may be called
/// from any thread and from inside any handler.
public final class Hook: Sendable {
  private let entry: HookEntry

  init(_ entry: HookEntry) { self.entry = entry }

  /// The name given at installation.
  public var name: String? { entry.name }

  /// The priority given at installation.
  public var priority: Int { entry.priority }

  /// The positions given at installation.
  public var positions: HookPositions { entry.positions }

  /// The conditions given at installation.
  public var conditions: HookConditions { entry.conditions }

  /// Whether the hook is in place: false while it is suspended, once it is removed, and once its block
  /// is dead.
  public var isInstalled: Bool { entry.isInstalled }

  /// Whether the hook is suspended, to be installed again.
  public var isSuspended: Bool { entry.isSuspended }

  /// Removes the hook; once more, or after the block's death, does nothing.
  ///
  /// When it returns no new call of the handler starts; calls that are running go on. In a call that
  /// is under way the handler's later positions are skipped. What the handler captures is released
  /// as soon as no call needs it.
  ///
  /// - Returns: True if this call removed the hook.
  @discardableResult
  public func remove() -> Bool { entry.remove() }

  /// Removes the hook and waits until no call of its handler is running.
  ///
  /// Called from inside the handler, it does not wait for the calls of the handler that it is part
  /// of, nor for those that wait for the same hook on other threads. Two different hooks' handlers
  /// that wait for each other wait for ever, as two threads that join each other.
  ///
  /// - Returns: True if this call removed the hook.
  @discardableResult
  public func removeAndWait() -> Bool {
    let isRemoved = entry.remove()
    entry.waitForHazardPointers()
    return isRemoved
  }

  /// Takes the hook out as `remove()` does, and keeps its handler for `resume()`.
  ///
  /// - Returns: True if this call took the hook out.
  @discardableResult
  public func suspend() -> Bool { entry.suspend() }

  /// Installs a suspended hook again, outermost among those of its priority.
  ///
  /// What its conditions have counted so far still counts.
  ///
  /// - Returns: True if this call installed the hook; false if it is installed, removed, or its block
  ///   dead.
  /// - Throws: `signatureConflict`, `tooManyHooks`, `protectedMemory`, `outOfMemory`. Then the hook
  ///   stays suspended.
  @discardableResult
  public func resume() throws(HookError) -> Bool { try entry.resume() }

  /// Ties the hook to a scope: it is removed when the returned token is dropped.
  public func scoped() -> ScopedHook { ScopedHook(self) }
}

/// A hook that is removed when this token is dropped.
public struct ScopedHook: ~Copyable, Sendable {
  /// The hook.
  public let hook: Hook

  init(_ hook: Hook) { self.hook = hook }

  deinit { hook.remove() }
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
