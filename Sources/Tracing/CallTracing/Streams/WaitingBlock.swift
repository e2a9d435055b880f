internal import BlockABI

/// The submissions of one block that have not begun.
///
/// What takes them out costs the same however many there are, as the stream is not trusted.
struct WaitingBlock {
  /// A submission.
  struct Submission {
    let submission: TraceSubmission
    let queue: UInt32

    /// The address of the block's code; 0 if it is not known.
    let code: UInt64

    /// The address of the block around it that was sent; 0 without one.
    let wrapper: UInt64

    /// The number of the task that was sent; 0 for a block.
    let task: UInt64

    /// The head of the record.
    let head: TraceStreamFormat.Head
    let gaps: UInt32

    /// The calls of the block that have not begun.
    fileprivate(set) var count: UInt32

    /// The number of submissions of the stream before this one.
    let place: UInt64

    /// The number of calls before it behind which such a block waits.
    let calls: UInt64

    /// What it takes of the limit of what waits.
    fileprivate var weight: Int { TraceStreamFormat.weight(ofTexts: submission.textBytes) }
  }

  /// A submission whose block begins, and whether it may be another one that begins.
  typealias Match = (submission: Submission, isAmbiguous: Bool)

  /// Where blocks wait together: the number of the queue.
  private typealias Place = Int64

  /// Iterations wait apart: they may run on any queue, as other threads help.
  private static let iterations: Place = -1

  /// Those that were made in a block around theirs, by that block and by their places.
  private struct Wrapped {
    private var all: [UInt64: [UInt64: Submission]] = [:]

    /// Whether a submission waits: one that was cancelled stays in its line until that reaches it.
    func waits(_ submission: Submission) -> Bool {
      submission.wrapper == 0 || all[submission.wrapper]?[submission.place] != nil
    }

    mutating func add(_ submission: Submission) {
      guard submission.wrapper != 0 else { return }
      all[submission.wrapper, default: [:]][submission.place] = submission
    }

    mutating func remove(_ submission: Submission) {
      guard submission.wrapper != 0 else { return }
      all[submission.wrapper]?[submission.place] = nil
      if all[submission.wrapper]?.isEmpty == true { all[submission.wrapper] = nil }
    }

    mutating func removeAll(in wrapper: UInt64) -> [Submission] {
      all.removeValue(forKey: wrapper).map { Array($0.values) } ?? []
    }
  }

  /// The submissions that wait in one place, in their order.
  private struct Line {
    private var entries: [Submission] = []
    private var start = 0

    /// How many need not begin in the order in which they were sent.
    private var unorderedCount = 0

    /// Up to this place, calls cannot be told from those of other submissions.
    private var ambiguousEnd: UInt64 = 0

    /// How many are looked at for one that is to be taken out of the order.
    private static let horizon = 64

    var isEmpty: Bool { start == entries.count }
    var first: Submission? { isEmpty ? nil : entries[start] }

    func all(_ wrapped: Wrapped) -> [Submission] { entries[start...].filter(wrapped.waits) }

    mutating func append(_ new: Submission) {
      if !isEmpty, new.isUnordered || unorderedCount > 0 { ambiguousEnd = new.place + 1 }
      if new.isUnordered { unorderedCount += 1 }
      entries.append(new)
    }

    /// Removes those at the beginning that were cancelled, or cannot begin any more: what was sent
    /// before a gap may have begun in it, and other code means another block at the address.
    ///
    /// - Returns: The latter.
    mutating func dropStale(gaps: UInt32, code: UInt64, _ wrapped: inout Wrapped) -> [Submission] {
      var stale: [Submission] = []
      while let first {
        if wrapped.waits(first) {
          guard first.gaps != gaps || !first.isOf(code) else { break }
          stale.append(first)
          uncount(first)
          wrapped.remove(first)
        }
        removeFirst()
      }
      return stale
    }

    /// Takes the next one out: the one for which a thread waits that runs it, else the first.
    ///
    /// There must be one, and the first must wait.
    mutating func take(on thread: Int32, _ wrapped: inout Wrapped) -> Match {
      let own = entries[start...].prefix(Self.horizon).firstIndex {
        $0.submission.way.isSynchronous && $0.head.thread == thread && wrapped.waits($0)
      }
      if let own { for index in (start..<own).reversed() { entries.swapAt(index, index + 1) } }
      let found = entries[start]
      let isAmbiguous = own == nil && found.place < ambiguousEnd
      if found.count > 1 {
        entries[start].count -= 1
      } else {
        uncount(found)
        wrapped.remove(found)
        removeFirst()
      }
      return (found, isAmbiguous)
    }

    /// Notes that one does not wait any more; what was cancelled stays until the line reaches it.
    mutating func uncount(_ submission: Submission) {
      if submission.isUnordered { unorderedCount -= 1 }
    }

    /// Removes those that were cancelled.
    mutating func compact(_ wrapped: Wrapped) {
      entries = all(wrapped)
      start = 0
    }

    private mutating func removeFirst() {
      start += 1
      guard start > entries.count / 2 else { return }
      entries.removeFirst(start)
      start = 0
    }
  }

  /// The only submission; nil if there are none or if they stand in lines.
  private var only: Submission?
  private var lines: [Place: Line] = [:]
  private var wrapped = Wrapped()

  /// How many wait in lines, their weight, and how many are left there at most that were cancelled.
  private var (lineCount, lineWeight, cancelledCount) = (0, 0, 0)

  /// Calls whose queue is not known are matched to no more lines than these.
  private static let limit = 64

  /// What they take of the limit of what waits: more with long descriptions.
  var weight: Int { only?.weight ?? lineWeight }

  /// Whether none waits.
  var isEmpty: Bool { only == nil && lineCount == 0 }

  /// All that wait.
  var all: [Submission] { only.map { [$0] } ?? lines.values.flatMap { $0.all(wrapped) } }

  /// Adds a submission.
  mutating func append(_ new: Submission) {
    if isEmpty {
      only = new
      return
    }
    standInLine()
    stand(new)
  }

  /// Takes out the submissions that were made in a block around this one, in their order.
  mutating func remove(in wrapper: UInt64) -> [Submission] {
    if let only {
      guard only.wrapper == wrapper else { return [] }
      self.only = nil
      return [only]
    }
    let removed = wrapped.removeAll(in: wrapper)
    for submission in removed { lines[Self.place(of: submission)]?.uncount(submission) }
    leave(removed)
    cancelledCount += removed.count
    if cancelledCount > max(lineCount, Self.limit) {
      for place in Array(lines.keys) { lines[place]?.compact(wrapped) }
      cancelledCount = 0
    }
    return removed.sorted { $0.place < $1.place }
  }

  /// Takes out the submission of a call that begins.
  ///
  /// - Parameters:
  ///   - code: The address of the code that is called; 0 if it is not known.
  ///   - queue: The queue on which it begins; 0 if it is not known.
  ///   - gaps: How many gaps came before.
  ///   - thread: The thread that makes the call.
  ///   - time: The time of the begin.
  ///   - stale: Receives the submissions that cannot begin any more, and are removed.
  /// - Returns: The submission; nil if there is none.
  mutating func take(
    code: UInt64, on queue: UInt32, gaps: UInt32, thread: Int32, at time: UInt64,
    stale: inout [Submission]
  ) -> Match? {
    if let only, only.count == 1 {
      guard only.mayBegin(on: queue), only.wasSent(by: time) else { return nil }
      self.only = nil
      if only.gaps == gaps, only.isOf(code) { return (only, false) }
      stale.append(only)
      return nil
    }
    standInLine()
    var places = [Self.iterations, Place(queue)]
    if queue != 0 {
      places.append(0)
    } else if lines.count <= Self.limit {
      places = Array(lines.keys)
    }
    var next: (place: Place, submission: UInt64)?
    for place in places {
      guard let index = lines.index(forKey: place) else { continue }
      let dropped = lines.values[index].dropStale(gaps: gaps, code: code, &wrapped)
      leave(dropped)
      stale += dropped
      guard let first = lines.values[index].first else {
        lines.remove(at: index)
        continue
      }
      guard first.wasSent(by: time) else { continue }
      if next.map({ first.place < $0.submission }) ?? true { next = (place, first.place) }
    }
    guard let next, let index = lines.index(forKey: next.place) else { return nil }
    let match = lines.values[index].take(on: thread, &wrapped)
    if match.submission.count <= 1 { leave([match.submission]) }
    if lines.values[index].isEmpty { lines.remove(at: index) }
    return match
  }

  private mutating func standInLine() {
    guard let only else { return }
    self.only = nil
    stand(only)
  }

  private mutating func stand(_ submission: Submission) {
    lines[Self.place(of: submission), default: Line()].append(submission)
    wrapped.add(submission)
    lineCount += 1
    lineWeight += submission.weight
  }

  private mutating func leave(_ submissions: [Submission]) {
    lineCount -= submissions.count
    lineWeight -= submissions.reduce(0) { $0 + $1.weight }
  }

  private static func place(of submission: Submission) -> Place {
    submission.submission.way == .apply ? iterations : Place(submission.queue)
  }
}

extension WaitingBlock.Submission {
  fileprivate var isUnordered: Bool { !submission.way.isOrdered }

  /// Whether the block's code may be that at an address.
  fileprivate func isOf(_ other: UInt64) -> Bool { code == other || code == 0 || other == 0 }

  /// Whether the block had been sent at a time; if not, the call that begins then is of an earlier
  /// block at the address, whose submission is missing.
  fileprivate func wasSent(by time: UInt64) -> Bool {
    // Readings of the clock by two threads may differ by this much.
    let tolerance: UInt64 = 10_000
    return (submission.nanoseconds ?? 0) <= time &+ tolerance
  }

  /// Whether the block may begin on a queue; 0 is one that is not known.
  fileprivate func mayBegin(on other: UInt32) -> Bool {
    queue == other || queue == 0 || other == 0 || submission.way == .apply
  }
}
