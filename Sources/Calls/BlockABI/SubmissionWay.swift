/// A function that sends a block to a queue, or a Swift task to an executor.
package enum SubmissionWay: UInt8, Sendable, CaseIterable {
  case async = 1
  case barrierAsync, groupAsync, after, groupNotify, blockNotify
  case sync, barrierSync, asyncAndWait, barrierAsyncAndWait
  case apply
  case eventHandler, cancelHandler, registrationHandler
  case task, taskAfter

  /// The function's name.
  package var function: String {
    switch self {
    case .async: "dispatch_async"
    case .barrierAsync: "dispatch_barrier_async"
    case .groupAsync: "dispatch_group_async"
    case .after: "dispatch_after"
    case .groupNotify: "dispatch_group_notify"
    case .blockNotify: "dispatch_block_notify"
    case .sync: "dispatch_sync"
    case .barrierSync: "dispatch_barrier_sync"
    case .asyncAndWait: "dispatch_async_and_wait"
    case .barrierAsyncAndWait: "dispatch_barrier_async_and_wait"
    case .apply: "dispatch_apply"
    case .eventHandler: "dispatch_source_set_event_handler"
    case .cancelHandler: "dispatch_source_set_cancel_handler"
    case .registrationHandler: "dispatch_source_set_registration_handler"
    case .task: "swift_task_enqueue"
    case .taskAfter: "swift_task_enqueueGlobalWithDelay"
    }
  }

  /// Whether blocks that were sent to one queue in this way begin in the order in which they were
  /// sent.
  package var isOrdered: Bool {
    switch self {
    case .after, .groupNotify, .blockNotify, .taskAfter, .apply: false
    default: true
    }
  }

  /// Whether the time until the block begins is what the program asked for, by a delay or by what
  /// must end first, such as earlier iterations, and not the queue's.
  package var isDelayed: Bool { !isOrdered }

  /// Whether a concurrent queue runs the block alone.
  package var isBarrier: Bool {
    switch self {
    case .barrierAsync, .barrierSync, .barrierAsyncAndWait: true
    default: false
    }
  }

  /// Whether a Swift task is sent.
  package var isTask: Bool { self == .task || self == .taskAfter }

  /// Whether the function returns after the block has run, so that the caller keeps the block.
  package var returnsAfterBlock: Bool { isSynchronous || self == .apply }

  /// Whether the sender's thread waits for one block; not for `apply`, whose iterations it runs too.
  package var isSynchronous: Bool {
    switch self {
    case .sync, .barrierSync, .asyncAndWait, .barrierAsyncAndWait: true
    default: false
    }
  }

  /// Whether the block stays with its source, which may run it any number of times.
  package var isHandler: Bool {
    switch self {
    case .eventHandler, .cancelHandler, .registrationHandler: true
    default: false
    }
  }
}
