public import BlockABI
public import Invocations

extension Block {
  /// Installs a hook: a handler that runs before, after or in place of the block's code.
  ///
  /// The hooks of a block are nested, the last installed outermost; among different priorities the
  /// higher is outermost. Each hook's before-handler runs, then its instead-handler (which proceeds
  /// to what lies below, or not), then its after-handler; without an instead-handler what lies below
  /// runs by itself. So before-handlers run from the outside in, after-handlers from the inside out,
  /// and an instead-handler that does not proceed skips everything below it.
  ///
  /// Handlers run on the caller's thread and under no lock, several at once if the block is called
  /// so. A handler that calls its own block starts a new call with all hooks; `proceed()` does not.
  /// A hook ends with its block.
  ///
  /// A block takes 1,000 hooks, of them 250 that run instead of it: those nest on the stack, about
  /// 4 KiB each in unoptimised code.
  ///
  /// Hooks that run neither in place of the block nor by conditions also take blocks whose calls cannot
  /// be framed: without a type encoding, or with vectors. Their handlers can read no values; see
  /// `Block.unframed`.
  ///
  /// An error that a handler throws goes to `onError`; then the call continues: an instead-handler
  /// that had not proceeded is passed over, any other changes nothing more. The caller never sees it.
  ///
  /// - Parameters:
  ///   - positions: Where the handler runs; `call.position` tells several apart.
  ///   - name: A name for descriptions and removal by name.
  ///   - priority: Higher is further out; 0 if not given.
  ///   - conditions: Which calls run the handler; all if not given.
  ///   - onError: Receives what the handler throws. Standard error if not given.
  ///   - handler: Runs in each position.
  /// - Returns: The token that removes the hook. Dropping it does not.
  /// - Throws: `stackBlock`, `originalOfHook`, `noSignature`, `invalidSignature`, `unsupportedType`, `noExecutableMemory`, `signatureConflict`,
  ///   `noPosition`, `invalidCondition`, `tooManyHooks`, `protectedMemory`, `outOfMemory`. Then the
  ///   block is as it was.
  @discardableResult
  public func hook(
    _ positions: HookPositions = .instead, name: String? = nil, priority: Int = 0,
    when conditions: HookConditions = .always,
    onError: @escaping @Sendable (any Error) -> Void = reportHandlerError,
    _ handler: @escaping @Sendable (_ call: inout CallFrame) throws -> Void
  ) throws(HookError) -> Hook {
    try install(
      HookDefinition(
        positions, name: name, priority: priority, when: conditions, onError: onError, handler))
  }

  /// Installs a hook that runs instead of the block, given as a stored handler.
  ///
  /// - Parameter handler: Runs instead.
  /// - Returns: The token that removes the hook.
  /// - Throws: As `hook(_:name:priority:when:onError:_:)`.
  @_disfavoredOverload
  @discardableResult
  public func hook(_ handler: @escaping HookDefinition.Handler) throws(HookError) -> Hook {
    try install(HookDefinition(handler))
  }

  /// Installs a hook that is described by a value.
  ///
  /// - Parameter definition: The hook; it may be installed any number of times.
  /// - Returns: The token that removes this installation.
  /// - Throws: As `hook(_:name:priority:when:onError:_:)`.
  @discardableResult
  public func install(_ definition: HookDefinition) throws(HookError) -> Hook {
    try hookTarget.install(definition, typed: nil)
  }

  /// Installs a hook on this very block.
  func install(_ definition: HookDefinition, typed: TypedHook?) throws(HookError) -> Hook {
    try definition.validate()
    let interface = try interface(of: definition)
    let hooked = try HookedBlock.attached(to: self)
    let hook = try definition.install(on: hooked, interface, typed: typed)
    withExtendedLifetime(self) {}
    return hook
  }

  /// The signature of the calls that a hook gets; who only observes does without.
  private func interface(of definition: HookDefinition) throws(HookError) -> CallInterface {
    if !isUnframed {
      do { return try callInterface } catch {
        if !definition.positionsInChain.contains(.instead), let unframed = CallInterface.unframed {
          return unframed
        }
        throw HookError(passing: error)
      }
    }
    guard !definition.positionsInChain.contains(.instead), let unframed = CallInterface.unframed
    else {
      throw HookError(
        .noFrame,
        "without a frame hooks run before and after a block, and have no conditions; to run in its "
          + "place, hook the block itself")
    }
    return unframed
  }

  /// The block that hooks are installed on: that inside of `dispatch_block_create`'s, or itself.
  ///
  /// - Throws: `stackBlock`, `originalOfHook`.
  var hookTarget: Block {
    get throws(HookError) {
      let target = dispatchedBlock ?? self
      guard target.kind != .stack else {
        throw HookError(
          .stackBlock,
          "a block on the stack ends without notice; hook its `copied()` and call that")
      }
      guard !(target.attachment is OriginalTarget) else {
        throw HookError(
          .originalOfHook,
          "the `original` of a typed hook leads to the hooks of its block; hook that block instead")
      }
      return target
    }
  }

  /// The block's own hooks in place, outermost first: not those that a hook of every block runs among
  /// them.
  public var hooks: [Hook] {
    let target = dispatchedBlock ?? self
    return (target.attachment as? HookedBlock)?.hooks ?? []
  }

  /// Has a block that has, or had, hooks of its own run those of all blocks of its code among them.
  ///
  /// - Parameter function: What takes the place of the code that the block had before.
  /// - Returns: False if the block has none, or somebody else's code lies between.
  package func follow(_ function: HookedFunction) -> Bool {
    (attachment as? HookedBlock)?.follow(function) ?? false
  }

  /// Has a block that has, or had, hooks without a frame enter code below them.
  ///
  /// - Parameters:
  ///   - code: Takes whatever the block's own code does, and stays valid while the block lives.
  ///   - original: The block's own code, in whose place it stands.
  /// - Returns: False if the block has none, or somebody else's code lies between.
  package func enter(_ code: UnsafeRawPointer, inPlaceOf original: UnsafeRawPointer) -> Bool {
    unsafe (attachment as? HookedBlock)?.enter(code, inPlaceOf: original) ?? false
  }

  /// The hooks in place that have a name, outermost first.
  ///
  /// - Parameter name: The name given at installation.
  /// - Returns: The hooks.
  public func hooks(named name: String) -> [Hook] { hooks.filter { $0.name == name } }

  /// Removes all of the block's own hooks; those that are installed meanwhile may stay.
  ///
  /// - Returns: How many this call removed.
  @discardableResult
  public func removeHooks() -> Int { hooks.count { $0.remove() } }

  /// Removes the hooks that have a name.
  ///
  /// - Parameter name: The name given at installation.
  /// - Returns: How many this call removed.
  @discardableResult
  public func removeHooks(named name: String) -> Int { hooks(named: name).count { $0.remove() } }

  /// Makes the block print a text instead of running.
  ///
  /// - Parameters:
  ///   - text: What is printed at every call; the block then returns zero.
  ///   - output: Receives the text; standard output if not given.
  /// - Returns: The token that undoes it.
  /// - Throws: As `hook(_:name:priority:when:onError:_:)`.
  @discardableResult
  public func printInstead(
    _ text: String = "Hello world", to output: @escaping @Sendable (String) -> Void = { print($0) }
  ) throws(HookError) -> Hook {
    try hook(.instead, name: "printInstead") { _ in output(text) }
  }

  /// Makes the block print its arguments and then run.
  ///
  /// - Parameter output: Receives the arguments at every call; standard output if not given.
  /// - Returns: The token that undoes it.
  /// - Throws: As `hook(_:name:priority:when:onError:_:)`.
  @discardableResult
  public func printArguments(
    to output: @escaping @Sendable (String) -> Void = { print($0) }
  ) throws(HookError) -> Hook {
    try hook(.before, name: "printArguments") { call in output(call.argumentTexts.joined(separator: ", ")) }
  }
}
