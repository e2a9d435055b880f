internal import BlockABI

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

  /// The number of the queue that the sender runs; 0 for none.
  var sender: UInt32 = 0

  /// The number of the task that the sender runs; 0 for none.
  var senderTask: UInt64 = 0

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
    _ number: UInt32, at address: UInt, isCreated: Bool, label: UnsafeRawBufferPointer,
    isSerial: Bool?, target: UInt32, quality: UInt32
  ) -> Bool {
    let size = unsafe 21 + StreamBodyWriter.size(label)
    return appendOrLeaveGap(.queue, .none.with(.isCreated, if: isCreated), size) { body in
      body.append(number)
      body.append(target)
      body.append(quality)
      body.append(isSerial.map { $0 ? UInt8(1) : 2 } ?? 0)
      body.append(UInt64(address))
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

  /// Appends a function that sends blocks or calls functions.
  ///
  /// - Parameters:
  ///   - number: Its number.
  ///   - name: Its demangled name, or its symbol as the linker has it.
  ///   - isSymbol: Whether the name is that symbol.
  ///   - file: The path at which this process finds the file of its image.
  ///   - address: The address in it to which the call returns.
  ///   - place: The address of the call in the image's file.
  ///   - buildID: The beginning of the image's build ID.
  /// - Returns: False if there was no room.
  func describeCaller(
    _ number: UInt32, name: UnsafeRawBufferPointer?, isSymbol: Bool,
    file: UnsafeRawBufferPointer?, address: UInt, place: UInt, buildID: UInt64
  ) -> Bool {
    let parts: TraceStreamFormat.Parts = unsafe .none.with(.name, if: name != nil)
      .with(.image, if: file != nil).with(.isSymbol, if: isSymbol)
    let nameSize = unsafe name.map(StreamBodyWriter.size) ?? 0
    let size = unsafe 28 + nameSize + (file.map(StreamBodyWriter.size) ?? 0)
    return appendOrLeaveGap(.caller, parts, size) { body in
      body.append(number)
      body.append(UInt64(address))
      body.append(UInt64(place))
      body.append(buildID)
      if let name = unsafe name { unsafe body.append(name) }
      if let file = unsafe file { unsafe body.append(file) }
    }
  }

  /// Appends a submission.
  func submit(
    _ submission: StreamSubmission, on thread: TraceThread, depth: Int32, at time: UInt64
  ) {
    let callers = submission.callers
    introduce(thread)
    let size = 57 + callers.size + (submission.task == nil ? 0 : StreamTask.size)
    _ = appendOrLeaveGap(.submission, .none, depth: depth, size) { body in
      body.append(submission.block)
      body.append(submission.code)
      body.append(submission.wrapper)
      body.append(submission.queue)
      body.append(gaps)
      body.append(time)
      body.append(submission.count)
      body.append(submission.way.rawValue)
      body.append(submission.sender)
      body.append(submission.senderTask)
      callers.append(to: &body)
      if let task = submission.task { append(task, to: &body) }
    }
  }

  /// Appends that a task was created, which runs the code at an address.
  func create(_ task: StreamTask, running code: UInt64, by callers: TraceCallers) {
    let size = StreamTask.size + 8 + callers.size
    _ = appendOrLeaveGap(.task, .none, size) { body in
      append(task, to: &body)
      body.append(code)
      callers.append(to: &body)
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

  /// Appends a record that is not of a call; returns false if there was no room.
  func appendOrLeaveGap(
    _ kind: TraceStreamFormat.Kind, _ parts: TraceStreamFormat.Parts, depth: Int32 = 0,
    _ size: Int, _ fill: (inout StreamBodyWriter) -> Void
  ) -> Bool {
    if append(kind, parts, .current, depth, size, fill) != nil { return true }
    leaveGap()
    return false
  }
}
