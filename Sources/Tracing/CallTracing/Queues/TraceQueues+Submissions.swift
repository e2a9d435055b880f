package import BlockABI

/// The fields of a submission in a stream.
private struct StreamSubmission {
  let block: UInt64
  let code: UInt64

  /// The block of `dispatch_block_create` around the block; 0 without one.
  var wrapper: UInt64 = 0
  let queue: UInt32
  let count: UInt32
  let way: SubmissionWay

  /// The number of the queue that the sender runs; 0 for none.
  var sender: UInt32 = 0
  let callers: TraceCallers

  /// The task, if that is what is sent.
  var task: StreamTask?
}

extension TraceQueues {
  /// Records that a block is sent to a queue.
  ///
  /// - Parameters:
  ///   - block: The address that the block has when it is called.
  ///   - code: The address of its code.
  ///   - wrapper: The address of the block of `dispatch_block_create` around it; 0 without one.
  ///   - queue: The number of the queue; 0 if it is not known.
  ///   - way: The function that takes the block.
  ///   - count: How many times the block is called.
  ///   - callers: The return addresses of the callers, the innermost first.
  package func submit(
    block: UInt, code: UInt, in wrapper: UInt = 0, to queue: UInt32, by way: SubmissionWay,
    count: Int = 1, from callers: UnsafeBufferPointer<UnsafeRawPointer?>
  ) {
    // Such a block is not called: the submission would wait for ever.
    if count == 0 { return }
    submit(
      StreamSubmission(
        block: UInt64(block), code: UInt64(code), wrapper: UInt64(wrapper), queue: queue,
        count: UInt32(clamping: count), way: way, sender: way.isSynchronous ? current : 0,
        callers: unsafe self.callers.numbers(of: callers)))
  }

  /// Records that a Swift task is sent to a queue.
  ///
  /// - Parameters:
  ///   - task: The task's number.
  ///   - flags: The bits of its job's flags.
  ///   - code: The address of the code that it runs; 0 if that is not known.
  ///   - job: The address that stands for the task until it runs.
  ///   - queue: The number of the queue.
  ///   - way: How it is sent.
  package func submit(
    task: UInt64, flags: UInt64, running code: UInt = 0, job: UInt, to queue: UInt32,
    by way: SubmissionWay
  ) {
    submit(
      StreamSubmission(
        block: UInt64(job), code: UInt64(code), queue: queue, count: 1, way: way,
        callers: TraceCallers(), task: StreamTask(task, flags)))
  }

  private func submit(_ submission: StreamSubmission) {
    let thread = TraceThread.current
    if thread.isDelivering { return }
    let (depth, time) = (thread.depth(place), clock.nanoseconds)
    let callers = submission.callers
    stream.introduce(thread)
    let size = 57 + callers.size + (submission.task == nil ? 0 : StreamTask.size)
    stream.appendOrLeaveGap(.submission, .none, depth: depth, size) { body in
      body.append(submission.block)
      body.append(submission.code)
      body.append(submission.wrapper)
      body.append(submission.queue)
      body.append(stream.gaps)
      body.append(time)
      body.append(submission.count)
      body.append(submission.way.rawValue)
      body.append(submission.sender)
      body.append(thread.task)
      callers.append(to: &body)
      submission.task?.append(to: &body)
    }
  }

  /// Records that a block will not run that was sent to queues in a block of
  /// `dispatch_block_create`.
  ///
  /// - Parameters:
  ///   - block: The block's address.
  ///   - wrapper: The address of the block around it: the block may be in others, too.
  package func cancel(block: UInt, in wrapper: UInt) {
    if TraceThread.current.isDelivering { return }
    let time = clock.nanoseconds
    stream.appendOrLeaveGap(.cancellation, .none, 24) { body in
      body.append(UInt64(block))
      body.append(UInt64(wrapper))
      body.append(time)
    }
  }
}
