public import BlockHooks
internal import LoadedClasses

/// A method of a Swift class as what can be hooked.
///
/// Order, conditions, errors and tokens are those of hooks of blocks. Argument 0 of a call is the
/// receiver, 1 the first parameter. The hooks of a class are outside those that it inherits.
public struct SwiftMethodTarget: HookTarget, Sendable {
  /// The method.
  public let method: SwiftMethod

  let owner: ClassMetadata

  /// Installs a hook that is described by a value.
  ///
  /// - Parameter definition: The hook; it may be installed any number of times.
  /// - Returns: The token that removes this installation. Dropping it removes nothing.
  /// - Throws: The method's `refusal`; `noExecutableMemory`, `protectedMemory`, and the errors of
  ///   hooks.
  @discardableResult
  public func install(_ definition: HookDefinition) throws(SwiftMethodError) -> Hook {
    try HookedSlots.install(definition, on: method, of: owner)
  }

  /// The class's own hooks of the method, outermost first.
  public var hooks: [Hook] { HookedSlots.hooks(of: method, owner) }
}
