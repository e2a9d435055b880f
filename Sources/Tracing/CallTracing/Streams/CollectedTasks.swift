internal import Invocations

/// The Swift tasks of a stream, and the last parts of those that have not ended.
struct CollectedTasks {
  private typealias Key = TracedTask.Key

  /// The last part of a task.
  struct Part {
    /// The place of its begin in the stream.
    let place: UInt64
    let code: RecordedCode
    let head: TraceStreamFormat.Head

    /// How many records were missing when it began.
    let gaps: UInt32

    /// When and why it ended; nil while a thread runs it.
    fileprivate(set) var end: (time: UInt64, suspension: TaskSuspension)?

    /// Whether the task was sent to a queue since the part began.
    fileprivate(set) var isSent = false

    /// The actor on which it runs; nil for none.
    private(set) var actor: TracedActor?

    /// The actor on which it ran before, in case the task only waits for the other one.
    private var actorBefore: TracedActor?

    /// The wait of the task that follows it; nil if none is known.
    private(set) var wait: TaskWait?

    /// Who has resumed the task since; nil if nobody has, or that is not known.
    var resumption: TaskResumption?

    init(place: UInt64, code: RecordedCode, head: TraceStreamFormat.Head, gaps: UInt32) {
      (self.place, self.code, self.head, self.gaps) = (place, code, head, gaps)
    }

    /// Notes that it continues on an actor.
    mutating func run(on actor: TracedActor?) { (self.actor, actorBefore) = (actor, self.actor) }

    /// Notes what the task waits for; if that is an actor, the part has not run on it.
    mutating func wait(_ wait: TaskWait) {
      self.wait = wait
      if wait.actor != nil { actor = actorBefore }
    }
  }

  private var tasks = RecentValues<Key, TracedTask>(limit: limit) {
    TraceStreamFormat.weight(ofTexts: $0.textBytes)
  }
  private var parts = RecentValues<Key, Part>(limit: limit, weigh: \.code.weight)

  /// How many tasks are known at once; what is forgotten has ended, as a rule.
  static let limit = 1 << 20

  /// How many tasks were forgotten whose last part had not ended.
  var forgottenCount: Int { parts.forgottenCount }

  // MARK: - Parts

  /// Notes that a part begins.
  ///
  /// - Returns: The part of the task before it, if that is known.
  mutating func begin(_ part: Part, of task: UInt64) -> Part? {
    let last = parts.update(Key(process: part.head.process, number: task)) { known in
      defer { known = part }
      return known
    }
    parts.trim()
    return last
  }

  /// Changes what is known of the last part of a task.
  mutating func update(_ task: UInt64, in process: Int32, _ body: (inout Part) -> Void) {
    parts.update(Key(process: process, number: task)) { part in
      guard var known = part else { return }
      body(&known)
      part = known
    }
  }

  /// The last part of a task.
  func part(of task: UInt64, in process: Int32) -> Part? {
    parts.known(Key(process: process, number: task))
  }

  /// Notes that a task is sent to a queue, as one is that was suspended and goes on.
  mutating func send(_ task: UInt64, in process: Int32) {
    parts.update(Key(process: process, number: task)) { $0?.isSent = true }
  }

  /// Notes that a part ends, which began at a place; with it the task, if its thread has returned
  /// from it, or runs another one.
  mutating func end(
    _ task: UInt64, in process: Int32, partAt place: UInt64, at time: UInt64,
    _ suspension: TaskSuspension
  ) {
    parts.update(Key(process: process, number: task)) { part in
      guard part?.place == place else { return }
      if suspension == .left || suspension == .replaced {
        part = nil
      } else {
        part?.end = (time, suspension)
      }
    }
  }

  /// The tasks that are suspended, with their last parts, in the order of these.
  ///
  /// - Parameter gaps: How many records are missing now; later ones of a task may be among them.
  /// - Returns: Those tasks.
  func suspended(gaps: UInt32) -> [(task: TracedTask, part: Part)] {
    parts.all.filter { $1.end != nil && !$1.isSent && $1.gaps == gaps }
      .map { key, part in (tasks.known(key) ?? TracedTask(number: key.number), part) }
      .sorted { $0.part.place < $1.part.place }
  }

  /// Forgets the last parts of tasks, which may have others that are not seen.
  mutating func forgetParts() {
    for (key, _) in parts.all { parts.update(key) { $0 = nil } }
  }

  // MARK: - Descriptions

  /// Adds a task, or who created it.
  mutating func add(
    _ task: StreamTask, in process: Int32, createdBy creators: [TraceCaller] = []
  ) {
    let key = Key(process: process, number: task.number)
    let known = tasks[key]
    guard known == nil || !creators.isEmpty else { return }
    tasks[key] = TracedTask(
      number: task.number, name: known?.name, parent: task.parent == 0 ? nil : task.parent,
      priority: TracedTask.priority(task.flags), creators: creators)
  }

  /// Gives a task its name.
  mutating func name(_ number: UInt64, in process: Int32, _ name: String) {
    let key = Key(process: process, number: number)
    let known = tasks[key]
    tasks[key] = TracedTask(
      number: number, name: name, parent: known?.parent, priority: known?.priority,
      creators: known?.creators ?? [])
  }

  /// The task of a number; nil for none.
  mutating func task(_ number: UInt64, in process: Int32) -> TracedTask? {
    guard number != 0 else { return nil }
    let key = Key(process: process, number: number)
    if let known = tasks[key] { return known }
    let made = TracedTask(number: number)
    tasks[key] = made
    return made
  }
}

extension StreamTask {
  /// Reads the fields.
  init(_ body: inout RecordBody) throws(DamagedRecord) {
    self.init(
      number: try body.integer(), parent: try body.integer(), flags: try body.integer())
  }
}
