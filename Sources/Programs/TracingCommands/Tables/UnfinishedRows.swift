import CallTracing

/// What has not finished: suspended tasks, blocks that have not begun, waits, and calls that run.
///
/// Like things are one row. Of the waits and calls of a thread, the innermost stands for all.
struct UnfinishedRows {
  /// What has not finished, and how many others like it.
  struct Row {
    /// The one that has waited, or run, longest.
    let record: TraceRecord

    /// The call in which the record's call or wait is made; nil for none.
    let outer: TraceRecord?

    fileprivate(set) var count = 1

    /// The part of a task that runs on the actor for which the record's task waits; nil for none.
    fileprivate(set) var runner: TraceRecord?

    /// The lock for which the record's call waits; nil for none.
    fileprivate(set) var lock: HeldLock?

    /// How long it has waited, or run.
    var nanoseconds: UInt64 {
      record.hasStarted ? record.durationNanoseconds : record.waitedNanoseconds ?? 0
    }
  }

  /// What rows are told apart by.
  private struct Key: Hashable {
    let name: TracedName
    let taskName: String?
    let outcome: TraceRecord.Outcome
    let suspension: TaskSuspension?
    let queue: String?
    let outer: TracedName?
    let source: String
    let obstacle: TraceSubject?
    let functions: [ObjectIdentifier]
    let actor: String?

    init(_ record: TraceRecord, in outer: TraceRecord?) {
      name = TracedName(record.subject)
      taskName = record.task?.name
      outcome = record.outcome
      suspension = record.suspension
      queue = record.target?.name
      self.outer = outer.map { TracedName($0.subject) }
      source = record.source
      obstacle = record.obstacle?.longest
      functions = record.taskWait?.recordedFunctions ?? []
      actor = (record.taskWait?.actor ?? record.actor)?.description
    }
  }

  /// The rows, those first that have waited, or run, longest.
  let all: [Row]

  /// A line for each ring of what waits for each other.
  let deadlocks: [String]

  /// Finds what has not finished.
  ///
  /// - Parameters:
  ///   - records: What is open, of all processes.
  ///   - hasExited: Whether the program has ended by itself: calls that run then do not wait for
  ///     anything, and one of them has ended it.
  init(_ records: [TraceRecord], hasExited: Bool) {
    var threads: [TracedThread: [TraceRecord]] = [:]
    var rows: [Key: Row] = [:]
    func add(
      _ record: TraceRecord, in outer: TraceRecord? = nil, waitingFor lock: HeldLock? = nil
    ) {
      let row = Row(record: record, outer: outer, lock: lock)
      let key = Key(record, in: outer)
      guard let known = rows[key] else {
        rows[key] = row
        return
      }
      rows[key] = known.nanoseconds < row.nanoseconds ? row : known
      rows[key]?.count = known.count + 1
    }
    for record in records {
      if record.outcome == .unfinished {
        threads[TracedThread(record), default: []].append(record)
      } else if record.outcome == .suspended || !record.isWaitedFor {
        add(record)
      }
    }
    let stacks = threads.values.map { $0.sorted { $0.depth < $1.depth } }
    let locks = HeldLock.awaited(by: stacks.compactMap(\.last))
    for calls in stacks {
      guard let inner = calls.last, inner.kind == .wait || !hasExited else { continue }
      add(inner, in: calls.dropLast().last, waitingFor: locks[TracedThread(inner)])
    }
    deadlocks = Deadlocks(stacks, records.filter { !$0.hasStarted }, locks).lines
    let runners = Dictionary(
      stacks.joined().compactMap { part in part.actorPlace.map { ($0, part) } },
      uniquingKeysWith: { $1 })
    for (key, row) in rows {
      rows[key]?.runner = row.record.awaitedActorPlace.flatMap { runners[$0] }
    }
    all = rows.values.sorted {
      ($0.nanoseconds, $1.record.sequence) > ($1.nanoseconds, $0.record.sequence)
    }
  }
}

/// An actor of a process.
struct ActorPlace: Hashable {
  let process: Int32
  let address: UInt64
}

extension TraceRecord {
  /// The actor on which the part of a task runs.
  var actorPlace: ActorPlace? {
    actor.map { ActorPlace(process: process, address: $0.address) }
  }

  /// The actor for which a suspended task waits.
  var awaitedActorPlace: ActorPlace? {
    taskWait?.actor.map { ActorPlace(process: process, address: $0.address) }
  }

  /// The task and the thread that runs it, in words.
  var who: String {
    "\(task?.description ?? TracedName(subject).short) on thread \(thread)"
  }

  /// The queue that a block was sent to, that runs the call, or that is waited for.
  var target: TracedQueue? { submission?.queue ?? (kind == .wait ? nil : queue) }

  /// What the record's call, block or task does.
  var state: String { kind == .wait ? "waiting" : hasStarted ? "running" : outcome.name }

  /// Who created the task, sent the block or made the call.
  var sources: [TraceCaller] { isPartOfTask ? task?.creators ?? [] : callers }

  /// Their names.
  var source: String { sources.chain }

  /// Whether another record tells of the block that has not begun: the wait of its sender, or the
  /// suspension of a task that sleeps.
  fileprivate var isWaitedFor: Bool {
    guard let submission else { return false }
    return submission.isSynchronous || submission.isTask && submission.isDelayed
  }
}
