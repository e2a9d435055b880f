private import CIsolatedClosures

/// An actor, a task, or a thread: where closures run that are not `Sendable`.
public struct Isolation: Sendable, CustomStringConvertible {
  private enum Place: Sendable {
    case actor(any Actor)
    /// A task, and the executor to which its code was isolated, though it does not say so.
    case task(UInt64, on: UInt)
    case thread
  }

  private let place: Place
  private let waiting: WaitingValues?

  /// The actor; without one, the task or the thread of the calling code.
  package init(_ actor: (any Actor)?) {
    if let actor {
      (place, waiting) = (.actor(actor), nil)
    } else if cbr_number_of_task() != 0 {
      place = .task(cbr_number_of_task(), on: cbr_executor_of_task().identity)
      waiting = WaitingValues()
    } else {
      (place, waiting) = (.thread, .ofThread)
      waiting?.free()
    }
  }

  /// The actor; nil if it is a task or a thread.
  public var actor: (any Actor)? {
    guard case .actor(let actor) = place else { return nil }
    return actor
  }

  /// Whether the calling code runs there.
  public var isCurrent: Bool {
    switch place {
    case .actor(let actor):
      // SAFETY: an `UnownedSerialExecutor` is two words, as `cbr_executor`; `place` retains the actor.
      unsafe cbr_executor_is_current(
        unsafeBitCast(actor.unownedExecutor, to: cbr_executor.self))
    case .task(let number, let executor):
      cbr_number_of_task() == number && cbr_executor_of_task().identity == executor
    case .thread: waiting != nil && waiting === WaitingValues.ofThread
    }
  }

  /// The actor's type, or that it is a task or a thread.
  public var description: String {
    switch place {
    case .actor(let actor): "\(type(of: actor))"
    case .task(let number, _): "task \(number)"
    case .thread: "a thread"
    }
  }

  /// Checks that the calling code runs there.
  ///
  /// - Throws: `wrongExecutor` if it does not.
  package func require() throws(IsolationError) {
    guard isCurrent else {
      let remedy =
        switch place {
        case .actor(let actor) where actor === MainActor.shared: "`await MainActor.run { … }`"
        case .actor: "a function of the actor"
        case .task, .thread: "the code that called isolated(_:)"
        }
      throw IsolationError(
        .wrongExecutor,
        "a closure of \(self) was called elsewhere, and did not run: call it from \(remedy), or pass a "
          + "@Sendable closure without isolated(_:)", subject: description)
    }
    waiting?.free()
  }

  /// Frees a value there: now, or at some time.
  func free(_ value: ReleasedValue) {
    if isCurrent {
      value.free()
    } else if let actor {
      Task { await Self.free(value, on: actor) }
    } else if let waiting {
      waiting.add(value)
    } else {
      value.free()
    }
  }

  private static func free(_ value: ReleasedValue, on actor: isolated any Actor) {
    value.free()
  }
}
