public import Dispatch

/// Where a delayed block runs, or an observer that is called elsewhere than a property is set.
///
/// For an observer `inline` is the thread that sets the property.
///
/// A pending block keeps its target. One that runs for an object (`perform(after:for:…)`), or that a
/// `Debouncer` or `Throttler` has, does not keep an actor that is the object, or the target, itself.
public enum DelayTarget: Sendable {
  /// On libdispatch's global queue: on any thread, beside others.
  ///
  /// libdispatch has about as many threads as processors: bodies that block belong on a queue of
  /// their own.
  case concurrent

  /// On the thread that waits for the time, before any later block: the least delay, for short work.
  ///
  /// A block that takes long delays all others of its timer. With a `ManualClock` the thread that
  /// advances it.
  case inline

  /// On a queue; on a serial one blocks that are due at the same time run in the order in which they
  /// were made.
  ///
  /// On `.main`, which somebody must run, bodies may use `MainActor.assumeIsolated`.
  case queue(DispatchQueue)

  /// On an executor, as a task. There is no order among blocks that are due at the same time.
  case executor(any TaskExecutor)

  /// On an actor, as a task: `actor.assumeIsolated` works within. There is no order among blocks that
  /// are due at the same time; for the main actor `.queue(.main)` keeps it.
  case actor(any Actor)

  /// On an actor that is not kept alive; where it is gone the block is cancelled.
  case weakActor(WeakActor)

  /// An actor that may die.
  public struct WeakActor: Sendable {
    private let reference: Reference

    private final class Reference: Sendable {
      weak let actor: (any Actor)?

      init(_ actor: any Actor) { self.actor = actor }
    }

    /// Refers to an actor weakly.
    public init(_ actor: any Actor) { reference = Reference(actor) }

    /// The actor; nil once it has died.
    public var actor: (any Actor)? { reference.actor }
  }

  /// Runs a closure there; inline before it returns.
  ///
  /// - Returns: False if it will not run, because its actor is gone.
  package func run(_ body: @escaping @Sendable () -> Void) -> Bool {
    switch self {
    case .concurrent: DispatchQueue.global().async(execute: body)
    case .inline: body()
    case .queue(let queue): queue.async(execute: body)
    case .executor(let executor): Task(executorPreference: executor) { body() }
    case .actor(let actor): Task { await Self.run(body, on: actor) }
    case .weakActor(let weak):
      guard let actor = weak.actor else { return false }
      Task { await Self.run(body, on: actor) }
    }
    return true
  }

  /// The target, which does not keep an actor alive.
  var withoutActor: DelayTarget {
    guard case .actor(let actor) = self else { return self }
    return .weakActor(WeakActor(actor))
  }

  /// The target, which does not keep an object alive.
  func without(_ owner: AnyObject) -> DelayTarget {
    guard case .actor(let actor) = self, actor === owner else { return self }
    return withoutActor
  }

  private static func run(_ body: @Sendable () -> Void, on actor: isolated any Actor) { body() }
}
