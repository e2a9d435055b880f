internal import BlockABI

/// The histories of a stream: one for each queue that runs one block at a time, and one for each
/// thread.
struct QueueHistories {
  /// What has a history.
  private enum Owner: Hashable {
    case queue(UInt32)
    case barriers(UInt32)
    case thread(TracedThread)
  }

  /// The calls behind which the blocks of a queue wait.
  private struct Place {
    /// The outermost serial queue that runs the blocks, or a concurrent queue to which barriers are
    /// submitted; nil without one.
    var queue: UInt32?

    /// Whether it is that concurrent queue.
    var hasBarriers = false

    /// The calls behind which a block waits: behind a barrier all wait, and a barrier behind all.
    func owner(for way: SubmissionWay) -> Owner? {
      queue.map { hasBarriers && !way.isBarrier ? .barriers($0) : .queue($0) }
    }
  }

  private struct Queue {
    let isSerial: Bool?
    var target: UInt32

    /// Whether it is concurrent, and barriers were submitted to it.
    var hasBarriers = false
  }

  private var queues = RecentValues<UInt32, Queue>(limit: limit)

  /// The places of queues, found before.
  private var places = RecentValues<UInt32, Place>(limit: limit)
  private var histories = RecentValues<Owner, QueueHistory>(limit: limit, weigh: \.weight)

  /// How many queues, and histories, are known at once; each of these may have many calls.
  private static let limit = 1 << 14

  /// Targets of targets are followed no further: a damaged stream may have a cycle.
  private static let depthLimit = 16

  mutating func add(_ number: UInt32, isSerial: Bool?, target: UInt32) {
    queues[number] = Queue(isSerial: isSerial, target: target)
    forgetPlaces()
  }

  mutating func retarget(_ number: UInt32, to target: UInt32) {
    queues.update(number) { $0?.target = target }
    forgetPlaces()
  }

  private mutating func forgetPlaces() { places = RecentValues(limit: Self.limit) }

  /// How many calls there have been behind which a block waits that is submitted now.
  mutating func submit(to queue: UInt32, by way: SubmissionWay) -> UInt64 {
    if way.isBarrier, let known = queues[queue], known.isSerial == false, !known.hasBarriers {
      queues.update(queue) { $0?.hasBarriers = true }
      places[queue] = nil
    }
    return place(of: queue).owner(for: way).flatMap { histories[$0]?.count } ?? 0
  }

  /// The obstacle of a block that begins now, or that does not begin.
  ///
  /// - Parameters:
  ///   - queue: The queue to which it was sent.
  ///   - way: How it was sent.
  ///   - time: The time at which it was sent.
  ///   - count: What `submit` returned then.
  ///   - begin: The time of the begin, and the head of its record; nil without one.
  /// - Returns: The calls; nil if there were none, or if that is not known.
  mutating func obstacle(
    on queue: UInt32, _ way: SubmissionWay, since time: UInt64, after count: UInt64,
    _ begin: (time: UInt64, head: TraceStreamFormat.Head)?
  ) -> TraceObstacle? {
    guard !way.isDelayed else { return nil }
    if let owner = place(of: queue).owner(for: way),
      let found = histories[owner]?.obstacle(since: time, after: count)
    {
      return found
    }
    // A thread that waits for a block was not kept by its own calls.
    guard let begin, !way.isSynchronous,
      let found = histories[.thread(TracedThread(begin.head))]?.obstacle(since: time, after: nil),
      begin.time < time || found.longestNanoseconds >= (begin.time - time) / 2
    else { return nil }
    return found
  }

  /// Adds the outermost call of a thread, which runs a queue.
  mutating func add(
    _ code: RecordedCode, _ submission: TraceSubmission?, by head: TraceStreamFormat.Head,
    from start: UInt64, to end: UInt64
  ) {
    add(code, submission, to: .thread(TracedThread(head)), from: start, to: end)
  }

  /// Adds a call that a queue has run.
  mutating func add(
    _ code: RecordedCode, _ submission: TraceSubmission?, on queue: UInt32, from start: UInt64,
    to end: UInt64
  ) {
    let place = place(of: queue)
    guard let number = place.queue else { return }
    add(code, submission, to: .queue(number), from: start, to: end)
    guard place.hasBarriers, submission?.way.isBarrier == true else { return }
    add(code, submission, to: .barriers(number), from: start, to: end)
  }

  private mutating func add(
    _ code: RecordedCode, _ submission: TraceSubmission?, to owner: Owner, from start: UInt64,
    to end: UInt64
  ) {
    histories.update(owner) { history in
      if history == nil { history = QueueHistory() }
      history?.add(code, submission, from: start, to: end)
    }
    histories.trim()
  }

  private mutating func place(of queue: UInt32) -> Place {
    if let known = places[queue] { return known }
    var (found, next) = (Place(), queue)
    for _ in 0..<Self.depthLimit {
      guard let current = queues[next] else { break }
      if current.isSerial == true { found.queue = next }
      next = current.target
    }
    if found.queue == nil, queues[queue]?.hasBarriers == true {
      found = Place(queue: queue, hasBarriers: true)
    }
    places[queue] = found
    return found
  }
}
