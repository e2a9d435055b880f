internal import BlockHooks
private import BlockRuntimeThreads
internal import Invocations

/// One installed hook of every block of a filter.
final class HookOfEveryBlock: HookControl {
  private enum Phase { case installed, suspended, removed }

  private struct State {
    var phase = Phase.suspended

    /// The request, which retains the hook; nil unless it is installed.
    var request: BlockRequest?

    /// Nil after the removal, which releases the handler.
    var definition: HookDefinition?
  }

  let name: String?
  let priority: Int
  let positions: HookPositions
  let conditions: HookConditions
  private let target: EveryBlock
  private let ending = EndingHooks()
  private let state: GatedLock<State>

  /// Makes a hook that is suspended.
  init(_ target: EveryBlock, _ definition: HookDefinition) {
    name = definition.name
    priority = definition.priority
    positions = definition.positions
    conditions = definition.conditions
    self.target = target
    state = GatedLock(State(definition: definition))
  }

  /// The hooks on a target, outermost first.
  static func installed(on target: EveryBlock) -> [Hook] {
    BlockWatch.shared.requests.filter { $0.hook.target == target && !$0.isRemoved }.reversed()
      .sorted { $0.hook.priority > $1.hook.priority }
      .map { Hook($0.hook) }
  }

  var isInstalled: Bool { state.withLock { $0.phase == .installed } }

  var isSuspended: Bool { state.withLock { $0.phase == .suspended } }

  var hasEnded: Bool { state.withLock { $0.phase == .removed } }

  /// Hooks every block, outermost among the hooks of its priority.
  ///
  /// Blocks that are hooked one by one are hooked when they next pass one of the functions.
  ///
  /// - Returns: False if the hook is installed or removed.
  /// - Throws: As the installation; then the hook stays suspended.
  @discardableResult
  func install() throws(InterposingError) -> Bool {
    let request: BlockRequest? = state.withLock { state in
      guard state.phase == .suspended, let definition = state.definition else { return nil }
      let request = BlockRequest(self, target, definition, ending)
      state.request = request
      state.phase = .installed
      return request
    }
    guard let request else { return false }
    do throws(InterposingError) {
      try ReentrancyGuard.ignoringThread { () throws(InterposingError) in
        try BlockWatch.shared.add(request)
      }
    } catch {
      state.withLock { if $0.request === request { $0.phase = .suspended } }
      end(request)
      throw error
    }
    // The hook may have been removed or suspended during the installation.
    if request.isRemoved { end(request) }
    return true
  }

  func resume() throws(HookError) -> Bool {
    do throws(InterposingError) { return try install() } catch {
      throw HookError(passing: error)
    }
  }

  func suspend() -> Bool {
    let request: BlockRequest? = state.withLock { state in
      guard state.phase == .installed else { return nil }
      state.phase = .suspended
      // From here on no handler of the request starts: another thread may resume.
      _ = state.request?.remove()
      return state.request
    }
    guard let request else { return false }
    end(request)
    return true
  }

  func remove() -> Bool {
    let (last, isFirst) = state.withLock { state -> (State, Bool) in
      let last = state
      // From here on no handler of the request starts.
      _ = state.request?.remove()
      state.phase = .removed
      state.definition = nil
      return (last, last.phase != .removed)
    }
    // A second thread does the first one's work, too. Captures are released under no lock.
    if let request = last.request { end(request) }
    withExtendedLifetime(last) {}
    return isFirst
  }

  private func end(_ request: BlockRequest) {
    _ = request.remove()
    ReentrancyGuard.ignoringThread { BlockWatch.shared.remove(request) }
    // Another thread may have resumed the hook.
    state.withLock { if $0.request === request { $0.request = nil } }
  }

  func waitForRunningCalls() { ending.wait() }
}
