internal import Synchronization

/// A closure that runs once, when an object dies: what `onDeinit(of:_:_:)` returns.
///
/// Dropping the hook does not remove it. A hook holds no reference to its object.
public final class DeinitHook: @unchecked Sendable {
  /// When a hook runs.
  public enum Position: Hashable, Sendable {
    /// Before the object's own deinit.
    case before
    /// After the object's deinit, when its stored properties, its associated values and its memory
    /// are gone. (The runtime keeps the memory of an object with `unowned` references until the
    /// last of these is gone, and that of an actor until its current job is over.)
    case after
  }

  /// How far a hook is.
  public enum State: Hashable, Sendable {
    /// The object is alive, or its end has not come to this hook.
    case installed
    /// The closure is running.
    case running
    /// The closure has run. It is freed then, or, if it ran before the deinit, after that.
    case finished
    /// The hook was removed, and never runs.
    case removed
  }

  enum Body: Sendable {
    case plain(@Sendable () -> Void)
    case lending(@Sendable (AnyObject) -> Void)
  }

  /// When the hook runs.
  public let position: Position

  /// The hook's place in its record; guarded by the record's lock.
  var index = 0

  // Whoever turns `installed` into something else may touch the body.
  private var body: Body?
  private let phase = Atomic<UInt8>(Phase.installed)
  private let record: ObjectRecord

  private enum Phase {
    static let installed: UInt8 = 0
    static let running: UInt8 = 1
    static let finished: UInt8 = 2
    static let removed: UInt8 = 3
  }

  init(_ position: Position, _ body: Body, _ record: ObjectRecord) {
    self.position = position
    self.body = body
    self.record = record
  }

  /// How far the hook is.
  public var state: State {
    switch phase.load(ordering: .acquiring) {
    case Phase.installed: .installed
    case Phase.running: .running
    case Phase.finished: .finished
    default: .removed
    }
  }

  /// Removes the hook, from any thread, also while other hooks of the object run.
  ///
  /// The closure is freed before this returns, if this call removed the hook.
  ///
  /// - Returns: Whether this call kept the hook from running; false if it runs, has run, or was
  ///   removed before.
  @discardableResult
  public func remove() -> Bool {
    guard begin(Phase.removed) else { return false }
    record.forget(self)
    body = nil
    return true
  }

  /// Runs the closure, unless the hook was removed, and frees it.
  func run() {
    guard begin(Phase.running) else { return }
    if case .plain(let body) = body { body() }
    free()
    phase.store(Phase.finished, ordering: .releasing)
  }

  /// Runs the closure, unless the hook was removed, and lends it the object if it wants it.
  ///
  /// It is not freed here, in the middle of the object's end: that might be the end of others.
  func run(_ object: borrowing DyingObject) {
    guard begin(Phase.running) else { return }
    switch body {
    case .plain(let body): body()
    // SAFETY: who installed the hook has promised to keep no reference.
    case .lending(let body): unsafe object.withObject(body)
    case nil: break
    }
    phase.store(Phase.finished, ordering: .releasing)
  }

  /// Frees the closure, which has run.
  func free() { body = nil }

  private func begin(_ new: UInt8) -> Bool {
    phase.compareExchange(
      expected: Phase.installed, desired: new, ordering: .acquiringAndReleasing
    ).exchanged
  }
}

extension DeinitHook: CustomStringConvertible {
  /// The position and the state.
  public var description: String { "<hook \(position) deinit, \(state)>" }
}
