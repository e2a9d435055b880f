/// The queues of a stream, and the blocks that were sent to them and have not begun.
///
/// A block may be sent several times before it runs. Submissions of one block to one queue are
/// matched to its calls first in, first out. Where that is not the order of the calls, or where
/// records between are missing, they are matched to none.
struct CollectedSubmissions {
  /// A block of a process, by its address.
  private struct Key: Hashable {
    let process: Int32
    let block: UInt64
  }

  fileprivate struct Waiting {
    let submission: TraceSubmission
    let queue: UInt32
    let code: UInt64
    let head: TraceStreamFormat.Head
    let gaps: UInt32

    /// The calls of the block that have not begun.
    var count: UInt32

    /// Whether calls cannot be told from those of another submission.
    var isAmbiguous = false
  }

  private var queues: [UInt32: TracedQueue] = [:]
  private var loads: [UInt32: QueueLoad] = [:]
  private var callers: [UInt32: TraceCaller] = [:]
  private var waiting: [Key: [Waiting]] = [:]

  /// The submissions of handlers of sources, with the numbers of their queues.
  private var handlers: [Key: (submission: TraceSubmission, queue: UInt32)] = [:]

  /// A submission whose block has begun.
  struct Match {
    let submission: TraceSubmission

    /// How long a thread waited for the block in the submitting function; nil if it did not.
    let wait: SubmissionWait?

    /// The number of the queue that it was sent to; 0 for a handler of a source.
    let queue: UInt32
  }

  /// The time that a thread waited for a block to begin.
  struct SubmissionWait {
    let head: TraceStreamFormat.Head
    let start: UInt64
    let way: SubmissionWay
  }

  // MARK: - Descriptions

  mutating func addQueue(_ number: UInt32, _ queue: TracedQueue) {
    // A queue that got another target is described again, without its kind.
    let isSerial = queue.isSerial ?? queues[number]?.isSerial
    queues[number] = TracedQueue(
      label: queue.label, isSerial: isSerial, target: queue.target,
      qualityOfService: queue.qualityOfService)
  }

  mutating func addCaller(_ number: UInt32, _ caller: TraceCaller) { callers[number] = caller }

  func queue(_ number: UInt32) -> TracedQueue? { queues[number] }

  func callers(_ numbers: [UInt32]) -> [TraceCaller] { numbers.compactMap { callers[$0] } }

  // MARK: - Submissions

  /// Adds a submission.
  mutating func add(
    _ submission: TraceSubmission, block: UInt64, code: UInt64, to queue: UInt32, count: UInt32,
    gaps: UInt32, _ head: TraceStreamFormat.Head
  ) {
    let key = Key(process: head.process, block: block)
    guard !submission.way.isHandler else {
      handlers[key] = (submission, queue)
      return
    }
    var new = Waiting(
      submission: submission, queue: queue, code: code, head: head, gaps: gaps, count: count)
    var present = waiting[key] ?? []
    for index in present.indices
    where present[index].queue == queue
      && !(present[index].submission.way.isOrdered && submission.way.isOrdered)
    {
      present[index].isAmbiguous = true
      new.isAmbiguous = true
    }
    waiting[key] = present + [new]
    loads[queue, default: QueueLoad()].submit()
  }

  /// Removes and returns the submission of a block that begins on a queue; nil if none is known, or
  /// if it may be another one.
  mutating func begin(
    block: UInt64, on queue: UInt32, gaps: UInt32, _ head: TraceStreamFormat.Head
  ) -> Match? {
    let key = Key(process: head.process, block: block)
    guard var present = waiting[key] else { return handler(key, on: queue) }
    // What was sent before a gap may have begun in it.
    for lost in present where lost.gaps != gaps { loads[lost.queue]?.cancel() }
    present.removeAll { $0.gaps != gaps }
    defer { waiting[key] = present.isEmpty ? nil : present }
    guard let index = present.firstIndex(where: { isMatch($0, queue) }) else { return nil }
    let found = present[index]
    loads[found.queue, default: QueueLoad()].begin()
    if found.count > 1 { present[index].count -= 1 } else { present.remove(at: index) }
    guard !found.isAmbiguous else { return nil }
    let wait = SubmissionWait(
      head: found.head, start: found.submission.nanoseconds ?? 0, way: found.submission.way)
    return Match(
      submission: found.submission, wait: found.submission.way.isSynchronous ? wait : nil,
      queue: found.queue)
  }

  /// Counts that a block ends which was matched to a submission.
  mutating func end(on queue: UInt32) { loads[queue]?.end() }

  /// How much the queues had to do so far.
  var queueLoads: [(queue: TracedQueue, load: QueueLoad)] {
    loads.compactMap { number, load in queues[number].map { ($0, load) } }
  }

  /// Whether a block that was sent may begin on a queue: the one that it was sent to, or, for
  /// iterations, any that helps.
  private func isMatch(_ waiting: Waiting, _ queue: UInt32) -> Bool {
    waiting.queue == queue || waiting.queue == 0 || queue == 0 || waiting.submission.way == .apply
  }

  private func handler(_ key: Key, on queue: UInt32) -> Match? {
    guard let handler = handlers[key], handler.queue == queue else { return nil }
    return Match(submission: handler.submission, wait: nil, queue: 0)
  }

  /// Removes and returns the submissions of a block that was cancelled.
  mutating func cancel(block: UInt64, _ head: TraceStreamFormat.Head) -> [Pending] {
    let removed = waiting.removeValue(forKey: Key(process: head.process, block: block)) ?? []
    for waiting in removed { loads[waiting.queue]?.cancel() }
    return removed.map(Pending.init)
  }

  /// The submissions whose blocks have not begun, in the order in which they were made, without
  /// those whose begins may be missing.
  ///
  /// - Parameter gaps: How many records are missing now.
  /// - Returns: Those submissions.
  func pending(gaps: UInt32) -> [Pending] {
    waiting.values.flatMap { $0 }.filter { $0.gaps == gaps }.map(Pending.init)
      .sorted { ($0.submission.nanoseconds ?? 0) < ($1.submission.nanoseconds ?? 0) }
  }

  /// A submission whose block has not begun.
  struct Pending {
    let submission: TraceSubmission
    let queue: UInt32

    /// The address of the block's code.
    let code: UInt64

    /// The head of the record of its submission.
    let head: TraceStreamFormat.Head

    fileprivate init(_ waiting: Waiting) {
      submission = waiting.submission
      queue = waiting.queue
      code = waiting.code
      head = waiting.head
    }
  }
}
