internal import Invocations

/// The Swift tasks of a stream.
struct CollectedTasks {
  /// A task of a process.
  private struct Key: Hashable {
    let process: Int32
    let number: UInt64
  }

  private var tasks: [Key: TracedTask] = [:]

  /// The order in which tasks came, for removing the oldest.
  private var keys: [Key] = []

  /// The oldest tasks are forgotten beyond this number; they have ended, as a rule.
  private static let limit = 1 << 20

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
    for old in keys.prefix(Self.limit) { tasks[old] = nil }
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
