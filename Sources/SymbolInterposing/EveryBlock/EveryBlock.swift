public import BlockABI
public import BlockHooks
private import BlockRuntimeThreads
public import CallTracing
public import Invocations

/// A hook of every block: the token that removes it.
///
/// From its installation on, each block is hooked that passes an import slot of `_Block_copy`,
/// `_Block_object_assign`, or one of the functions of libdispatch that take a block without copying it
/// (`dispatch_sync`, `dispatch_apply`, `dispatch_once` and their like). So nearly every block that outlives its
/// function is: when it is made, for Swift makes all blocks on the heap. What passes no slot is not seen: blocks that
/// are only called where they are, blocks of programs that are linked statically with libdispatch.
///
/// Blocks of one source share their code, so to hook one is to write one word; it is never freed, for
/// callers keep copies of it. A block that has hooks of its own runs these and those in one order, by priority
/// and then by the time of installation; its `hooks` and `removeHooks()` mean its own. Blocks made by a
/// handler, by this library, and by `dispatch_block_create` around others, are not hooked.
///
/// Dropping the token removes nothing. All functions may be called from any thread.
public final class EveryBlock: Sendable {
  private let request: BlockRequest

  private init(_ request: BlockRequest) throws(InterposingError) {
    self.request = request
    try ReentrancyGuard.ignoringThread { () throws(InterposingError) in
      try BlockWatch.shared.add(request)
    }
  }

  /// Hooks every block from now on: a handler runs before, after or in place of it.
  ///
  /// Order, conditions and errors are those of `Block.hook(_:name:priority:when:onError:_:)`. Handlers run
  /// on every thread of the program.
  ///
  /// Where the handler asks for `.death`, or creations are recorded, blocks are hooked one by one, those
  /// on the stack not at all; that costs some microseconds a block.
  ///
  /// - Parameters:
  ///   - positions: Where the handler runs.
  ///   - filter: Which blocks are meant; all but libdispatch's own if not given.
  ///   - name: A name for descriptions.
  ///   - priority: Higher is further out; 0 if not given.
  ///   - conditions: Which calls run the handler; counts are those of the blocks of one source.
  ///   - recordsCreation: Whether it is noted where each block was made.
  ///   - onError: Receives what the handler throws. Standard error if not given.
  ///   - handler: Runs in each position.
  /// - Returns: The token.
  /// - Throws: `staticProgram`, `protectedMemory`, `outOfMemory`, `hookRefused`.
  public static func hook(
    _ positions: HookPositions = .instead, matching filter: BlockFilter = .all,
    name: String? = nil, priority: Int = 0, when conditions: HookConditions = .always,
    recordsCreation: Bool = false,
    onError: @escaping @Sendable (any Error) -> Void = reportHandlerError,
    _ handler: @escaping HookDefinition.Handler
  ) throws(InterposingError) -> EveryBlock {
    let definition = HookDefinition(
      positions, name: name, priority: priority, when: conditions, onError: onError, handler)
    do throws(HookError) { try definition.validate() } catch {
      throw InterposingError(error, "every block")
    }
    return try EveryBlock(
      BlockRequest(
        filter, isIndividual: recordsCreation || positions.contains(.death),
        recordsCreation: recordsCreation
      ) { _ in definition })
  }

  /// Hooks every block from now on: a stored handler runs instead of it.
  ///
  /// - Parameter handler: Runs instead.
  /// - Returns: The token.
  /// - Throws: As `hook(_:matching:name:priority:when:recordsCreation:onError:_:)`.
  @_disfavoredOverload
  public static func hook(
    _ handler: @escaping HookDefinition.Handler
  ) throws(InterposingError) -> EveryBlock {
    try hook(.instead, handler)
  }

  /// Records every call of every block from now on.
  ///
  /// Blocks without a usable signature are recorded without arguments and results, unless the filter asks for
  /// queues.
  ///
  /// - Parameters:
  ///   - tracer: Receives the calls; its own patterns choose among them too.
  ///   - filter: Which blocks are meant; all but libdispatch's own if not given.
  ///   - name: A name for descriptions.
  ///   - priority: Higher is further out; the highest if not given.
  /// - Returns: The token.
  /// - Throws: As `hook(_:matching:name:priority:when:recordsCreation:onError:_:)`.
  public static func trace(
    with tracer: Tracer, matching filter: BlockFilter = .all, name: String? = "trace",
    priority: Int = .max
  ) throws(InterposingError) -> EveryBlock {
    try EveryBlock(
      BlockRequest(
        filter,
        opaque: { source in
          unsafe OpaqueCallTrace(tracer, codeAt: UnsafeRawPointer(bitPattern: source.address))
        }
      ) { source in
        guard let interface = source.interface else { return nil }
        return unsafe tracer.definition(
          forCodeAt: UnsafeRawPointer(bitPattern: source.address), interface,
          hiddenArgumentCount: 1, name: name, priority: priority)
      })
  }

  /// Whether handlers run.
  public var isInstalled: Bool { !request.isRemoved }

  /// Removes the hook from all blocks; once more does nothing.
  ///
  /// When it returns no new call of the handler starts; calls that are running go on.
  ///
  /// - Returns: True if this call removed it.
  @discardableResult
  public func remove() -> Bool { remove(andWait: false) }

  /// Removes the hook from all blocks, and waits until no call of its handler is running.
  ///
  /// - Returns: True if this call removed it.
  @discardableResult
  public func removeAndWait() -> Bool { remove(andWait: true) }

  private func remove(andWait: Bool) -> Bool {
    let isFirst = request.remove()
    ReentrancyGuard.ignoringThread { BlockWatch.shared.remove(request, andWait: andWait) }
    return isFirst
  }

  /// Where a block was made that this hooked, while it lives; nil unless creations are recorded.
  ///
  /// - Parameter block: The block.
  /// - Returns: The functions that were being called.
  public func creation(of block: Block) -> BlockCreation? { request.blocks.creation(of: block) }

  /// What became of all blocks so far, by whichever hook.
  public static var counts: BlockCounts { BlockWatch.shared.counters.counts }
}

extension EveryBlock: CustomStringConvertible {
  /// What it is, and whether it is installed.
  public var description: String {
    "<hook of every block, \(isInstalled ? "installed" : "removed")>"
  }
}
