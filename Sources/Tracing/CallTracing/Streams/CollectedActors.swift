/// The actors of a stream, the tasks that run on them, and those that wait for them.
struct CollectedActors {
  /// An actor of a process: where it is, and the number of its type, as its address may become that
  /// of another one.
  struct Place: Hashable {
    let process: Int32
    let address: UInt64
    let type: UInt32
  }

  private typealias Task = TracedTask.Key

  /// The activity of a task on an actor.
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
  private var actors = RecentValues<Place, Actor>(limit: limit) {
    TraceStreamFormat.weight(of: $0.actor.type)
  }
  private var tasks = RecentValues<Task, (actor: Place, activity: Activity)>(
    limit: CollectedTasks.limit)

  /// How many records were missing when the last one was read.
  private var gaps: UInt32 = 0

  static let limit = 1 << 16

  /// How many actors were forgotten.
  var forgottenCount: Int { actors.forgottenCount }

  mutating func addType(_ number: UInt32, _ name: String) { types[number] = name }

  /// The actor of a place; nil for none.
  mutating func actor(at place: Place) -> TracedActor? {
    guard place.address != 0 else { return nil }
    if let known = actors[place] { return known.actor }
    let made = TracedActor(type: types[place.type] ?? "an actor", address: place.address)
    actors[place] = Actor(actor: made)
    return made
  }

  // MARK: - Tasks

  /// Notes that a task continues on an actor, or on none.
  mutating func run(_ task: UInt64, on actor: Place, at time: UInt64) {
    end(task, in: actor.process, at: time)
    guard actor.address != 0 else { return }
    set(Task(process: actor.process, number: task), actor, .running(since: time))
  }

  /// Notes that a task does not continue on an actor yet, because others run there.
  mutating func leave(_ task: UInt64, for actor: Place) {
    guard actor.address != 0 else { return }
    set(Task(process: actor.process, number: task), actor, .leaving)
  }

  /// Notes that a thread has ended to run a task, or that the task's wait has ended.
  mutating func end(_ task: UInt64, in process: Int32, at time: UInt64) {
    let key = Task(process: process, number: task)
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
    if isWaiting {
      set(key, actor, .waiting(since: time))
    } else {
      tasks[key] = nil
    }
  }

  private mutating func set(_ task: Task, _ actor: Place, _ activity: Activity) {
    tasks.update(task) { $0 = (actor, activity) }
    for (actor, activity) in tasks.trim() { forget(actor, activity) }
  }

  /// Forgets what tasks do if records are missing that may have said otherwise.
  mutating func note(gaps: UInt32) {
    guard gaps != self.gaps else { return }
    self.gaps = gaps
    for (task, (actor, activity)) in tasks.all {
      forget(actor, activity)
      tasks[task] = nil
    }
  }

  private mutating func forget(_ actor: Place, _ activity: Activity) {
    guard case .waiting = activity else { return }
    actors.update(actor) { $0?.load.forgetWait() }
  }

  /// Ends what all tasks do with actors.
  mutating func endAll(at time: UInt64) {
    for (task, _) in tasks.all {
      // One that is leaving begins to wait first.
      while tasks[task] != nil { end(task.number, in: task.process, at: time) }
    }
  }

  /// How much the actors had to do, with all that runs and waits until a time.
  func loads(until now: UInt64) -> [(actor: TracedActor, load: ActorLoad)] {
    var ended = self
    for (task, _) in tasks.all { ended.end(task.number, in: task.process, at: now) }
    return ended.actors.all.map { ($0.value.actor, $0.value.load) }
  }
}
