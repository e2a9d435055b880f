internal import BlockABI
internal import BlockHooks
private import CBlockRuntimeThreads.AddressTable
private import CSymbolInterposing.Callers
private import CSymbolInterposing.Queues
internal import CallTracing
private import Glibc
internal import Invocations

/// Records the blocks that are sent to queues, by which functions, from where.
@safe
final class SubmissionTrace: Sendable {
  // SAFETY: the caller of a hooked function keeps the objects that it passes alive during the call.
  // The table is freed with this object.

  let queues: TraceQueues
  private let sources: BlockSources
  private let filter: BlockFilter

  /// How many callers are recorded.
  private let callerCount: Int
  nonisolated(unsafe) private let callers: UnsafeMutablePointer<cbr_address_table>

  /// Creates a recorder; nil without memory.
  init?(
    _ queues: TraceQueues, _ sources: BlockSources, matching filter: BlockFilter, callerCount: Int
  ) {
    guard let callers = unsafe cbr_callers_create() else { return nil }
    unsafe self.callers = unsafe callers
    self.queues = queues
    self.sources = sources
    self.filter = filter
    self.callerCount = min(max(callerCount, 1), 32)
  }

  deinit { unsafe cbr_address_table_free(callers) }

  /// The hook of a function that sends blocks to queues; nil for other functions.
  ///
  /// - Parameters:
  ///   - function: The function.
  ///   - see: Is called with each block first, and hooks it.
  /// - Returns: The hook.
  func definition(
    _ function: BlockFunction, whenSeen see: @escaping @Sendable (BlockView) -> Void
  ) -> HookDefinition? {
    guard let submission = function.submission else { return nil }
    // A block on the stack is moved by a function that keeps it, and not by one that waits for it.
    let keepsBlock = !submission.way.isSynchronous && submission.way != .apply
    var definition = HookDefinition(
      keepsBlock ? .instead : .before, name: "every block", priority: .max
    ) { call in
      guard let block = unsafe try function.block(of: &call) else {
        if keepsBlock { try call.proceed() }
        return
      }
      let view = unsafe BlockView(block)
      unsafe see(view)
      guard keepsBlock, unsafe view.isOnStack, case .argument(let index) = function.place else {
        unsafe try self.record(view, submission, &call)
        if keepsBlock { try call.proceed() }
        return
      }
      // The function would make the copy: its address is that of the block that runs.
      let copy = unsafe view.block.copied()
      unsafe try copy.withUnsafePointer { address in
        unsafe try self.record(BlockView(address), submission, &call)
        unsafe try call.setArgument(index, address as UnsafeRawPointer?)
        try call.proceed()
      }
    }
    definition.everyBlock = .first
    return definition
  }

  /// Records that a block is sent.
  private func record(
    _ view: BlockView, _ submission: BlockFunction.Submission, _ call: inout CallFrame
  ) throws {
    // libdispatch calls the block inside of one that it has made itself.
    let inner = unsafe view.isMadeByDispatch ? view.block.dispatchedBlock : nil
    guard let inner else {
      return unsafe try record(view, in: 0, submission, &call)
    }
    unsafe try inner.withUnsafePointer { address in
      let isCancelled = unsafe view.isCancelled
      unsafe try record(BlockView(address), in: view.address, submission, &call)
      if isCancelled {
        unsafe queues.cancel(block: UInt(bitPattern: address), in: view.address)
      }
    }
  }

  private func record(
    _ view: BlockView, in wrapper: UInt, _ submission: BlockFunction.Submission,
    _ call: inout CallFrame
  ) throws {
    guard let source = unsafe source(of: view) else { return }
    let object = unsafe try call.argument(submission.queue, as: UnsafeRawPointer?.self)
    let isHandler = submission.way.isHandler
    guard unsafe isHandler || filter.admits(queue: object) else { return }
    let queue = unsafe isHandler ? queues.queue(ofSource: object) : queues.number(of: object)
    let count =
      submission.way == .apply ? Int(clamping: try call.argument(0, as: UInt.self)) : 1
    unsafe withCallers { callers in
      unsafe queues.submit(
        block: view.address, code: source.address, in: wrapper, to: queue, by: submission.way,
        count: count, from: callers)
    }
  }

  /// Forgets what is known of return addresses: other code may be there.
  func forgetCallers() { unsafe cbr_address_clear(callers) }

  /// The beginnings of the symbols of functions that create tasks for their callers: Swift's library has
  /// them compiled into the programs that call them.
  private static let creators = [
    "$sScTss5NeverORs_rlE", "$sScTss5Error_pRs_rlE", "$sScG7addTask", "$sScG21addTaskUnless",
    "$sScg7addTask", "$sScg21addTaskUnless", "$ss19DiscardingTaskGroupV7addTask",
    "$ss19DiscardingTaskGroupV21addTaskUnless", "$ss27ThrowingDiscardingTaskGroupV7addTask",
    "$ss27ThrowingDiscardingTaskGroupV21addTaskUnless",
  ]

  /// Whether an address lies in such a function.
  private static let leavesOut: cbr_leaves_out = { address in
    // SAFETY: the address is only looked up.
    guard let name = unsafe CodeSymbol(at: address)?.mangledName else { return false }
    return creators.contains { name.hasPrefix($0) }
  }

  /// Calls a closure with the return addresses of the callers of the hooked function, the innermost
  /// first.
  func withCallers(
    _ body: (UnsafeBufferPointer<UnsafeRawPointer?>) throws -> Void
  ) rethrows {
    unsafe try withUnsafeTemporaryAllocation(of: UnsafeRawPointer?.self, capacity: callerCount) {
      addresses in
      unsafe addresses.initialize(repeating: nil)
      guard let start = addresses.baseAddress else {
        return unsafe try body(UnsafeBufferPointer(start: nil, count: 0))
      }
      // SAFETY: the buffer has room for the number of addresses that is passed.
      let count = unsafe cbr_find_callers(callers, start, callerCount, Self.leavesOut)
      unsafe try body(UnsafeBufferPointer(start: start, count: count))
    }
  }

  /// Whether the filter selects a queue.
  func admits(queue: UnsafeRawPointer?) -> Bool { unsafe filter.admits(queue: queue) }

  /// Whether the filter selects a function that is sent to queues.
  func admits(codeAt address: UnsafeRawPointer) -> Bool {
    // SAFETY: the address is only looked up.
    unsafe filter.admits(CodeSymbol(at: address), encoding: "v^v")
  }

  /// The source of a block whose calls are traced; nil for others.
  private func source(of view: BlockView) -> BlockSource? {
    if let source = unsafe sources.source(replacedIn: view) { return source }
    guard let known = unsafe sources.find(view), known.code != nil else { return nil }
    return known.source
  }
}

extension BlockView {
  /// Whether a block that `dispatch_block_create` made was cancelled.
  var isCancelled: Bool {
    unsafe cbr_dispatch_block_is_cancelled(UnsafeRawPointer(bitPattern: address))
  }
}
