/// What the queues of a stream have run, by the queues that run one block at a time, and its threads.
struct QueueHistories {
  /// The calls behind which blocks wait: those of a serial queue and of all that it runs for other
  /// queues, or those of a concurrent queue, apart from its barriers.
  private struct Place: Hashable {
    let queue: UInt32
    let isBarrier: Bool
  }

  /// A thread of a process.
  private struct Thread: Hashable {
    let process: Int32
    let number: Int32

    init(_ head: TraceStreamFormat.Head) { (process, number) = (head.process, head.thread) }
  }

  private struct Queue {
    let isSerial: Bool?
    var target: UInt32
  }

  private var queues: [UInt32: Queue] = [:]

  /// The outermost serial queue that runs a queue's blocks; 0 without one.
  private var serial: [UInt32: UInt32] = [:]

  /// The concurrent queues to which barriers were submitted.
  private var withBarriers: Set<UInt32> = []
  private var histories: [Place: QueueHistory] = [:]
  private var threads: [Thread: QueueHistory] = [:]

  /// Targets of targets are followed no further: a damaged stream may have a cycle.
  private static let depthLimit = 16

  mutating func add(_ number: UInt32, isSerial: Bool?, target: UInt32) {
    queues[number] = Queue(isSerial: isSerial, target: target)
    serial.removeAll(keepingCapacity: true)
  }

  mutating func retarget(_ number: UInt32, to target: UInt32) {
    queues[number]?.target = target
    serial.removeAll(keepingCapacity: true)
  }

  /// How many calls there have been behind which a block waits that is submitted now.
  mutating func submit(to queue: UInt32, by way: SubmissionWay) -> UInt64 {
    if way.isBarrier, serialQueue(of: queue) == 0, queues[queue]?.isSerial == false {
      withBarriers.insert(queue)
    }
    return place(for: queue, way).flatMap { histories[$0] }?.count ?? 0
  }

  /// What a block waited behind that begins now, or that does not begin.
  ///
  /// - Parameters:
  ///   - queue: The queue to which it was sent.
  ///   - way: How it was sent.
  ///   - time: The time at which it was sent.
  ///   - count: What `submit` returned then.
  ///   - head: The head of the record of the begin; nil without one.
  /// - Returns: The calls; nil if there were none, or if that is not known.
  mutating func obstacle(
    on queue: UInt32, _ way: SubmissionWay, since time: UInt64, after count: UInt64,
    _ head: TraceStreamFormat.Head?
  ) -> TraceObstacle? {
    guard !way.isDelayed else { return nil }
    if let place = place(for: queue, way),
      let found = histories[place]?.obstacle(since: time, after: count)
    {
      return found
    }
    // A thread that waits for a block was not kept by its own calls.
    guard let head, !way.isSynchronous else { return nil }
    return threads[Thread(head)]?.obstacle(since: time, after: nil)
  }

  /// Adds the outermost call of a thread, which runs a queue.
  mutating func add(
    _ code: RecordedCode, _ submission: TraceSubmission?, by head: TraceStreamFormat.Head,
    from start: UInt64, to end: UInt64
  ) {
    threads[Thread(head), default: QueueHistory()].add(code, submission, from: start, to: end)
  }

  /// Adds a call that a queue has run.
  mutating func add(
    _ code: RecordedCode, _ submission: TraceSubmission?, on queue: UInt32, from start: UInt64,
    to end: UInt64
  ) {
    let serial = serialQueue(of: queue)
    guard serial != 0 || withBarriers.contains(queue) else { return }
    let isBarrier = serial == 0 && submission?.way.isBarrier == true
    for place in isBarrier ? [false, true] : [false] {
      let place = Place(queue: serial != 0 ? serial : queue, isBarrier: place)
      histories[place, default: QueueHistory()].add(code, submission, from: start, to: end)
    }
  }

  /// The calls behind which a block waits: behind a barrier all wait, and a barrier behind all.
  private mutating func place(for queue: UInt32, _ way: SubmissionWay) -> Place? {
    let serial = serialQueue(of: queue)
    if serial != 0 { return Place(queue: serial, isBarrier: false) }
    return withBarriers.contains(queue) ? Place(queue: queue, isBarrier: !way.isBarrier) : nil
  }

  private mutating func serialQueue(of queue: UInt32) -> UInt32 {
    if let known = serial[queue] { return known }
    var (found, next): (UInt32, UInt32) = (0, queue)
    for _ in 0..<Self.depthLimit {
      guard let current = queues[next] else { break }
      if current.isSerial == true { found = next }
      next = current.target
    }
    serial[queue] = found
    return found
  }
}
