private import Dispatch
internal import Invocations
private import Synchronization

/// One installed hook, as its chain and its token share it; the handler itself is in the chain only.
final class HookEntry: Sendable {
  let name: String?
  let priority: Int
  let positions: HookPositions

  /// Twice the number of running handler calls, plus one once the hook is removed.
  private let state = Atomic<Int>(0)
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

  var isInstalled: Bool { state.load(ordering: .acquiring) & 1 == 0 }

  /// Runs a handler call unless the hook is removed.
  ///
  /// - Returns: False, and nothing was run, if it is removed.
  func admit(_ call: () -> Void) -> Bool {
    guard state.add(2, ordering: .acquiringAndReleasing).oldValue & 1 == 0 else {
      leave()
      return false
    }
    RunningHandlers.run(self, call)
    leave()
    return true
  }

  private func leave() {
    let old = state.subtract(2, ordering: .acquiringAndReleasing).oldValue
    if old & 1 == 1 { waiters.withLock { releaseWaiters(&$0) } }
  }

  /// Wakes those whose wait is over.
  ///
  /// Who waits outside of all calls waits for all of them. Who waits inside a call leaves out the
  /// calls whose threads wait too: they would wait for each other for ever.
  private func releaseWaiters(_ waiters: inout [Waiter]) {
    let running = state.load(ordering: .acquiring) / 2
    let waiting = waiters.reduce(0) { $0 + $1.ownCalls }
    waiters.removeAll { waiter in
      guard running <= (waiter.ownCalls > 0 ? waiting : 0) else { return false }
      waiter.semaphore.signal()
      return true
    }
  }

  /// Takes the hook out of its block's chain.
  ///
  /// - Returns: False if that was done before.
  func remove() -> Bool {
    guard retire() else { return false }
    // The lock is left first: the block's own lock is taken inside.
    let owner = self.owner.withLock { owner in
      defer { owner = nil }
      return owner
    }
    owner?.remove(self)
    return true
  }

  /// Lets no further handler call start.
  ///
  /// - Returns: False if that was done before.
  func retire() -> Bool {
    state.bitwiseOr(1, ordering: .acquiringAndReleasing).oldValue & 1 == 0
  }

  /// Lets go of the block, which is dying.
  func forgetOwner() { owner.withLock { $0 = nil } }

  /// Waits until no handler call is running but those whose threads wait here themselves.
  func waitForRunningCalls() {
    let waiter = Waiter(
      ownCalls: RunningHandlers.count(of: self), semaphore: DispatchSemaphore(value: 0))
    waiters.withLock { waiters in
      waiters.append(waiter)
      releaseWaiters(&waiters)
    }
    waiter.semaphore.wait()
  }
}
