/// An installed hook with its handle, which answers questions about the hook, such as the
/// statistics of a memo.
public struct Installed<Handle: Sendable>: Sendable {
  /// The token that removes the hook.
  public let hook: Hook

  /// The handle, which may outlive the hook.
  public let handle: Handle
}

/// A hook that is not installed, and that gives each installation a handle of its own.
public struct HandleDefinition<Handle: Sendable>: Sendable {
  private let make: @Sendable () -> (HookDefinition, Handle)

  /// Describes a hook that has a handle.
  ///
  /// - Parameter make: Is called at each installation, before it is known whether that succeeds;
  ///   `HookDefinition.prepare` then adapts the hook to its target.
  package init(_ make: @escaping @Sendable () -> (HookDefinition, Handle)) { self.make = make }

  fileprivate var parts: (definition: HookDefinition, handle: Handle) { make() }
}

extension HookTarget {
  /// Installs a hook that has a handle.
  ///
  /// - Parameter definition: The hook; it may be installed any number of times.
  /// - Returns: The token that removes this installation, and its handle.
  /// - Throws: As `install(_:)` of a hook without a handle.
  @discardableResult
  public func install<Handle>(
    _ definition: HandleDefinition<Handle>
  ) throws(Failure) -> Installed<Handle> {
    let (definition, handle) = definition.parts
    return Installed(hook: try install(definition), handle: handle)
  }
}
