internal import BlockRuntimeThreads
import CallTracing
import CommandConventions

/// Adds up calls, waits and parts of tasks by what was called and by queue, over all processes.
final class TraceTotals: TraceSink {
  /// The rows of the tables.
  struct State {
    fileprivate var own = OwnTimes()
    var calls: [TracedName: CallTotals] = [:]
    var waits: [WaitKey: CallTotals] = [:]
    var queues: [QueueKey: CallTotals] = [:]
    var tasks: [TracedName: TaskTotals] = [:]
  }

  /// A function in which threads wait, and the queue that they wait for.
  struct WaitKey: Hashable {
    let function: String
    let queue: String
  }

  /// A queue, which is one with another of the same label.
  struct QueueKey: Hashable {
    let label: String
    let isSerial: Bool?
  }

  private let state = Locked(State())

  func receive(_ records: [TraceRecord]) {
    state.withLock { state in
      for record in records { Self.add(record, to: &state) }
    }
  }

  private static func add(_ record: TraceRecord, to state: inout State) {
    let own = record.hasStarted ? state.own.own(record) : 0
    if record.kind == .wait {
      let key = WaitKey(
        function: record.subject.title, queue: record.submission?.queue?.label ?? "")
      return state.waits[key, default: CallTotals()].add(record, own: own)
    }
    let name = TracedName(record.subject)
    if record.isPartOfTask {
      state.tasks[name, default: TaskTotals()].add(record)
    } else {
      state.calls[name, default: CallTotals()].add(record, own: own)
    }
    if let queue = record.submission?.queue {
      let key = QueueKey(label: queue.label, isSerial: queue.isSerial)
      state.queues[key, default: CallTotals()].add(record, own: own)
    }
  }

  /// The rows up to now.
  var rows: State { state.withLock { $0 } }

  /// Tables of what was called, of queues, of waits and of tasks; those without rows are left out.
  ///
  /// - Parameters:
  ///   - order: The column by which rows are sorted, highest first.
  ///   - loads: How much the queues had to do, by their labels.
  ///   - style: The style of the text.
  /// - Returns: The tables with an empty line between them.
  func tables(
    by order: TableOrder, queueLoads loads: [String: QueueLoad], _ style: TextStyle
  ) -> String {
    let state = rows
    let tables = [
      CallTable.text(state.calls, by: order, style),
      QueueTable.text(state.queues, loads, by: order, style),
      WaitTable.text(state.waits, by: order, style),
      TaskTable.text(state.tasks, by: order, style),
    ]
    return tables.filter { !$0.isEmpty }.joined(separator: "\n")
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

  mutating func add(_ record: TraceRecord, own: UInt64) {
    if record.hasStarted {
      durations.add(record.durationNanoseconds)
      self.own &+= own
    } else {
      unstarted += 1
    }
    if let waited = record.waitedNanoseconds, record.submission?.isDelayed == false {
      waits.add(waited)
    }
  }
}

/// The time that calls took without the traced calls inside of them.
private struct OwnTimes {
  private struct Thread: Hashable {
    let process: Int32
    let number: Int32
  }

  /// The durations of the calls of each depth that have ended, and whose outer call has not.
  private var inner: [Thread: [Int: UInt64]] = [:]

  /// A call's own time; inner calls must come before it.
  mutating func own(_ record: TraceRecord) -> UInt64 {
    let thread = Thread(process: record.process, number: record.thread)
    let (depth, duration) = (record.depth, record.durationNanoseconds)
    let inside = inner[thread]?.removeValue(forKey: depth + 1) ?? 0
    // Durations are not trusted.
    inner[thread, default: [:]][depth, default: 0] &+= duration
    if depth == 0 { inner[thread] = nil }
    return duration > inside ? duration - inside : 0
  }
}
