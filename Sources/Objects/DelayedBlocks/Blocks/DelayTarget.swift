// SAFETY: on Linux, `DispatchWorkItemFlags` is not declared `Sendable`; it is a number.
@unsafe @preconcurrency public import Dispatch

/// Where a delayed block runs, or where an observer is called that does not run on the thread that
/// sets the property.
///
/// For an observer, `inline` is the thread that sets the property.
///
/// A pending block retains its target, with two exceptions: a block that runs for an actor
/// (`perform(after:for:…)`) on that same actor does not retain it, and a `Debouncer`, a `Throttler`
/// or an observer does not retain an actor that is its target.
public enum DelayTarget: Sendable {
  /// On libdispatch's global queue: on any thread, concurrently with other blocks.
  ///
  /// libdispatch has about as many threads as there are processors: bodies that block a thread
  /// should have a queue of their own.
  case concurrent

  /// On the thread that waits for the time, before any later block: the least delay.
  ///
  /// For short work: a long block delays all others of its timer. With a `ManualClock`, it is the
  /// thread that advances the clock.
  case inline

  /// On a queue; on a serial queue, blocks that are due at the same time run in the order in which
  /// they were scheduled.
  ///
  /// On `.main`, which the program must run, bodies may use `MainActor.assumeIsolated`.
  ///
  /// The quality of service and the flags are those of
  /// `DispatchQueue.async(group:qos:flags:execute:)`, by which the block is sent when it is due.
  /// With the flag `barrier`, a block that is sent to a concurrent queue runs alone: after all
  /// earlier blocks, and before all later ones. `assignCurrentContext` assigns the context of the
  /// timer's thread, which has none.
  case queue(DispatchQueue, qos: DispatchQoS = .unspecified, flags: DispatchWorkItemFlags = [])

  /// On an executor, as a task; blocks that are due at the same time run in any order.
  case executor(any TaskExecutor)

  /// On an actor, as a task, in which `actor.assumeIsolated` may be used.
  ///
  /// Blocks that are due at the same time run in any order; for the main actor, `.queue(.main)`
  /// preserves their order.
  case actor(any Actor)

  /// On an actor that is not retained; if it has been destroyed, the block is cancelled.
  case weakActor(WeakActor)

  /// A weak reference to an actor.
  public struct WeakActor: Sendable {
    private let reference: Reference

    private final class Reference: Sendable {
      weak let actor: (any Actor)?

      init(_ actor: any Actor) { self.actor = actor }
    }

    /// Creates a weak reference to an actor.
    public init(_ actor: any Actor) { reference = Reference(actor) }

    /// The actor; nil once it has been destroyed.
    public var actor: (any Actor)? { reference.actor }
  }

  /// Runs a closure at the target; `inline` runs it before this returns.
  ///
  /// - Returns: False if the closure will not run, because its actor has been destroyed.
  package func run(_ body: @escaping @Sendable () -> Void) -> Bool {
    switch self {
    case .concurrent: DispatchQueue.global().async(execute: body)
    case .inline: body()
    case .queue(let queue, let qos, let flags): queue.async(qos: qos, flags: flags, execute: body)
    case .executor(let executor): Task(executorPreference: executor) { body() }
    case .actor(let actor): Task { await Self.run(body, on: actor) }
    case .weakActor(let weak):
      guard let actor = weak.actor else { return false }
      Task { await Self.run(body, on: actor) }
    }
    return true
  }

  /// A copy of the target that does not retain its actor, if it has one.
  package var withoutActor: DelayTarget {
    guard case .actor(let actor) = self else { return self }
    return .weakActor(WeakActor(actor))
  }

  /// A copy of the target that does not retain `owner`, if that is its actor.
  func without(_ owner: AnyObject) -> DelayTarget {
    guard case .actor(let actor) = self, actor === owner else { return self }
    return withoutActor
  }

  private static func run(_ body: @Sendable () -> Void, on actor: isolated any Actor) { body() }
}
