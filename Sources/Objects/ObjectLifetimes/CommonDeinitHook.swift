internal import BlockRuntimeThreads
public import IsolatedClosures
internal import Synchronization

/// A closure that runs when the last of several objects has been destroyed; returned by
/// `onDeinit(ofAll:_:)`.
///
/// Releasing the hook does not remove it. It holds no reference to the objects.
public final class CommonDeinitHook: Removable {
  private let countdown: Countdown
  private let hooks: [DeinitHook]

  init(_ countdown: Countdown, _ hooks: [DeinitHook]) {
    self.countdown = countdown
    self.hooks = hooks
  }

  /// Whether the closure has neither begun to run nor been removed.
  public var isInstalled: Bool { countdown.isPending }

  /// Removes the hook; may be called on any thread.
  ///
  /// If this call removes the hook, the closure is freed before it returns.
  ///
  /// - Returns: Whether this call prevented the closure from running; false if it is running, has
  ///   run, or was removed before.
  @discardableResult
  public func remove() -> Bool {
    guard countdown.cancel() else { return false }
    for hook in hooks { hook.remove() }
    return true
  }
}

/// A closure that runs when its counter becomes zero.
final class Countdown: Sendable {
  private let number = Atomic(0)
  private let body: Locked<(@Sendable () -> Void)?>

  init(_ body: @escaping @Sendable () -> Void) { self.body = Locked(body) }

  var isPending: Bool { body.withLock { $0 != nil } }

  func add(_ difference: Int) {
    guard number.add(difference, ordering: .acquiringAndReleasing).newValue == 0 else { return }
    body.withLock { $0.take() }?()
  }

  /// Frees the closure.
  ///
  /// - Returns: False if the closure has begun to run, or was freed before.
  func cancel() -> Bool {
    let body = body.withLock { $0.take() }
    return body != nil
  }
}

extension Countdown: ReferenceTable {
  package var contents: Any { body.withLock { HeldBody(body: $0) } }

  private struct HeldBody { let body: (@Sendable () -> Void)? }
}
