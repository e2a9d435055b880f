internal import BlockABI
public import BlockHooks
private import BlockRuntimeThreads
internal import Invocations

/// What surrounds every block that is sent to a queue, and the token that removes it.
///
/// While it is installed, each block that passes an import slot of a function of libdispatch that
/// sends it to a queue (`dispatch_async`, `dispatch_after`, `dispatch_group_notify`,
/// `dispatch_sync`, `dispatch_apply` and similar ones) may take code along that runs around it, on
/// the thread that runs it. So a value that belongs to the sender, such as a task-local value, can
/// travel to the block.
///
/// A block takes its code along when it is sent, and releases it when it has run, or when
/// libdispatch drops it. In place of a block libdispatch gets one that calls it; a block that
/// `dispatch_block_create` made, such as that of a `DispatchWorkItem`, stays itself, and the block
/// inside of it gets a hook of the highest priority. If such a block is sent several times, each of
/// its runs uses what was taken along first; what a cancelled one took along is released with it.
///
/// The handlers of sources, C functions that are sent with a context (`dispatch_async_f`), Swift
/// tasks, what libdispatch sends to itself, and programs linked statically with libdispatch are not
/// seen.
///
/// Dropping the token removes nothing. All functions may be called from any thread.
public final class EverySubmission: Removable {
  /// Runs around a block: it calls the block once.
  public typealias Surrounding = @Sendable (_ block: () -> Void) -> Void

  /// What is called where a block is sent; nil if nothing is to surround the block.
  public typealias Sending = @Sendable (_ submission: borrowing BlockSubmission) -> Surrounding?

  private let state: Locked<HookSet?>
  private let items: SurroundedItems

  private init(_ hooks: HookSet, _ items: SurroundedItems) {
    state = Locked(hooks)
    self.items = items
  }

  /// Surrounds every block that is sent to a queue from now on.
  ///
  /// - Parameter sending: Is called on the sender's thread with each block that is sent, and
  ///   returns what is to run around the block; nil for nothing, which leaves the block as it is.
  ///   What it calls passes no hooks.
  /// - Returns: The token.
  /// - Throws: `staticProgram`, `symbolNotFound` without libdispatch, `ambiguousSymbol`,
  ///   `signatureConflict`, `protectedMemory`, `outOfMemory`, `noExecutableMemory`.
  public static func surround(
    _ sending: @escaping Sending
  ) throws(InterposingError) -> EverySubmission {
    try ReentrancyGuard.ignoringThread { () throws(InterposingError) in
      let items = SurroundedItems()
      var hooks = HookSet()
      do throws(InterposingError) {
        for function in BlockFunction.all {
          guard let definition = definition(function, items, sending),
            let imported = try function.imported
          else { continue }
          try hooks.install(definition, on: imported)
        }
        guard !hooks.isEmpty else {
          throw InterposingError(
            .symbolNotFound, "no loaded object sends blocks to queues; load libdispatch first",
            symbol: "dispatch_async")
        }
      } catch {
        hooks.removeAll()
        throw error
      }
      return EverySubmission(hooks, items)
    }
  }

  /// The hook of a function that sends blocks to queues; nil for other functions, and for those by
  /// which blocks stay with their source.
  private static func definition(
    _ function: BlockFunction, _ items: SurroundedItems, _ sending: @escaping Sending
  ) -> HookDefinition? {
    guard let submission = function.submission, !submission.way.isHandler,
      case .argument(let place) = function.place
    else { return nil }
    // SAFETY: the hook has the function's signature, in which the arguments that are read are
    // pointers; the caller keeps its queue and its block alive during the call.
    // Inside of other hooks, which see the block itself.
    return HookDefinition(.instead, name: "every submission", priority: .min) { call in
      let queue = unsafe try call.argument(submission.queue, as: UnsafeRawPointer?.self)
      guard let address = unsafe try call.argument(place, as: UnsafeRawPointer?.self),
        let surrounding = unsafe sending(BlockSubmission(to: queue, by: submission.way))
      else { return try call.proceed() }
      let view = unsafe BlockView(address)
      if unsafe view.isMadeByDispatch {
        if unsafe !view.isCancelled { unsafe items.add(surrounding, to: view.block) }
        return try call.proceed()
      }
      let surrounded =
        unsafe submission.way.returnsAfterBlock
        ? SurroundedBlock(at: address, surrounding)
        : SurroundedBlock(keeping: view.block, surrounding)
      let block =
        submission.way == .apply ? try surrounded.iteratedBlock() : try surrounded.block()
      unsafe try block.withUnsafePointer { pointer in
        unsafe try call.setArgument(place, pointer as UnsafeRawPointer?)
        try call.proceed()
        // Outer handlers see what the sender passed.
        unsafe try call.setArgument(place, address as UnsafeRawPointer?)
      }
    }
  }

  /// Whether blocks that are sent are surrounded.
  public var isInstalled: Bool { state.withLock { $0 != nil } }

  /// Surrounds no more blocks; a second call does nothing.
  ///
  /// Blocks that were sent before still run with what they took along.
  ///
  /// - Returns: True if this call removed it.
  @discardableResult
  public func remove() -> Bool {
    guard let hooks = state.exchange(nil) else { return false }
    ReentrancyGuard.ignoringThread {
      hooks.removeAll()
      items.end()
    }
    return true
  }
}
