private import Dispatch
internal import Invocations
private import Synchronization

/// One installed hook, as its chain and its token share it; the handler itself is in the chain only.
final class HookEntry: Sendable {
  let name: String?
  let priority: Int
  let positions: HookPositions

  /// What the handler's calls announce.
  let mark = HandlerMark()

  private let owner: Mutex<HookedBlock?>
  private let waiters = Mutex<[Waiter]>([])

  private struct Waiter {
    /// How many running calls the waiter itself is part of.
    let ownCalls: Int
    let semaphore: DispatchSemaphore
  }

  init(name: String?, priority: Int, positions: HookPositions, owner: HookedBlock) {
    self.name = name
    self.priority = priority
    self.positions = positions
    self.owner = Mutex(owner)
  }

  var isInstalled: Bool { !mark.isRemoved }

  /// Whether the handler runs in place of what lies below, and nowhere else in a call.
  var isOnlyInstead: Bool { positions.intersection(.calls) == .instead }

  /// Wakes those whose wait is over.
  ///
  /// Who waits outside of all calls waits for all of them. Who waits inside a call leaves out the
  /// calls whose threads wait too: they would wait for each other for ever.
  ///
  /// - Returns: Whether nobody waits any more.
  private func releaseWaiters() -> Bool {
    waiters.withLock { waiters in
      let running = mark.runningCalls
      let waiting = waiters.reduce(0) { $0 + $1.ownCalls }
      waiters.removeAll { waiter in
        guard running <= (waiter.ownCalls > 0 ? waiting : 0) else { return false }
        waiter.semaphore.signal()
        return true
      }
      return waiters.isEmpty
    }
  }

  /// Takes the hook out of its block's chain.
  ///
  /// - Returns: False if that was done before.
  func remove() -> Bool {
    // Who removes second returns when the first is done: no call begins with the handler any more.
    var isFirst = false
    var last: HookedBlock?
    let replaced = owner.withLock { owner -> CallReceiver? in
      isFirst = retire()
      last = owner
      owner = nil
      return isFirst ? last?.detach(self) : nil
    }
    // Also where another was first: calls that are just entering are seen from here on.
    if let replaced { RunningCalls.release(replaced) } else { _ = mark.runningCalls }
    withExtendedLifetime(last) {}
    return isFirst
  }

  /// Lets no further handler call start, once the chain has been let go of through `RunningCalls`.
  ///
  /// - Returns: False if that was done before.
  func retire() -> Bool { mark.remove() }

  /// Lets go of the block, which is dying.
  func forgetOwner() { owner.withLock { $0 = nil } }

  /// Waits until no handler call is running but those whose threads wait here themselves.
  func waitForRunningCalls() {
    let waiter = Waiter(
      ownCalls: mark.runningCallsHere, semaphore: DispatchSemaphore(value: 0))
    waiters.withLock { $0.append(waiter) }
    RunningCalls.notice { self.releaseWaiters() }
    waiter.semaphore.wait()
  }
}
