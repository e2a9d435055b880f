internal import BlockABI
private import CBlockRuntimeThreads.AddressTable
private import CQueueTracing.Callers
internal import CallTracing
internal import SymbolInterposing

/// Records the blocks that are sent to queues, by which functions, from where.
@safe
final class SubmissionTrace: SubmissionObserver {
  // SAFETY: the sender keeps its queue alive during the call. The table is freed with this object.

  let queues: TraceQueues
  private let filter: BlockFilter

  /// How many callers are recorded.
  private let callerCount: Int
  nonisolated(unsafe) private let callers: UnsafeMutablePointer<cbr_address_table>

  /// Creates a recorder; nil without memory.
  init?(
    _ queues: TraceQueues, matching filter: BlockFilter, callerCount: Int
  ) {
    guard let callers = unsafe cbr_callers_create() else { return nil }
    unsafe self.callers = unsafe callers
    self.queues = queues
    self.filter = filter
    self.callerCount = min(max(callerCount, 1), 32)
  }

  deinit { unsafe cbr_address_table_free(callers) }

  func submit(
    block: UInt, code: UInt, in wrapper: UInt, to object: UnsafeRawPointer?,
    by way: SubmissionWay, count: Int
  ) {
    guard unsafe way.isHandler || filter.admits(queue: object) else { return }
    let queue = unsafe way.isHandler ? queues.queue(ofSource: object) : queues.number(of: object)
    unsafe withCallers { callers in
      unsafe queues.submit(
        block: block, code: code, in: wrapper, to: queue, by: way, count: count, from: callers)
    }
  }

  func cancel(block: UInt, in wrapper: UInt) { queues.cancel(block: block, in: wrapper) }

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
}
