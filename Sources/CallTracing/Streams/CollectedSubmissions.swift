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

  private var queues: [UInt32: TracedQueue] = [:]
  private var loads: [UInt32: QueueLoad] = [:]
  private var callers: [UInt32: TraceCaller] = [:]
  /// Those that wait, by their blocks: for each queue a list, most often one.
  private var waiting: [Key: [(queue: UInt32, list: WaitingSubmissions)]] = [:]

  /// The submissions of handlers of sources, with the numbers of their queues.
  private var handlers: [Key: (submission: TraceSubmission, queue: UInt32)] = [:]

  /// A submission whose block has begun.
  struct Match {
    /// The submission; nil if it may be another one.
    let submission: TraceSubmission?

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
    let new = WaitingSubmission(
      submission: submission, queue: queue, code: code, head: head, gaps: gaps, count: count)
    if let index = waiting[key]?.firstIndex(where: { $0.queue == queue }) {
      waiting[key]?[index].list.append(new)
    } else {
      var list = WaitingSubmissions()
      list.append(new)
      waiting[key, default: []].append((queue, list))
    }
    loads[queue, default: QueueLoad()].submit()
  }

  /// Removes and returns the submission of a block that begins on a queue; nil if none is known.
  mutating func begin(
    block: UInt64, on queue: UInt32, gaps: UInt32, _ head: TraceStreamFormat.Head
  ) -> Match? {
    let key = Key(process: head.process, block: block)
    // A copy of a list would be a second owner of its memory, which then each change copies.
    guard let listCount = waiting[key]?.count else { return handler(key, on: queue) }
    for index in 0..<listCount {
      let lost = waiting[key]?[index].list.removeLost(gaps: gaps) ?? 0
      if lost > 0, let sentTo = waiting[key]?[index].queue { loads[sentTo]?.cancel(lost) }
    }
    defer {
      waiting[key]?.removeAll { $0.list.isEmpty }
      if waiting[key]?.isEmpty == true { waiting[key] = nil }
    }
    guard let index = waiting[key]?.firstIndex(where: { isMatch($0.queue, $0.list, queue) }),
      let isAmbiguous = waiting[key]?[index].list.isAmbiguous,
      let found = waiting[key]?[index].list.begin()
    else { return nil }
    loads[found.queue, default: QueueLoad()].begin()
    guard !isAmbiguous else { return Match(submission: nil, wait: nil, queue: found.queue) }
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
  private func isMatch(
    _ sentTo: UInt32, _ list: WaitingSubmissions, _ queue: UInt32
  ) -> Bool {
    guard let first = list.all.first else { return false }
    return sentTo == queue || sentTo == 0 || queue == 0 || first.submission.way == .apply
  }

  private func handler(_ key: Key, on queue: UInt32) -> Match? {
    guard let handler = handlers[key], handler.queue == queue else { return nil }
    return Match(submission: handler.submission, wait: nil, queue: 0)
  }

  /// Removes and returns the submissions of a block that was cancelled.
  mutating func cancel(block: UInt64, _ head: TraceStreamFormat.Head) -> [WaitingSubmission] {
    let removed = waiting.removeValue(forKey: Key(process: head.process, block: block)) ?? []
    for (queue, list) in removed { loads[queue]?.cancel(list.all.count) }
    return removed.flatMap(\.list.all)
  }

  /// The submissions whose blocks have not begun, in the order in which they were made, without
  /// those whose begins may be missing.
  ///
  /// - Parameter gaps: How many records are missing now.
  /// - Returns: Those submissions.
  func pending(gaps: UInt32) -> [WaitingSubmission] {
    waiting.values.flatMap { $0.flatMap(\.list.all) }.filter { $0.gaps == gaps }
      .sorted { ($0.submission.nanoseconds ?? 0) < ($1.submission.nanoseconds ?? 0) }
  }
}
