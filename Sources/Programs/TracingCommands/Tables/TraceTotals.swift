internal import BlockRuntimeThreads
import CallTracing
internal import CodeSymbols
import CommandOptionsAndResults

/// Adds up calls, waits and parts of tasks by what was called and by queue, over all processes.
final class TraceTotals: TraceSink {
  /// The rows of the tables.
  struct State {
    fileprivate var own = OwnTimes()
    fileprivate(set) var calls = TotalRows<TraceSubject, CallTotals>()
    fileprivate(set) var waits = TotalRows<WaitSource, CallTotals>()
    fileprivate(set) var queues = TotalRows<QueueSource, CallTotals>()
    fileprivate(set) var tasks = TotalRows<TraceSubject, TaskTotals>()

    /// The last parts of the tasks that ran last, as servers make tasks without end.
    ///
    /// A task that goes on after a million others counts as two.
    fileprivate var parts = RecentValues<TaskKey, SuspensionTimes.Part>(limit: 1 << 20)
    fileprivate(set) var longestWaits = Longest<TraceRecord> { record in
      record.submission?.isDelayed == false && record.kind == .call ? record.waitedNanoseconds : nil
    }
    fileprivate(set) var longestRuns = Longest<TraceRecord> { record in
      record.hasStarted && record.kind == .call ? record.durationNanoseconds : nil
    }

    fileprivate mutating func add(_ record: TraceRecord) {
      longestWaits.add(record)
      longestRuns.add(record)
      let own = record.hasStarted ? self.own.own(record) : 0
      let queue = record.submission?.queue
      if record.kind == .wait {
        waits[WaitSource(record), default: CallTotals()].add(record, own: own)
        return
      }
      if record.isPartOfTask {
        addPart(record)
      } else {
        calls[record.subject, default: CallTotals()].add(record, own: own)
      }
      if let queue { queues[QueueSource(queue), default: CallTotals()].add(record, own: own) }
    }

    private mutating func addPart(_ record: TraceRecord) {
      guard let task = record.task else { return }
      let key = TaskKey(code: record.subject, process: record.process, number: task.number)
      parts.update(key) {
        tasks[record.subject, default: TaskTotals()].add(record, after: &$0)
      }
      parts.trim()
    }
  }

  private let state = Locked(State())

  func receive(_ records: [TraceRecord]) {
    state.withLock { for record in records { $0.add(record) } }
  }

  /// The rows up to now.
  var rows: State { state.withLock { $0 } }

  /// Tables of what was called, of queues, of waits, of actors, of tasks and of the calls that
  /// waited or ran longest, and a sentence on the busiest queue; those without rows are left out.
  ///
  /// - Parameters:
  ///   - order: The column by which rows are sorted, highest first.
  ///   - loads: How much the queues had to do, by their names.
  ///   - actors: How much the actors had to do.
  ///   - time: How long the trace lasted, in nanoseconds.
  ///   - locations: Where code was written.
  ///   - style: The style of the text.
  /// - Returns: The tables with an empty line between them.
  func tables(
    by order: TableOrder, queueLoads loads: [String: QueueLoad],
    actorLoads actors: ActorLoads, lasting time: UInt64, _ locations: CodeLocations,
    _ style: TextStyle
  ) -> String {
    let state = rows
    let tables = TraceTables(
      order: order, time: time, locations: locations, style: style)
    return [
      tables.calls(state.calls.all), tables.queues(state.queues.all, loads),
      tables.waits(state.waits.all), ActorTable.text(actors, style, share: tables.share),
      tables.tasks(state.tasks.all),
      LongestTable.text(state.longestWaits, "what waited longest", locations, style),
      LongestTable.text(state.longestRuns, "what ran longest", locations, style),
      tables.busiest(state.queues.all, loads)
        + ActorTable.busiest(actors, share: tables.share),
    ].filter { !$0.isEmpty }.joined(separator: "\n")
  }
}

/// The durations, own times and waits of calls.
struct CallTotals {
  private(set) var durations = TraceHistogram()
  private(set) var own: UInt64 = 0

  /// How long blocks waited for their queues, without the delays that the program asked for.
  private(set) var waits = TraceHistogram()

  /// How many blocks were sent and did not run.
  private(set) var unstarted = 0

  /// Where the calls were made.
  private(set) var place = CommonValue<CodePlace>()

  mutating func add(_ record: TraceRecord, own: UInt64) {
    place.add(record.callers.first?.place)
    if record.hasStarted {
      durations.add(record.durationNanoseconds)
      self.own.addClamped(own)
    } else {
      unstarted += 1
    }
    if let waited = record.waitedNanoseconds, record.submission?.isDelayed == false {
      waits.add(waited)
    }
  }
}

/// A task that runs some code.
private struct TaskKey: Hashable {
  let code: TraceSubject
  let process: Int32
  let number: UInt64
}

/// The time that calls took without the traced calls inside of them.
private struct OwnTimes {
  /// How long the calls of a depth took that have ended, and whose outer call has not.
  private typealias Ended = (depth: Int, duration: UInt64)

  /// What has ended of each thread, the outermost depth first; depths without calls are left out,
  /// as records may claim any.
  private var inner = RecentValues<TracedThread, [Ended]>(limit: 1 << 20, weigh: \.count)

  /// A call's own time; inner calls must come before it.
  mutating func own(_ record: TraceRecord) -> UInt64 {
    let (depth, duration) = (record.depth, record.durationNanoseconds)
    let thread = TracedThread(record)
    let inside = inner.update(thread) { ended -> UInt64 in
      var inside: UInt64 = 0
      while let last = ended?.last, last.depth > depth {
        if last.depth == depth + 1 { inside = last.duration }
        ended?.removeLast()
      }
      guard depth > 0 else {
        ended = nil
        return inside
      }
      if ended == nil { ended = [] }
      if let count = ended?.count, ended?.last?.depth == depth {
        ended?[count - 1].duration.addClamped(duration)
      } else {
        ended?.append((depth, duration))
      }
      return inside
    }
    inner.trim()
    return duration > inside ? duration - inside : 0
  }
}
