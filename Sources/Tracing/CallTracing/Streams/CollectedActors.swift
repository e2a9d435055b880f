/// The actors of a stream, the tasks that run on them, and those that wait for them.
struct CollectedActors {
  /// An actor of a process by its address, or a task by its number.
  private struct Key: Hashable {
    let process: Int32
    let number: UInt64
  }

  /// What a task does with an actor.
  private enum Activity {
    case running(since: UInt64)
    /// The thread has said for which actor the task leaves it.
    case leaving
    case waiting(since: UInt64)
  }

  private struct Actor {
    let actor: TracedActor
    var load = ActorLoad()
  }

  private var types = RecentValues<UInt32, String>(limit: limit) {
    TraceStreamFormat.weight(of: $0)
  }
  private var actors = RecentValues<Key, Actor>(limit: limit) {
    TraceStreamFormat.weight(of: $0.actor.type)
  }
  private var tasks = RecentValues<Key, (actor: Key, activity: Activity)>(limit: limit)

  static let limit = 1 << 16

  /// How many actors were forgotten.
  var forgottenCount: Int { actors.forgottenCount }

  mutating func addType(_ number: UInt32, _ name: String) { types[number] = name }

  /// The actor at an address; nil for none.
  mutating func actor(at address: UInt64, ofType type: UInt32, in process: Int32) -> TracedActor? {
    guard address != 0 else { return nil }
    let name = types[type] ?? "an actor"
    let key = Key(process: process, number: address)
    if let known = actors[key], known.actor.type == name { return known.actor }
    let made = TracedActor(type: name, address: address)
    actors[key] = Actor(actor: made)
    return made
  }

  // MARK: - Tasks

  /// Notes that a task goes on on an actor, or on none.
  mutating func run(_ task: UInt64, on actor: TracedActor?, in process: Int32, at time: UInt64) {
    end(task, in: process, at: time)
    guard let actor else { return }
    tasks[Key(process: process, number: task)] = (
      Key(process: process, number: actor.address), .running(since: time)
    )
  }

  /// Notes that a task does not go on on an actor yet, because others do.
  mutating func leave(_ task: UInt64, for actor: TracedActor, in process: Int32) {
    tasks[Key(process: process, number: task)] = (
      Key(process: process, number: actor.address), .leaving
    )
  }

  /// Notes that a thread has ended to run a task, or that the task's wait has ended.
  mutating func end(_ task: UInt64, in process: Int32, at time: UInt64) {
    let key = Key(process: process, number: task)
    guard let (actor, activity) = tasks[key] else { return }
    var isWaiting = false
    actors.update(actor) { actor in
      switch activity {
      case .running(let start): actor?.load.ran(time > start ? time - start : 0)
      case .waiting(let start): actor?.load.endWait(after: time > start ? time - start : 0)
      case .leaving:
        actor?.load.beginWait()
        isWaiting = true
      }
    }
    tasks[key] = isWaiting ? (actor, .waiting(since: time)) : nil
  }

  /// How much the actors had to do, with all that runs and waits until a time.
  func loads(until now: UInt64) -> [(actor: TracedActor, load: ActorLoad)] {
    var ended = self
    for (task, _) in tasks.all { ended.end(task.number, in: task.process, at: now) }
    return ended.actors.all.map { ($0.value.actor, $0.value.load) }
  }
}
