public import BlockABI
internal import Invocations

extension Block: HookTarget {
  /// Installs a hook that is described by a value.
  ///
  /// When the block dies, its hooks are removed. A block can have 1,000 hooks, of them 250 that run
  /// instead of it: those nest on the stack, about 2 KiB each in unoptimised code.
  ///
  /// Hooks without conditions that run only before or after a block can also be installed on blocks
  /// whose calls cannot have a frame: blocks without a type encoding, or with vectors. Their
  /// handlers can read no values; see `Block.unframed`.
  ///
  /// - Parameter definition: The hook; it may be installed any number of times.
  /// - Returns: The token that removes this installation. Dropping it removes nothing.
  /// - Throws: `stackBlock`, `originalOfHook`, `noSignature`, `invalidSignature`,
  ///   `unsupportedType`, `noFrame`, `noExecutableMemory`, `signatureConflict`, `noPosition`,
  ///   `invalidCondition`, `tooManyHooks`, `protectedMemory`, `outOfMemory`. Then the block is
  ///   unchanged.
  @discardableResult
  public func install(_ definition: HookDefinition) throws(HookError) -> Hook {
    try hookTarget.install(definition, typed: nil)
  }

  /// Installs a hook on this block, not on a block inside of it.
  func install(_ definition: HookDefinition, typed: TypedHook?) throws(HookError) -> Hook {
    try definition.validate()
    let interface = try interface(of: definition)
    if typed != nil, interface.isVariadic {
      throw HookError(
        .unsupportedType,
        "the original of a typed hook takes no variable arguments; hook with a call frame instead")
    }
    // `prepared(at:)` copies the definition, which takes two hundred instructions.
    guard definition.prepare == nil else {
      let prepared = try definition.prepared(at: InstallationPoint(self, interface))
      return try attach(prepared, interface, typed)
    }
    return try attach(definition, interface, typed)
  }

  private func attach(
    _ definition: HookDefinition, _ interface: CallInterface, _ typed: TypedHook?
  ) throws(HookError) -> Hook {
    let hooked = try HookedBlock.attached(to: self)
    let hook = try definition.install(on: hooked, interface, unframedRunner: typed)
    withExtendedLifetime(self) {}
    return hook
  }

  /// The interface of the calls that the hook's handler sees; without a frame if the block has no
  /// usable signature, and the handler runs only before and after.
  private func interface(of definition: HookDefinition) throws(HookError) -> CallInterface {
    let unframed =
      definition.positionsInChain.contains(.instead) ? nil : CallInterface.unframed
    if !isUnframed {
      do { return try callInterface } catch {
        if let unframed { return unframed }
        throw HookError(passing: error)
      }
    }
    guard let unframed else {
      throw HookError(
        .noFrame,
        "hooks without a frame run only before and after a block, without conditions; for a hook "
          + "in its place, hook the block itself")
    }
    return unframed
  }

  /// The block that hooks are installed on: the block inside one that `dispatch_block_create` made,
  /// or this one.
  ///
  /// - Throws: `stackBlock`, `originalOfHook`.
  var hookTarget: Block {
    get throws(HookError) {
      let target = dispatchedBlock ?? self
      guard target.kind != .stack else {
        throw HookError(
          .stackBlock,
          "the end of a block on the stack cannot be observed; hook its `copied()` and call that")
      }
      guard !(target.attachment is OriginalTarget) else {
        throw HookError(
          .originalOfHook,
          "the `original` of a typed hook runs the hooks of its block; hook that block instead")
      }
      return target
    }
  }

  /// The hooks that are installed on the block, outermost first, without those that a hook of every
  /// block installed.
  public var hooks: [Hook] {
    let target = dispatchedBlock ?? self
    return (target.attachment as? HookedBlock)?.hooks ?? []
  }

  /// Makes a block that has, or had, hooks of its own also run the hooks of all blocks of its code.
  ///
  /// - Parameter function: The function that replaces the code that the block had before it was
  ///   hooked.
  /// - Returns: False if the block was never hooked, or if it cannot follow, as because it enters
  ///   code from outside this library.
  package func beginFollowing(_ function: HookedFunction) -> Bool {
    (attachment as? HookedBlock)?.beginFollowing(function) ?? false
  }

  /// Makes a block that has, or had, hooks without a frame enter other code inside of them.
  ///
  /// - Parameters:
  ///   - code: Code that accepts the same calls as the block's own, and stays valid while the block
  ///     lives.
  ///   - original: The block's own code, which `code` replaces.
  /// - Returns: False if the block was never hooked, its hooks have a frame, or it enters code from
  ///   outside this library.
  package func enter(_ code: UnsafeRawPointer, inPlaceOf original: UnsafeRawPointer) -> Bool {
    // SAFETY: the caller guarantees what the documentation of the parameters requires.
    unsafe (attachment as? HookedBlock)?.enter(code, inPlaceOf: original) ?? false
  }
}
