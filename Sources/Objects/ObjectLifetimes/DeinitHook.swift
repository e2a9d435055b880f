public import IsolatedClosures
internal import Synchronization

// SAFETY: `@unchecked Sendable`: `body` is accessed only by the thread that changed `phase` from
// `installed`, and, by `free()`, by the thread that ends the object's record after it has loaded
// `finished`; no access runs foreign code. Only the latter thread accesses `nextEnding`.
/// A closure that runs once, when an object is destroyed; returned by `onDeinit(of:_:_:)`.
///
/// Releasing the hook does not remove it. A hook holds no reference to its object.
public final class DeinitHook: Removable, @unchecked Sendable {
  /// When a hook runs.
  public enum Position: Hashable, Sendable {
    /// Before the object's own deinit.
    case before
    /// After the object's deinit, when its stored properties and associated values have been
    /// released and its memory has been freed. (The runtime frees the memory of an object with
    /// `unowned` references with the last of these, and that of an actor after its current job.)
    case after
  }

  /// The progress of a hook.
  public enum State: Hashable, Sendable {
    /// The object is alive, or its destruction has not reached this hook.
    case installed
    /// The closure is running.
    case running
    /// The closure has run, and is freed: at once, or, if it ran before the deinit, after the
    /// deinit.
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

  private let phase = Atomic<UInt8>(Phase.installed)

  /// The object's address; once the object has been destroyed, another object may have it.
  let address: UInt

  /// The hook's index in an `ObjectRecord`; guarded by the lock of the table's part.
  let index = Atomic(0)

  @exclusivity(unchecked) private var body: Body?

  /// See `RecordReference.next`.
  @exclusivity(unchecked) var nextEnding: RecordReference?

  private enum Phase {
    static let installed: UInt8 = 0
    static let running: UInt8 = 1
    static let finished: UInt8 = 2
    static let removed: UInt8 = 3
  }

  init(_ position: Position, _ body: consuming Body, _ address: UInt) {
    self.position = position
    unsafe self.body = body
    self.address = address
  }

  /// The progress of the hook.
  public var state: State {
    switch phase.load(ordering: .acquiring) {
    case Phase.installed: .installed
    case Phase.running: .running
    case Phase.finished: .finished
    default: .removed
    }
  }

  /// Removes the hook; may be called on any thread, also while other hooks of the object run.
  ///
  /// If this call removes the hook, the closure is freed before it returns.
  ///
  /// - Returns: Whether this call prevented the hook from running; false if the hook is running,
  ///   has run, or was removed before.
  @discardableResult
  public func remove() -> Bool {
    guard begin(Phase.removed) else { return false }
    RecordTable.remove(self)
    free()
    return true
  }

  /// Runs the closure, unless the hook was removed, and frees it.
  func run() {
    guard begin(Phase.running) else { return }
    // The closure is released after it has run, and before the hook is seen to have finished.
    if case .plain(let run) = unsafe body.take() { run() }
    phase.store(Phase.finished, ordering: .releasing)
  }

  /// Runs the closure, unless the hook was removed; a `lending` closure is called with the object.
  ///
  /// The closure is not freed here, in the middle of the object's destruction, because that might
  /// destroy other objects.
  func run(_ object: borrowing DyingObject) {
    guard begin(Phase.running) else { return }
    switch unsafe body {
    case .plain(let run): run()
    // SAFETY: by the contract of `onDeinit(lending:_:)`, the closure leaves no reference behind.
    case .lending(let run): unsafe object.withObject(run)
    case nil: break
    }
    phase.store(Phase.finished, ordering: .releasing)
  }

  /// Ends the only hook of an object, after the object's deinit.
  func end() {
    switch position {
    case .after: run()
    // A hook that another thread is removing is freed by that thread.
    case .before: if state == .finished { free() }
    }
  }

  /// Frees the closure, which has run.
  func free() {
    // The closure is released after the access: that may run any code.
    let body = unsafe body.take()
    withExtendedLifetime(body) {}
  }

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
