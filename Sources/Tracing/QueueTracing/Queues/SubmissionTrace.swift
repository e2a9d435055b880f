internal import BlockABI
internal import CallTracing
internal import SymbolInterposing

/// Records the blocks that are sent to queues, by which functions, from where.
@safe
final class SubmissionTrace: SubmissionObserver {
  // SAFETY: the sender keeps its queue alive during the call.

  let queues: TraceQueues
  private let filter: BlockFilter

  /// The callers that are recorded.
  let callers: CallerSearch

  /// Creates a recorder; nil without memory.
  init?(
    _ queues: TraceQueues, matching filter: BlockFilter, callerCount: Int
  ) {
    guard let callers = CallerSearch.ofInterposed(count: callerCount) else { return nil }
    self.callers = callers
    self.queues = queues
    self.filter = filter
  }

  func submit(
    block: UInt, code: UInt, in wrapper: UInt, to object: UnsafeRawPointer?,
    by way: SubmissionWay, count: Int
  ) {
    guard unsafe way.isHandler || filter.admits(queue: object) else { return }
    let queue = unsafe way.isHandler ? queues.queue(ofSource: object) : queues.number(of: object)
    unsafe callers.withCallers { callers in
      unsafe queues.submit(
        block: block, code: code, in: wrapper, to: queue, by: way, count: count, from: callers)
    }
  }

  func cancel(block: UInt, in wrapper: UInt) { queues.cancel(block: block, in: wrapper) }

  /// Whether the filter selects a queue.
  func admits(queue: UnsafeRawPointer?) -> Bool { unsafe filter.admits(queue: queue) }

  /// Whether the filter selects a function that is sent to queues.
  func admits(codeAt address: UnsafeRawPointer) -> Bool {
    // SAFETY: the address is only looked up.
    unsafe filter.admits(CodeSymbol(at: address), at: address, encoding: "v^v")
  }
}
