internal import BlockABI

/// The numbers of the functions that sent a block, the innermost first; at most `limit`.
struct TraceCallers {
  static let limit = 32

  private(set) var first: UInt32 = 0
  private(set) var others: [UInt32] = []

  var count: Int { (first == 0 ? 0 : 1) + others.count }

  mutating func append(_ number: UInt32) {
    guard number != 0, count < Self.limit else { return }
    if first == 0 { first = number } else { others.append(number) }
  }
}

/// The fields of a submission in a stream.
struct StreamSubmission {
  let block: UInt64
  let code: UInt64
  let queue: UInt32
  let way: SubmissionWay
  let count: UInt32
  let callers: TraceCallers

  /// The block of `dispatch_block_create` around the block; 0 without one.
  var wrapper: UInt64 = 0

  /// The task, if that is what is sent.
  var task: StreamTask?
}

/// The fields of a call in a stream that tell where it was dispatched.
struct StreamDispatch {
  static let size = 24

  /// The number of the queue that the thread runs.
  let queue: UInt32

  /// The address of the called block; 0 if the call is not one of a block.
  let block: UInt64

  /// The number of the Swift task that makes the call; 0 for none.
  let task: UInt64
}

/// The fields of a Swift task in a stream.
struct StreamTask {
  static let size = 24

  /// Its number.
  let number: UInt64

  /// The number of its parent; 0 for a task that is no child.
  let parent: UInt64

  /// The bits of a job's flags.
  let flags: UInt64
}

extension TraceStreamAppender {
  /// Appends a queue.
  ///
  /// - Returns: False if there was no room.
  func describeQueue(
    _ number: UInt32, label: UnsafeRawBufferPointer, isSerial: Bool?, target: UInt32,
    quality: UInt32
  ) -> Bool {
    let size = unsafe 13 + StreamBodyWriter.size(label)
    return appendOrLeaveGap(.queue, .none, size) { body in
      body.append(number)
      body.append(target)
      body.append(quality)
      body.append(isSerial.map { $0 ? UInt8(1) : 2 } ?? 0)
      unsafe body.append(label)
    }
  }

  /// Appends that a queue, which was described, got another target.
  func retargetQueue(_ number: UInt32, to target: UInt32) {
    _ = appendOrLeaveGap(.queue, .isRetargeted, 8) { body in
      body.append(number)
      body.append(target)
    }
  }

  /// Appends a function that sends blocks.
  ///
  /// - Returns: False if there was no room.
  func describeCaller(_ number: UInt32, name: String?, image: String?, address: UInt) -> Bool {
    let parts: TraceStreamFormat.Parts = .none.with(.name, if: name != nil)
      .with(.image, if: image != nil)
    let size = 12 + StreamBodyWriter.size(name) + StreamBodyWriter.size(image)
    return appendOrLeaveGap(.caller, parts, size) { body in
      body.append(number)
      body.append(UInt64(address))
      body.append(name)
      body.append(image)
    }
  }

  /// Appends a submission.
  func submit(
    _ submission: StreamSubmission, on thread: TraceThread, depth: Int32, at time: UInt64
  ) {
    let callers = submission.callers
    introduce(thread)
    let size = 46 + 4 * callers.count + (submission.task == nil ? 0 : StreamTask.size)
    _ = appendOrLeaveGap(.submission, .none, depth: depth, size) { body in
      body.append(submission.block)
      body.append(submission.code)
      body.append(submission.wrapper)
      body.append(submission.queue)
      body.append(gaps)
      body.append(time)
      body.append(submission.count)
      body.append(submission.way.rawValue)
      body.append(UInt8(truncatingIfNeeded: callers.count))
      if callers.first != 0 { body.append(callers.first) }
      for caller in callers.others { body.append(caller) }
      if let task = submission.task { append(task, to: &body) }
    }
  }

  /// Appends that a task was created, which runs the code at an address.
  func create(_ task: StreamTask, running code: UInt64, by callers: TraceCallers) {
    let size = StreamTask.size + 9 + 4 * callers.count
    _ = appendOrLeaveGap(.task, .none, size) { body in
      append(task, to: &body)
      body.append(code)
      body.append(UInt8(truncatingIfNeeded: callers.count))
      if callers.first != 0 { body.append(callers.first) }
      for caller in callers.others { body.append(caller) }
    }
  }

  /// Appends a task's name.
  func name(task: UInt64, _ name: String) {
    _ = appendOrLeaveGap(.taskName, .none, 8 + StreamBodyWriter.size(name)) { body in
      body.append(task)
      body.append(name)
    }
  }

  private func append(_ task: StreamTask, to body: inout StreamBodyWriter) {
    body.append(task.number)
    body.append(task.parent)
    body.append(task.flags)
  }

  /// Appends that a block which was sent to a queue will not run.
  func cancel(block: UInt64, in wrapper: UInt64, at time: UInt64) {
    _ = appendOrLeaveGap(.cancellation, .none, 24) { body in
      body.append(block)
      body.append(wrapper)
      body.append(time)
    }
  }

  private func appendOrLeaveGap(
    _ kind: TraceStreamFormat.Kind, _ parts: TraceStreamFormat.Parts, depth: Int32 = 0,
    _ size: Int, _ fill: (inout StreamBodyWriter) -> Void
  ) -> Bool {
    if append(kind, parts, .current, depth, size, fill) != nil { return true }
    leaveGap()
    return false
  }
}
