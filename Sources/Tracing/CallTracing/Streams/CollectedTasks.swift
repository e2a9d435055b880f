internal import Invocations

/// The Swift tasks of a stream, and the last parts of those that have not ended.
struct CollectedTasks {
  /// A task of a process.
  private struct Key: Hashable {
    let process: Int32
    let number: UInt64
  }

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
  }

  private var tasks: [Key: TracedTask] = [:]
  private var parts: [Key: Part] = [:]

  /// The order in which tasks came, for removing the oldest.
  private var keys: [Key] = []

  /// The oldest tasks are forgotten beyond this number; they have ended, as a rule.
  private static let limit = 1 << 20

  // MARK: - Parts

  /// Notes that a part begins.
  ///
  /// - Returns: The part of the task before it, if that is known.
  mutating func begin(_ part: Part, of task: UInt64) -> Part? {
    parts.updateValue(part, forKey: Key(process: part.head.process, number: task))
  }

  /// Notes that a task is sent to a queue, as one is that was suspended and goes on.
  mutating func send(_ task: UInt64, in process: Int32) {
    parts[Key(process: process, number: task)]?.isSent = true
  }

  /// Notes that a part ends, which began at a place; with it the task, if its thread has returned from
  /// it, or runs another one.
  mutating func end(
    _ task: UInt64, in process: Int32, partAt place: UInt64, at time: UInt64,
    _ suspension: TaskSuspension
  ) {
    let key = Key(process: process, number: task)
    guard let index = parts.index(forKey: key), parts.values[index].place == place else { return }
    if suspension == .left || suspension == .replaced {
      parts.remove(at: index)
    } else {
      parts.values[index].end = (time, suspension)
    }
  }

  /// The tasks that are suspended, with their last parts, in the order of these.
  ///
  /// - Parameter gaps: How many records are missing now; later ones of a task may be among them.
  /// - Returns: Those tasks.
  func suspended(gaps: UInt32) -> [(task: TracedTask, part: Part)] {
    parts.filter { $1.end != nil && !$1.isSent && $1.gaps == gaps }
      .map { key, part in (tasks[key] ?? TracedTask(number: key.number), part) }
      .sorted { $0.part.place < $1.part.place }
  }

  // MARK: - Descriptions

  /// Adds a task, or who created it.
  mutating func add(
    _ task: StreamTask, in process: Int32, createdBy creators: [TraceCaller] = []
  ) {
    let key = Key(process: process, number: task.number)
    let known = tasks[key]
    guard known == nil || !creators.isEmpty else { return }
    insert(
      TracedTask(
        number: task.number, name: known?.name, parent: task.parent == 0 ? nil : task.parent,
        priority: TracedTask.priority(task.flags), creators: creators), key)
  }

  /// Gives a task its name.
  mutating func name(_ number: UInt64, in process: Int32, _ name: String) {
    let key = Key(process: process, number: number)
    let known = tasks[key]
    insert(
      TracedTask(
        number: number, name: name, parent: known?.parent, priority: known?.priority,
        creators: known?.creators ?? []), key)
  }

  /// The task of a number; nil for none.
  mutating func task(_ number: UInt64, in process: Int32) -> TracedTask? {
    guard number != 0 else { return nil }
    let key = Key(process: process, number: number)
    if let known = tasks[key] { return known }
    let made = TracedTask(number: number)
    insert(made, key)
    return made
  }

  private mutating func insert(_ task: TracedTask, _ key: Key) {
    if tasks.updateValue(task, forKey: key) == nil { keys.append(key) }
    guard keys.count > 2 * Self.limit else { return }
    for old in keys.prefix(Self.limit) {
      tasks[old] = nil
      parts[old] = nil
    }
    keys.removeFirst(Self.limit)
  }
}

extension StreamTask {
  /// Reads the fields.
  init(_ body: inout ByteReader<DamagedRecord>) throws(DamagedRecord) {
    self.init(
      number: try body.integer(), parent: try body.integer(), flags: try body.integer())
  }
}
