private import BlockRuntimeThreads
private import Dispatch
internal import Invocations
private import Synchronization

/// One hook, as its chain and its tokens share it; the handler itself is in the chain only, or here
/// while the hook is suspended.
final class HookEntry: Sendable {
  let name: String?
  let priority: Int
  let positions: HookPositions
  let conditions: HookConditions

  /// Whether a hook of every block has installed it: then it is not among those that are listed.
  let isOfEveryBlock: Bool

  /// The positions that a chain runs the handler in.
  let positionsInChain: HookPositions

  private enum Phase {
    case installed(any HookOwner)
    /// Out of the chain, to be installed again.
    case suspended(any HookOwner, HookChain.Link)
    case removed

    var owner: (any HookOwner)? {
      switch self {
      case .installed(let owner), .suspended(let owner, _): owner
      case .removed: nil
      }
    }
  }

  private struct State {
    var phase: Phase
    /// The mark that the calls of the handler protect.
    var mark: HandlerMark

    /// What calls may protect that began before the hook was suspended.
    var earlier: [HandlerMark] = []
  }

  private let state: Locked<State>

  /// Whether the mark of the moment is removed, for calls: they take no lock.
  private let isStopped = Atomic(false)
  private let waiters = Locked<[Waiter]>([])

  private struct Waiter {
    /// How many running calls the waiter itself is part of.
    let ownCalls: Int
    let semaphore: DispatchSemaphore
  }

  init(_ definition: HookDefinition, mark: HandlerMark, owner: any HookOwner) {
    name = definition.name
    priority = definition.priority
    positions = definition.positions
    conditions = definition.conditions
    isOfEveryBlock = definition.everyBlock != nil
    positionsInChain = definition.positionsInChain
    state = Locked(State(phase: .installed(owner), mark: mark))
  }

  /// Under the lock, memory is allocated: where that is hooked, those calls are ignored.
  private func withState<Result: Sendable>(_ body: (inout State) -> Result) -> Result {
    ReentrancyGuard.ignoringThread { state.withLock { body(&$0) } }
  }

  var isInstalled: Bool { !isRemoved }

  /// Whether no further call of the handler may start.
  var isRemoved: Bool { isStopped.load(ordering: .acquiring) }

  var isSuspended: Bool {
    state.withLock { if case .suspended = $0.phase { true } else { false } }
  }

  /// Whether the handler runs in place of what lies below, and nowhere else in a call.
  var isOnlyInstead: Bool { positionsInChain.intersection(.calls) == .instead }

  /// Takes the hook out of its owner's chain for good.
  ///
  /// - Returns: False if that was done before.
  @discardableResult
  func remove() -> Bool { leave(keepingHandler: false) }

  /// Takes the hook out of its owner's chain, and keeps the handler.
  ///
  /// - Returns: False if the hook was not installed.
  func suspend() -> Bool { leave(keepingHandler: true) }

  private func leave(keepingHandler: Bool) -> Bool {
    // Who leaves second returns when the first is done: no call begins with the handler any more.
    var replaced: [CallReceiver] = []
    var last: Phase?
    let isFirst = withState { state -> Bool in
      switch state.phase {
      case .installed(let owner):
        guard state.mark.remove() else { return false }
        isStopped.store(true, ordering: .releasing)
        last = state.phase
        let link = owner.detach(self, suspending: keepingHandler, &replaced)
        state.phase = link.map { .suspended(owner, $0) } ?? .removed
        return true
      case .suspended(let owner, _):
        guard !keepingHandler else { return false }
        last = state.phase
        owner.forget(self)
        state.phase = .removed
        return true
      case .removed: return false
      }
    }
    if case .installed(let owner) = last { owner.hooksDidChange() }
    // Also where another was first: calls that are just entering are seen from here on.
    if replaced.isEmpty { _ = runningCalls }
    for receiver in replaced { HazardPointers.retire(receiver) }
    withExtendedLifetime(last) {}
    return isFirst
  }

  /// Installs the hook again after it was suspended.
  ///
  /// - Returns: False if it is installed, or removed for good.
  /// - Throws: As `HookedBlock.install`; then it stays suspended.
  func resume() throws(HookError) -> Bool {
    var replaced: [CallReceiver] = []
    let outcome = withState { state -> Result<Bool, HookError> in
      guard case .suspended(let owner, let link) = state.phase else { return .success(false) }
      let mark = HandlerMark()
      state.earlier.append(state.mark)
      state.earlier.removeAll(where: \.runningCalls.isEmpty)
      state.mark = mark
      return Result { () throws(HookError) in
        do throws(HookError) {
          try owner.install(link.marked(mark), &replaced)
        } catch {
          _ = mark.remove()
          if error.code == .deadBlock { return false }
          throw error
        }
        isStopped.store(false, ordering: .releasing)
        state.phase = .installed(owner)
        return true
      }
    }
    for receiver in replaced { HazardPointers.retire(receiver) }
    let isInstalled = try outcome.get()
    if isInstalled, let owner = state.withLock({ $0.phase.owner }) { owner.hooksDidChange() }
    return isInstalled
  }

  /// Lets no further handler call start, and lets go of the owner, which is dying or was never
  /// hooked.
  func retire() {
    let last = state.withLock { state -> Phase in
      defer { state.phase = .removed }
      _ = state.mark.remove()
      isStopped.store(true, ordering: .releasing)
      return state.phase
    }
    withExtendedLifetime(last) {}
  }

  /// The calls of the handler that are running on all threads, once it is out of the chain.
  private var runningCalls: HazardPointers.Found {
    marks.reduce(into: HazardPointers.Found()) { $0 += $1.runningCalls }
  }

  /// The marks that the calls of the handler protect.
  private var marks: [HandlerMark] { withState { [$0.mark] + $0.earlier } }

  /// Wakes those whose wait is over.
  ///
  /// Who waits outside of all calls waits for all of them. Who waits inside a call leaves out the
  /// calls whose threads wait too: they would wait for each other for ever.
  ///
  /// - Returns: The running calls that somebody waits for still.
  private func releaseWaiters() -> HazardPointers.Found {
    ReentrancyGuard.ignoringThread {
      waiters.withLock { waiters in
        let running = runningCalls
        let waiting = waiters.reduce(0) { $0 + $1.ownCalls }
        waiters.removeAll { waiter in
          guard running.count <= (waiter.ownCalls > 0 ? waiting : 0) else { return false }
          waiter.semaphore.signal()
          return true
        }
        return waiters.isEmpty ? HazardPointers.Found() : running
      }
    }
  }

  /// Waits until no handler call is running but those whose threads wait here themselves.
  func waitForHazardPointers() {
    let waiter = Waiter(
      ownCalls: marks.reduce(0) { $0 + $1.runningCallsHere },
      semaphore: DispatchSemaphore(value: 0))
    ReentrancyGuard.ignoringThread { waiters.withLock { $0.append(waiter) } }
    HazardPointers.scan { self.releaseWaiters() }
    waiter.semaphore.wait()
  }
}
