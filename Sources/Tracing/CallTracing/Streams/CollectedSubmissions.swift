internal import BlockABI

/// The queues of a stream, and the blocks that were sent to them and have not begun.
///
/// A block may be sent several times before it runs. Submissions of one block to one queue are
/// matched to its calls first in, first out, and those for which threads wait to the calls by these
/// threads. Where that is not the order of the calls, or where
/// records between are missing, they are matched to none.
struct CollectedSubmissions {
  /// A block of a process, by its address.
  private struct Key: Hashable {
    let process: Int32
    let block: UInt64
  }

  private var queues = RecentValues<UInt32, TracedQueue>(limit: limit) {
    TraceStreamFormat.weight(ofTexts: $0.textBytes)
  }
  private var loads = RecentValues<UInt32, QueueLoad>(limit: limit)
  private var histories = QueueHistories()

  /// The callers by their numbers, each as the list of which it is the only member.
  private var callers = RecentValues<UInt32, [TraceCaller]>(limit: limit) {
    TraceStreamFormat.weight(ofTexts: $0.textBytes)
  }
  private var waiting = RecentValues<Key, WaitingBlock>(limit: waitingLimit, weigh: \.weight)

  /// How many queues, callers and handlers are known at once, and how many submissions wait.
  private static let (limit, waitingLimit) = (1 << 16, 1 << 21)

  /// How many of each kind were forgotten, and the limit.
  var forgotten: [(Int, String, limit: Int)] {
    [
      (queues.forgottenCount, "queue", Self.limit),
      (callers.forgottenCount, "sender", Self.limit),
      (handlers.forgottenCount, "handler", Self.limit),
      (waiting.forgottenCount, "waiting block", Self.waitingLimit),
    ]
  }

  /// How many submissions there were.
  private var count: UInt64 = 0

  /// The submission of a handler of a source, which runs it any number of times.
  private struct Handler {
    let submission: TraceSubmission
    let queue: UInt32
    let code: UInt64
  }

  private var handlers = RecentValues<Key, Handler>(limit: limit) {
    TraceStreamFormat.weight(ofTexts: $0.submission.textBytes)
  }

  /// A submission whose block has begun.
  struct Match {
    /// The submission; nil if it may be another one.
    let submission: TraceSubmission?

    /// The head of the record of the submission, if a thread waited for the block from then on.
    let waiter: TraceStreamFormat.Head?

    /// The number of the queue that it was sent to; 0 for a handler of a source.
    let queue: UInt32

    /// The obstacle of the block; nil if that is not known.
    let obstacle: TraceObstacle?
  }

  /// A submission whose block has not begun, and what it waits behind; nil if that is not known.
  typealias Pending = (sent: WaitingBlock.Submission, obstacle: TraceObstacle?)

  // MARK: - Descriptions

  mutating func addQueue(_ number: UInt32, _ queue: TracedQueue, target: UInt32) {
    queues[number] = queue
    histories.add(number, isSerial: queue.isSerial, target: target)
  }

  /// Changes the target of a queue that was described.
  mutating func retarget(_ number: UInt32, to target: UInt32) {
    guard let queue = queues[number] else { return }
    histories.retarget(number, to: target)
    queues[number] = TracedQueue(
      label: queue.label, ordinal: queue.ordinal, isSerial: queue.isSerial,
      target: queues[target]?.name,
      qualityOfService: queue.qualityOfService)
  }

  mutating func addCaller(_ number: UInt32, _ caller: TraceCaller) { callers[number] = [caller] }

  mutating func queue(_ number: UInt32) -> TracedQueue? { queues[number] }

  /// The caller of a number; empty if it is not known.
  mutating func callers(_ number: UInt32) -> [TraceCaller] { callers[number] ?? [] }

  // MARK: - Submissions

  /// Adds a submission.
  mutating func add(
    _ submission: TraceSubmission, block: UInt64, code: UInt64, in wrapper: UInt64,
    of task: UInt64, to queue: UInt32, count: UInt32, gaps: UInt32,
    _ head: TraceStreamFormat.Head
  ) {
    let key = Key(process: head.process, block: block)
    guard !submission.way.isHandler else {
      handlers[key] = Handler(submission: submission, queue: queue, code: code)
      return
    }
    // A damaged stream: a block that is not called does not wait.
    guard count > 0 else { return }
    let sent = WaitingBlock.Submission(
      submission: submission, queue: queue, code: code, wrapper: wrapper, task: task,
      head: head, gaps: gaps, count: count, place: self.count,
      calls: histories.submit(to: queue, by: submission.way))
    waiting.update(key) { block in
      if block == nil { block = WaitingBlock() }
      block?.append(sent)
    }
    self.count += 1
    loads.update(queue) { load in
      if load == nil { load = QueueLoad() }
      load?.submit(by: submission.way)
    }
    loads.trim()
    for block in waiting.trim() { cancel(block.all) }
  }

  /// Removes and returns the submission of a block that begins on a queue; nil if none is known.
  mutating func begin(
    block: UInt64, code: UInt64, on queue: UInt32, at time: UInt64, gaps: UInt32,
    _ head: TraceStreamFormat.Head
  ) -> Match? {
    let key = Key(process: head.process, block: block)
    var stale: [WaitingBlock.Submission] = []
    let (found, isLast) = waiting.update(key) { block -> (WaitingBlock.Match?, Bool) in
      let found = block?.take(
        code: code, on: queue, gaps: gaps, thread: head.thread, at: time, stale: &stale)
      if block?.isEmpty == true { block = nil }
      return (found, block == nil)
    }
    cancel(stale)
    guard let found else { return isLast ? handler(key, code, on: queue) : nil }
    let (sent, way) = (found.submission, found.submission.submission.way)
    loads.update(sent.queue) { $0?.begin(way) }
    guard !found.isAmbiguous else {
      return Match(submission: nil, waiter: nil, queue: sent.queue, obstacle: nil)
    }
    return Match(
      submission: sent.submission, waiter: way.isSynchronous ? sent.head : nil,
      queue: sent.queue, obstacle: obstacle(of: sent, (time, head)))
  }

  /// Counts that a block ends which was matched to a submission to a queue; 0 for no submission.
  mutating func end(on queue: UInt32) {
    if queue != 0 { loads.update(queue) { $0?.end() } }
  }

  /// Whether blocks wait that need nothing but a thread: no task, and no block that was sent for a
  /// later time.
  var hasBlocksThatBegin: Bool {
    waiting.all.contains { $0.value.all.contains { $0.task == 0 && !$0.submission.isDelayed } }
  }

  /// Forgets the blocks that wait.
  mutating func forgetWaiting() {
    for (key, block) in waiting.all {
      waiting.update(key) { $0 = nil }
      cancel(block.all)
    }
  }

  /// Notes that blocks do not wait any more, and will not begin.
  private mutating func cancel(_ submissions: [WaitingBlock.Submission]) {
    for sent in submissions { loads.update(sent.queue) { $0?.cancel(sent.submission.way) } }
  }

  /// Remembers a call, behind which blocks may have waited.
  ///
  /// - Parameters:
  ///   - code: The code.
  ///   - submission: How its block was sent to the queue; nil if that is not known.
  ///   - queue: The queue that was occupied; 0 for none.
  ///   - head: The head of the record of the call's begin.
  ///   - start: The time of the begin.
  ///   - end: The time of the end.
  mutating func ran(
    _ code: RecordedCode, _ submission: TraceSubmission?, on queue: UInt32,
    _ head: TraceStreamFormat.Head, from start: UInt64, to end: UInt64
  ) {
    guard queue != 0 else { return }
    histories.add(code, submission, on: queue, from: start, to: end)
    if head.depth == 0 { histories.add(code, submission, by: head, from: start, to: end) }
  }

  private mutating func obstacle(
    of sent: WaitingBlock.Submission,
    _ begin: (time: UInt64, head: TraceStreamFormat.Head)? = nil
  ) -> TraceObstacle? {
    sent.submission.nanoseconds.flatMap { time in
      histories.obstacle(
        on: sent.queue, sent.submission.way, since: time, after: sent.calls, begin)
    }
  }

  /// How much the queues had to do so far.
  var queueLoads: [(queue: TracedQueue, load: QueueLoad)] {
    loads.all.compactMap { number, load in queues.known(number).map { ($0, load) } }
  }

  private mutating func handler(_ key: Key, _ code: UInt64, on queue: UInt32) -> Match? {
    guard let handler = handlers[key], handler.queue == queue else { return nil }
    guard handler.code == code || handler.code == 0 || code == 0 else {
      // The source has dropped it: another block is at its address.
      handlers[key] = nil
      return nil
    }
    return Match(submission: handler.submission, waiter: nil, queue: 0, obstacle: nil)
  }

  /// Removes and returns the submissions of a block that was cancelled, which were made in a block
  /// around it.
  mutating func cancel(
    block: UInt64, in wrapper: UInt64, _ head: TraceStreamFormat.Head
  ) -> [Pending] {
    let key = Key(process: head.process, block: block)
    let removed = waiting.update(key) { block in
      defer { if block?.isEmpty == true { block = nil } }
      return block?.remove(in: wrapper) ?? []
    }
    cancel(removed)
    return removed.map { ($0, obstacle(of: $0)) }
  }

  /// The submissions whose blocks have not begun, in the order in which they were made, without
  /// those whose begins may be missing.
  ///
  /// - Parameter gaps: How many records are missing now.
  /// - Returns: Those submissions.
  mutating func pending(gaps: UInt32) -> [Pending] {
    waiting.all.flatMap(\.value.all).filter { $0.gaps == gaps }
      .sorted { ($0.submission.nanoseconds ?? 0) < ($1.submission.nanoseconds ?? 0) }
      .map { ($0, obstacle(of: $0)) }
  }
}
