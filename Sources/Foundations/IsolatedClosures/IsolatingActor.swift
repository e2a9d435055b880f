private import CIsolatedClosures
private import Dispatch

/// A reference to an actor to which closures belong.
///
/// It does not retain the actor, which may own what has the closures.
final class IsolatingActor: Sendable {
  /// The actor; nil once it has been destroyed.
  weak let actor: (any Actor)?

  /// The actor's type.
  let name: String

  private let executor: cbr_executor

  /// Keeps the memory of an actor that has been destroyed: actors are compared by their addresses,
  /// and so no other actor may get this one's.
  private unowned let memory: any Actor

  /// Where values wait for the end of the actor's deinit; nil if that end is not known, as for the
  /// main actor.
  private let values: ActorValues?

  init(_ actor: any Actor) {
    self.actor = actor
    memory = actor
    name = "\(type(of: actor))"
    executor = actor.executorWords
    // SAFETY: the function returns a reference to an object of this class, or nil.
    values = unsafe cbr_actor_values(
      Unmanaged<AnyObject>.passUnretained(actor).toOpaque()
    )
    .map { unsafe Unmanaged<ActorValues>.fromOpaque($0).takeRetainedValue() }
  }

  /// Whether the calling code is isolated to the actor.
  var isCurrent: Bool {
    // A default actor is compared by address, so this also answers while the actor is in its deinit
    // and `actor` is nil.
    if executor.isOfDefaultActor { return executor.isCurrentInTask }
    return actor?.isCurrent ?? false
  }

  /// Frees a value on the actor.
  func free(_ value: ReleasedValue) {
    if isCurrent {
      value.free()
    } else if let actor {
      Task { await Self.free(value, on: actor) }
    } else if let values {
      values.free(value)
    } else {
      OrphanedValues.free(value)
    }
  }

  private static func free(_ value: ReleasedValue, on actor: isolated any Actor) { value.free() }
}

extension Actor {
  /// Whether the calling code is isolated to the actor; does not trap.
  ///
  /// Outside of tasks, an actor with an executor of its own is asked whether that runs the code
  /// (`isIsolatingCurrentContext()`); the main actor has the main queue.
  package nonisolated var isCurrent: Bool {
    let executor = executorWords
    if executor.isOfDefaultActor { return executor.isCurrentInTask }
    if cbr_executor_is_current(executor) { return true }
    if self === MainActor.shared { return MainQueue.isCurrent }
    // SAFETY: the words of an executor that is no default actor are an object, which the actor
    // keeps alive, and its conformance to `SerialExecutor`, whose three low bits Swift reserves for
    // marks (`WitnessTableMask` in its ABI/Executor.h). Without these, they are the words of
    // `any SerialExecutor`.
    let object = cbr_executor(
      identity: executor.identity, implementation: executor.implementation & ~7)
    return unsafe unsafeBitCast(object, to: (any SerialExecutor).self).isIsolatingCurrentContext()
      ?? false
  }

  /// The actor's executor as two words.
  fileprivate nonisolated var executorWords: cbr_executor {
    // SAFETY: an `UnownedSerialExecutor` is two words, as `cbr_executor`.
    unsafe unsafeBitCast(unownedExecutor, to: cbr_executor.self)
  }
}

extension cbr_executor {
  /// Whether this is a default actor, which has no executor of its own.
  fileprivate var isOfDefaultActor: Bool { implementation == 0 }

  /// Whether the calling code runs in a task on this executor.
  fileprivate var isCurrentInTask: Bool {
    let current = cbr_executor_of_task()
    return current.identity == identity && current.implementation == implementation
  }
}

/// The queue that runs the main actor's code: on any thread, if the program calls `dispatchMain()`
/// or its `main` is async.
private enum MainQueue {
  private static let key = {
    let key = DispatchSpecificKey<Bool>()
    DispatchQueue.main.setSpecific(key: key, value: true)
    return key
  }()

  /// Whether the queue runs the calling code.
  static var isCurrent: Bool { DispatchQueue.getSpecific(key: key) ?? false }
}
