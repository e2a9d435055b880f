private import BlockRuntimeThreads
private import Dispatch
internal import Invocations

/// The state of one hook, which its chain and its tokens share.
///
/// The handler is stored only in the chain, or here while the hook is suspended.
package final class HookState: Sendable {
  package let name: String?
  package let priority: Int
  package let positions: HookPositions
  package let conditions: HookConditions

  /// Whether a hook of every block has installed this hook, which `Block.hooks` then does not list.
  let isOfEveryBlock: Bool

  /// The positions in which a chain runs the handler.
  let positionsInChain: HookPositions

  /// The mark that tells calls whether the hook is installed; it is changed under the lock of
  /// `state`.
  let mark = HandlerMark()

  private indirect enum Suspended { case hook(HookLink) }

  private struct State {
    /// The owner; nil if the hook was removed for good.
    var owner: (any HookOwner)?

    /// The hook while it is suspended; in memory of its own, because few hooks are ever suspended.
    var suspended: Suspended?

    /// The owners whose calls may still enter the handler, because they are not notified yet that
    /// the hook was taken out: one for each thread that takes it out.
    var left: [any HookOwner] = []
  }

  private let state: GatedLock<State>
  private let waiters = GatedLock<[Waiter]>([])

  private struct Waiter {
    /// How many calls of the handler the waiting thread is part of.
    let ownCalls: Int
    let semaphore: DispatchSemaphore
  }

  init(_ definition: HookDefinition, owner: any HookOwner) {
    name = definition.name
    priority = definition.priority
    positions = definition.positions
    conditions = definition.conditions
    isOfEveryBlock = definition.everyBlock != nil
    positionsInChain = definition.positionsInChain
    state = GatedLock(State(owner: owner))
  }

  package var isInstalled: Bool { !mark.isRemoved }

  /// Whether the hook was removed for good.
  package var hasEnded: Bool { state.withLock { $0.owner == nil } }

  package var isSuspended: Bool { state.withLock { $0.owner != nil && !isInstalled } }

  /// Whether `.instead` is the only position of the handler in a call.
  var isOnlyInstead: Bool { positionsInChain.intersection(.calls) == .instead }

  /// Whether `.after` is the only position of the handler in a call.
  var isOnlyAfter: Bool { positionsInChain.intersection(.calls) == .after }

  /// Whether `.before` is the only position of the handler in a call.
  var isOnlyBefore: Bool { positionsInChain.intersection(.calls) == .before }

  /// Takes the hook out of its owner's chain and releases the handler.
  ///
  /// - Returns: False if the hook was removed before.
  @discardableResult
  package func remove() -> Bool { leave(keepingHandler: false) }

  /// Takes the hook out of its owner's chain and stores the handler.
  ///
  /// - Returns: False if the hook was not installed.
  package func suspend() -> Bool { leave(keepingHandler: true) }

  private func leave(keepingHandler: Bool) -> Bool {
    // Of two threads, the second does the owner's work too: when it returns, no new call has the
    // handler.
    var replaced: [CallReceiver] = []
    var last: Suspended?
    let (isFirst, left) = state.withLock { state -> (Bool, [any HookOwner]) in
      (leave(&state, keepingHandler, &last, &replaced), state.left)
    }
    for owner in left { owner.hooksDidChange() }
    if isFirst { state.withLock { _ = $0.left.popLast() } }
    // Retiring receivers makes calls visible that are just entering. There may be none to retire,
    // as when another thread removed the hook first.
    if replaced.isEmpty { mark.makeEnteringCallsVisible() }
    for receiver in replaced { HazardPointers.retire(receiver) }
    withExtendedLifetime((last, left)) {}
    return isFirst
  }

  /// Does the part of leaving the chain that is done under the lock.
  private func leave(
    _ state: inout State, _ keepingHandler: Bool, _ last: inout Suspended?,
    _ replaced: inout [CallReceiver]
  ) -> Bool {
    guard let owner = state.owner, !keepingHandler || isInstalled else { return false }
    state.left.append(owner)
    if isInstalled {
      mark.remove()
      state.suspended = owner.detach(self, suspending: keepingHandler, &replaced).map {
        .hook($0)
      }
    } else {
      last = state.suspended
      state.suspended = nil
      owner.forget(self)
    }
    if state.suspended == nil { state.owner = nil }
    return true
  }

  /// Installs the hook again after it was suspended.
  ///
  /// - Returns: False if the hook is installed, or removed for good.
  /// - Throws: As `HookedBlock.install`; then the hook stays suspended.
  package func resume() throws(HookError) -> Bool {
    var replaced: [CallReceiver] = []
    var last: Suspended?
    let outcome = state.withLock { state -> Result<Bool, HookError> in
      guard let owner = state.owner, case .hook(let link)? = state.suspended else {
        return .success(false)
      }
      // Restored before the chain is replaced: a call that enters the new chain must run the hook
      // in all of its positions.
      mark.restore()
      return Result { () throws(HookError) in
        do throws(HookError) {
          try owner.install(link.outermost, &replaced)
        } catch {
          mark.remove()
          if error.code == .deadBlock { return false }
          throw error
        }
        last = state.suspended
        state.suspended = nil
        return true
      }
    }
    for receiver in replaced { HazardPointers.retire(receiver) }
    let isInstalled = try outcome.get()
    if isInstalled, let owner = state.withLock({ $0.owner }) { owner.hooksDidChange() }
    withExtendedLifetime(last) {}
    return isInstalled
  }

  /// Prevents further calls of the handler and releases the owner, which is dying or did not accept
  /// the hook.
  package func endWithOwner() {
    let last = state.withLock { state in
      let last = (state.owner, state.suspended)
      (state.owner, state.suspended) = (nil, nil)
      mark.remove()
      return last
    }
    withExtendedLifetime(last) {}
  }

  /// Wakes the waiters whose calls have ended.
  ///
  /// A waiter outside of all calls waits for all calls. A waiter inside a call does not wait for
  /// the calls of threads that wait too, which would deadlock.
  ///
  /// - Returns: The running calls that waiters still wait for.
  private func releaseWaiters() -> HazardPointers.Found {
    waiters.withLock { waiters in
      let running = mark.runningCalls
      let waiting = waiters.reduce(0) { $0 + $1.ownCalls }
      waiters.removeAll { waiter in
        guard running.count <= (waiter.ownCalls > 0 ? waiting : 0) else { return false }
        waiter.semaphore.signal()
        return true
      }
      return waiters.isEmpty ? HazardPointers.Found() : running
    }
  }

  /// Waits until no call of the handler is running, except calls whose threads are waiting here
  /// too.
  package func waitForRunningCalls() {
    let waiter = Waiter(
      ownCalls: mark.runningCallsHere,
      semaphore: DispatchSemaphore(value: 0))
    waiters.withLock { $0.append(waiter) }
    HazardPointers.scan { self.releaseWaiters() }
    waiter.semaphore.wait()
  }
}

extension HookState: ReferenceTable {
  package var contents: Any { state.withLock { $0 } }
}
