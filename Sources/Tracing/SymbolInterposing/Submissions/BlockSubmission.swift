internal import BlockABI

/// A block that is being sent to a queue of libdispatch.
///
/// It is valid during the call that receives it, on that thread: the one that sends the block.
@safe
public struct BlockSubmission: ~Copyable {
  // SAFETY: the sender keeps the queue alive while the block is being sent.
  private let queue: UnsafeRawPointer?
  private let way: SubmissionWay

  init(to queue: UnsafeRawPointer?, by way: SubmissionWay) {
    unsafe self.queue = unsafe queue
    self.way = way
  }

  /// The function of libdispatch that takes the block, such as `dispatch_async`.
  public var function: String { way.function }

  /// The label of the queue; empty for a queue without one, and where none is named.
  public var queueLabel: String {
    unsafe queue.map { unsafe QueueLabel.of($0) } ?? ""
  }

  /// Whether the block is to wait for a delay or for what must end first, and not only for its
  /// turn.
  public var isDelayed: Bool { way.isDelayed && !isIterated }

  /// Whether the block runs once for each of several iterations.
  public var isIterated: Bool { way == .apply }
}
