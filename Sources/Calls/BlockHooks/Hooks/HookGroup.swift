/// Several hooks that are installed, suspended and removed together: all of them or none.
///
/// Each member is a separate hook in its target's chain. Calls that begin while a group is being
/// installed may run the hooks that are installed already. All functions may be called from any
/// thread and from inside any handler; concurrent calls on the same group are atomic only for each
/// hook.
public final class HookGroup: Sendable {
  /// The hooks, in the order of their definitions.
  public let hooks: [Hook]

  /// A definition with the target on which a group installs it: `target.with(definition)`.
  public struct Member {
    fileprivate let install: () throws(HookError) -> Hook
  }

  /// Installs hooks on several targets, or on one.
  ///
  /// - Parameter members: Targets with the hooks to install on them, in order: on the same target
  ///   the last is outermost among those of its priority.
  /// - Throws: The first error of an installation, prefixed with its place in the list. Then none
  ///   is installed.
  public init(_ members: [Member]) throws(HookError) {
    var hooks: [Hook] = []
    for (index, member) in members.enumerated() {
      do throws(HookError) {
        hooks.append(try member.install())
      } catch {
        for hook in hooks.reversed() { hook.remove() }
        throw HookError(passing: error, prefix: "hook \(index + 1) of \(members.count): ")
      }
    }
    self.hooks = hooks
  }

  /// Whether all hooks are installed.
  public var isInstalled: Bool { hooks.allSatisfy(\.isInstalled) }

  /// Removes all hooks.
  ///
  /// - Returns: How many hooks this call removed.
  @discardableResult
  public func remove() -> Int { hooks.reversed().count { $0.remove() } }

  /// Removes all hooks, and then waits until no call of their handlers is running.
  ///
  /// - Returns: How many hooks this call removed.
  @discardableResult
  public func removeAndWait() -> Int {
    let count = remove()
    for hook in hooks { hook.removeAndWait() }
    return count
  }

  /// Suspends all hooks, and stores their handlers for `resume()`.
  ///
  /// - Returns: How many hooks this call suspended.
  @discardableResult
  public func suspend() -> Int { hooks.reversed().count { $0.suspend() } }

  /// Installs the suspended hooks again.
  ///
  /// - Returns: How many hooks this call installed.
  /// - Throws: The first error of an installation, prefixed with the hook's place. Then the hooks
  ///   that this call had installed are suspended again.
  @discardableResult
  public func resume() throws(HookError) -> Int {
    var resumed: [Hook] = []
    for (index, hook) in hooks.enumerated() {
      do throws(HookError) {
        if try hook.resume() { resumed.append(hook) }
      } catch {
        for hook in resumed.reversed() { hook.suspend() }
        throw HookError(passing: error, prefix: "hook \(index + 1) of \(hooks.count): ")
      }
    }
    return resumed.count
  }
}

extension HookTarget {
  /// This target with a definition, for a group.
  ///
  /// - Parameter definition: The hook that the group installs.
  /// - Returns: The member of the group.
  public func with(_ definition: HookDefinition) -> HookGroup.Member {
    HookGroup.Member { () throws(HookError) in
      do throws(Failure) { return try install(definition) } catch {
        throw HookError(passing: error)
      }
    }
  }
}
