public import Dispatch

/// Where a delayed block runs.
public enum DelayTarget: Sendable {
  /// On libdispatch's global queue: on any thread, beside others.
  case concurrent

  /// On the thread that waits for the time, before any later block: the least delay, for short work.
  ///
  /// A block that takes long delays all others of its timer. With a `ManualClock` the thread that advances it.
  case inline

  /// On a queue; on a serial one blocks that are due at the same time run in the order in which they
  /// were made.
  case queue(DispatchQueue)

  /// On an executor, as a task. There is no order among blocks that are due at the same time.
  case executor(any TaskExecutor)

  /// On an actor, as a task: `actor.assumeIsolated` works within. There is no order among blocks that
  /// are due at the same time.
  case actor(any Actor)

  /// Runs a closure there; inline before it returns.
  func run(_ body: @escaping @Sendable () -> Void) {
    switch self {
    case .concurrent: DispatchQueue.global().async(execute: body)
    case .inline: body()
    case .queue(let queue): queue.async(execute: body)
    case .executor(let executor): Task(executorPreference: executor) { body() }
    case .actor(let actor): Task { await Self.run(body, on: actor) }
    }
  }

  private static func run(_ body: @Sendable () -> Void, on actor: isolated any Actor) { body() }
}
