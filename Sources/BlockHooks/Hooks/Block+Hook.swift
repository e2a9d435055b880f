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
  /// An error that a handler throws goes to `onError`; then the call continues: an instead-handler
  /// that had not proceeded is passed over, any other changes nothing more. The caller never sees it.
  ///
  /// - Parameters:
  ///   - positions: Where the handler runs; `call.position` tells several apart.
  ///   - name: A name for descriptions.
  ///   - priority: Higher is further out; 0 if not given.
  ///   - onError: Receives what the handler throws. Standard error if not given.
  ///   - handler: Runs in each position.
  /// - Returns: The token that removes the hook. Dropping it does not.
  /// - Throws: `stackBlock`, `noSignature`, `unsupportedSignature`, `signatureConflict`,
  ///   `noPosition`, `tooManyHooks`, `protectedMemory`, `outOfMemory`. Then the block is as it was.
  @discardableResult
  public func hook(
    _ positions: HookPositions = .instead, name: String? = nil, priority: Int = 0,
    onError: @escaping @Sendable (any Error) -> Void = reportHandlerError,
    _ handler: @escaping @Sendable (_ call: inout CallFrame) throws -> Void
  ) throws(HookError) -> Hook {
    guard !positions.isDisjoint(with: [.before, .instead, .after, .death]) else {
      throw HookError(.noPosition, "a hook needs at least one position, such as .before")
    }
    let target = dispatchedBlock ?? self
    guard target.kind != .stack else {
      throw HookError(
        .stackBlock,
        "a block on the stack ends without notice; hook its `copied()` and call that")
    }
    let interface: CallInterface
    do { interface = try target.callInterface } catch { throw HookError(error) }
    let hooked = try HookedBlock.attached(to: target)
    let entry = HookEntry(name: name, priority: priority, positions: positions, owner: hooked)
    do {
      try hooked.install(
        HookChain.Link(
          entry: entry, handler: CallHandler(mark: entry.mark, onError: onError, handler)),
        interface)
    } catch {
      // The entry was never in a chain; it must not keep the block's state.
      entry.forgetOwner()
      throw error
    }
    withExtendedLifetime(target) {}
    return Hook(entry)
  }

  /// The hooks in place, outermost first.
  public var hooks: [Hook] {
    let target = dispatchedBlock ?? self
    return (target.attachment as? HookedBlock)?.entries.map(Hook.init) ?? []
  }

  /// Makes the block print a text instead of running.
  ///
  /// - Parameters:
  ///   - text: What is printed at every call; the block then returns zero.
  ///   - output: Receives the text; standard output if not given.
  /// - Returns: The token that undoes it.
  /// - Throws: As `hook(_:name:priority:onError:_:)`.
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
  /// - Throws: As `hook(_:name:priority:onError:_:)`.
  @discardableResult
  public func printArguments(
    to output: @escaping @Sendable (String) -> Void = { print($0) }
  ) throws(HookError) -> Hook {
    try hook(.before, name: "printArguments") { call in output(call.arguments.description) }
  }
}
