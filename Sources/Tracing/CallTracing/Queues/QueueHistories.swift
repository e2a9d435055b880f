internal import BlockABI

/// The histories of a stream: one for each queue that runs one block at a time, and one for each thread.
struct QueueHistories {
  /// The calls behind which the blocks of a queue wait, as indices of histories.
  private struct Place {
    /// The calls of the outermost serial queue that runs the blocks, or of a concurrent queue to which
    /// barriers are submitted; nil without one.
    var all: Int?

    /// The barriers of that concurrent queue; nil for others.
    var barriers: Int?

    /// The calls behind which a block waits: behind a barrier all wait, and a barrier behind all.
    func index(for way: SubmissionWay) -> Int? { way.isBarrier ? all : barriers ?? all }
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

    /// The calls of the queue itself; nil before the first.
    var place = Place()
  }

  private var queues: [UInt32: Queue] = [:]

  /// The places of queues, found before.
  private var places: [UInt32: Place] = [:]
  private var threads: [Thread: Int] = [:]
  private var histories: [QueueHistory] = []

  /// The thread that was looked up last.
  private var last: (thread: Thread, index: Int)?

  /// Targets of targets are followed no further: a damaged stream may have a cycle.
  private static let depthLimit = 16

  mutating func add(_ number: UInt32, isSerial: Bool?, target: UInt32) {
    queues[number] = Queue(isSerial: isSerial, target: target)
    places.removeAll(keepingCapacity: true)
  }

  mutating func retarget(_ number: UInt32, to target: UInt32) {
    queues[number]?.target = target
    places.removeAll(keepingCapacity: true)
  }

  /// How many calls there have been behind which a block waits that is submitted now.
  mutating func submit(to queue: UInt32, by way: SubmissionWay) -> UInt64 {
    if way.isBarrier, let known = queues[queue], known.isSerial == false,
      known.place.barriers == nil
    {
      let made = Place(all: makeHistory(), barriers: makeHistory())
      queues[queue]?.place = made
      places[queue] = nil
    }
    return place(of: queue).index(for: way).map { histories[$0].count } ?? 0
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
    if let index = place(of: queue).index(for: way),
      let found = histories[index].obstacle(since: time, after: count)
    {
      return found
    }
    // A thread that waits for a block was not kept by its own calls.
    guard let begin, !way.isSynchronous,
      let found = histories[index(of: Thread(begin.head))].obstacle(since: time, after: nil),
      begin.time < time || found.longestNanoseconds >= (begin.time - time) / 2
    else { return nil }
    return found
  }

  /// Adds the outermost call of a thread, which runs a queue.
  mutating func add(
    _ code: RecordedCode, _ submission: TraceSubmission?, by head: TraceStreamFormat.Head,
    from start: UInt64, to end: UInt64
  ) {
    histories[index(of: Thread(head))].add(code, submission, from: start, to: end)
  }

  /// Adds a call that a queue has run.
  mutating func add(
    _ code: RecordedCode, _ submission: TraceSubmission?, on queue: UInt32, from start: UInt64,
    to end: UInt64
  ) {
    let place = place(of: queue)
    if let all = place.all { histories[all].add(code, submission, from: start, to: end) }
    guard let barriers = place.barriers, submission?.way.isBarrier == true else { return }
    histories[barriers].add(code, submission, from: start, to: end)
  }

  private mutating func makeHistory() -> Int {
    histories.append(QueueHistory())
    return histories.count - 1
  }

  private mutating func index(of thread: Thread) -> Int {
    if let last, last.thread == thread { return last.index }
    let known = threads[thread]
    let index = known ?? makeHistory()
    if known == nil { threads[thread] = index }
    last = (thread, index)
    return index
  }

  private mutating func place(of queue: UInt32) -> Place {
    if let known = places[queue] { return known }
    var (found, next) = (Place(), queue)
    for _ in 0..<Self.depthLimit {
      guard let current = queues[next] else { break }
      if current.isSerial == true {
        let all = current.place.all ?? makeHistory()
        queues[next]?.place.all = all
        found.all = all
      }
      next = current.target
    }
    if found.all == nil, let queue = queues[queue] { found = queue.place }
    places[queue] = found
    return found
  }
}
