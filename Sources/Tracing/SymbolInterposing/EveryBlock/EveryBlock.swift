public import BlockABI
public import BlockHooks

/// Every block that a filter selects, from a hook's installation on.
///
/// Each block is hooked when it passes an import slot of `_Block_copy`, `_Block_object_assign`, or
/// a function of libdispatch that takes a block without copying it (`dispatch_sync`,
/// `dispatch_apply`, `dispatch_once` and similar ones). That includes nearly every block that
/// outlives the function that makes it, and does so at its creation, as Swift makes all blocks on
/// the heap. Blocks that pass no slot are not hooked: those that are only called by the function
/// that makes them, and those of programs linked statically with libdispatch.
///
/// Blocks of one source (the same code, closure and signature) share one replacement of their code,
/// so hooking a block writes a single word. The replacement is never freed, because callers keep
/// copies of its address. A block that has hooks of its own runs both kinds in one order, by
/// priority and then by time of installation; its `hooks` and `removeHooks()` cover only its own.
/// Blocks made by a handler, by this library, or by `dispatch_block_create` around other blocks are
/// not hooked.
///
/// The counts of a hook's conditions are shared by the blocks of one source, and start anew when
/// the hook is resumed.
public struct EveryBlock: HookTarget, Hashable, Sendable {
  /// The blocks.
  public let filter: BlockFilter

  /// Whether hooks record where each block was made.
  public let recordsCreation: Bool

  /// Describes blocks; nothing is hooked yet.
  ///
  /// - Parameters:
  ///   - filter: The blocks; all but libdispatch's own if not given.
  ///   - recordsCreation: Whether hooks record where each block was made, for `creation(of:)`.
  public init(matching filter: BlockFilter = .all, recordsCreation: Bool = false) {
    self.filter = filter
    self.recordsCreation = recordsCreation
  }

  /// Installs a hook that is described by a value on every block from now on.
  ///
  /// Handlers run on every thread of the program. If the handler runs at `.death`, or creations are
  /// recorded, blocks are hooked one by one, which costs some microseconds each; blocks on the
  /// stack are not hooked then. Blocks of a signature that the definition refuses are left out.
  ///
  /// - Parameter definition: The hook; it may be installed any number of times.
  /// - Returns: The token that removes the hook from all blocks.
  /// - Throws: `noPosition`, `invalidCondition`, `staticProgram`, `ambiguousSymbol`,
  ///   `signatureConflict`, `protectedMemory`, `outOfMemory`, `noExecutableMemory`; and the refusal
  ///   of a definition for one target, such as a memo.
  @discardableResult
  public func install(_ definition: HookDefinition) throws(InterposingError) -> Hook {
    try InterposingError.about("every block") { () throws(HookError) in
      try definition.validate()
      if let refusal = definition.refusalOfEveryBlock { throw refusal() }
    }
    let hook = HookOfEveryBlock(self, definition)
    try hook.install()
    return Hook(hook)
  }

  /// The hooks that are installed on the blocks of this filter, outermost first.
  public var hooks: [Hook] { HookOfEveryBlock.installed(on: self) }

  /// Where a living block was made; nil unless a hook that records creations hooked it, and has
  /// been installed since.
  ///
  /// - Parameter block: The block.
  /// - Returns: The functions that were in progress at its creation.
  public static func creation(of block: Block) -> BlockCreation? {
    BlockWatch.shared.creation(of: block)
  }

  /// Totals over all blocks and all hooks of every block so far.
  public static var counts: BlockCounts { BlockWatch.shared.counters.counts }
}
