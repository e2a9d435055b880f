public import BlockABI
public import BlockHooks
private import BlockRuntimeThreads
internal import Invocations

/// A hook of every block, and the token that removes it.
///
/// From its installation on, each block is hooked when it passes an import slot of `_Block_copy`,
/// `_Block_object_assign`, or a function of libdispatch that takes a block without copying it
/// (`dispatch_sync`, `dispatch_apply`, `dispatch_once` and similar ones). That includes nearly
/// every block that outlives the function that makes it, and does so at its creation, as Swift
/// makes all blocks on the heap. Blocks that pass no slot are not hooked: those that are only
/// called by the function that makes them, and those of programs linked statically with
/// libdispatch.
///
/// Blocks of one source (the same code, closure and signature) share one replacement of their code,
/// so hooking a block writes a single word. The replacement is never freed, because callers keep
/// copies of its address. A block that has hooks of its own runs both kinds in one order, by
/// priority and then by time of installation; its `hooks` and `removeHooks()` cover only its own.
/// Blocks made by a handler, by this library, or by `dispatch_block_create` around other blocks are
/// not hooked.
///
/// Dropping the token removes nothing. All functions may be called from any thread.
public final class EveryBlock: Removable {
  private struct State {
    var request: BlockRequest
    var isSuspended = false
    var isRemoved = false
  }

  /// The name given at installation.
  public let name: String?

  /// The priority given at installation.
  public let priority: Int

  /// The positions given at installation.
  public let positions: HookPositions

  /// The conditions given at installation.
  public let conditions: HookConditions

  private let makeRequest: @Sendable (EndingHooks) -> BlockRequest
  private let ending = EndingHooks()
  private let state: GatedLock<State>

  private init(
    _ positions: HookPositions, _ name: String?, _ priority: Int, _ conditions: HookConditions,
    _ makeRequest: @escaping @Sendable (EndingHooks) -> BlockRequest
  ) throws(InterposingError) {
    self.name = name
    self.priority = priority
    self.positions = positions
    self.conditions = conditions
    self.makeRequest = makeRequest
    let request = makeRequest(ending)
    state = GatedLock(State(request: request))
    try Self.add(request)
  }

  private static func add(_ request: BlockRequest) throws(InterposingError) {
    try ReentrancyGuard.ignoringThread { () throws(InterposingError) in
      try BlockWatch.shared.add(request)
    }
  }

  private static func end(_ request: BlockRequest, andWait: Bool) {
    _ = request.remove()
    ReentrancyGuard.ignoringThread { BlockWatch.shared.remove(request, andWait: andWait) }
  }

  /// Hooks every block from now on: a handler runs before, after or in place of its code.
  ///
  /// Order, conditions and errors are those of `HookTarget.hook(_:name:priority:when:onError:_:)`.
  /// Handlers run on every thread of the program.
  ///
  /// If the handler runs at `.death`, or creations are recorded, blocks are hooked one by one,
  /// which costs some microseconds each; blocks on the stack are not hooked then.
  ///
  /// - Parameters:
  ///   - positions: Where the handler runs.
  ///   - filter: The blocks to hook; all but libdispatch's own if not given.
  ///   - name: A name for descriptions.
  ///   - priority: Hooks of higher priority are outer; 0 if not given.
  ///   - conditions: The calls that run the handler. Counts are shared by the blocks of one source.
  ///   - recordsCreation: Whether to record where each block was made.
  ///   - onError: Receives what the handler throws. Standard error if not given.
  ///   - handler: Runs in each position.
  /// - Returns: The token.
  /// - Throws: `noPosition`, `invalidCondition`, `staticProgram`, `ambiguousSymbol`,
  ///   `signatureConflict`, `protectedMemory`, `outOfMemory`, `noExecutableMemory`.
  public static func hook(
    _ positions: HookPositions = .instead, matching filter: BlockFilter = .all,
    name: String? = nil, priority: Int = 0, when conditions: HookConditions = .always,
    recordsCreation: Bool = false,
    onError: @escaping @Sendable (any Error) -> Void = reportHandlerError,
    _ handler: @escaping HookDefinition.Handler
  ) throws(InterposingError) -> EveryBlock {
    try install(
      HookDefinition(
        positions, name: name, priority: priority, when: conditions, onError: onError, handler),
      matching: filter, recordsCreation: recordsCreation)
  }

  /// Installs a hook that is described by a value on every block from now on.
  ///
  /// - Parameters:
  ///   - definition: The hook; it may be installed any number of times.
  ///   - filter: The blocks to hook; all but libdispatch's own if not given.
  ///   - recordsCreation: Whether to record where each block was made.
  /// - Returns: The token.
  /// - Throws: As `hook(_:matching:name:priority:when:recordsCreation:onError:_:)`.
  public static func install(
    _ definition: HookDefinition, matching filter: BlockFilter = .all,
    recordsCreation: Bool = false
  ) throws(InterposingError) -> EveryBlock {
    do throws(HookError) { try definition.validate() } catch {
      throw InterposingError(error, "every block")
    }
    let makeObserver: BlockRequest.MakeObserver? =
      if let make = definition.makeObserver { { make($0.address) } } else { nil }
    return try EveryBlock(
      definition.positions, definition.name, definition.priority, definition.conditions
    ) { ending in
      BlockRequest(
        filter, isIndividual: recordsCreation || definition.positions.contains(.death),
        recordsCreation: recordsCreation, ending: ending,
        withoutSignature: makeObserver
      ) { source in
        guard let interface = source.interface else { return definition }
        return try? definition.prepared(
          at: InstallationPoint(interface, code: source.address, title: nil))
      }
    }
  }

  /// Whether handlers run: false while the hook is suspended, and once it is removed.
  public var isInstalled: Bool { state.withLock { !$0.isRemoved && !$0.isSuspended } }

  /// Whether the hook is suspended, to be installed again.
  public var isSuspended: Bool { state.withLock { !$0.isRemoved && $0.isSuspended } }

  /// Removes the hook from all blocks; a second call does nothing.
  ///
  /// When it returns, no new call of the handler starts; calls in progress continue.
  ///
  /// - Returns: True if this call removed it.
  @discardableResult
  public func remove() -> Bool { remove(andWait: false) }

  /// Removes the hook from all blocks, and waits until no call of its handler is in progress.
  ///
  /// - Returns: True if this call removed it.
  @discardableResult
  public func removeAndWait() -> Bool { remove(andWait: true) }

  private func remove(andWait: Bool) -> Bool {
    let (request, isFirst) = state.withLock { state in
      defer { state.isRemoved = true }
      // From here on no handler of the request starts.
      _ = state.request.remove()
      return (state.request, !state.isRemoved)
    }
    Self.end(request, andWait: andWait)
    // Calls that were in progress when the hook was suspended or removed before.
    if andWait { ending.wait() }
    return isFirst
  }

  /// Removes the hook from all blocks as `remove()` does, but keeps its handler for `resume()`.
  ///
  /// - Returns: True if this call suspended the hook.
  @discardableResult
  public func suspend() -> Bool {
    let request: BlockRequest? = state.withLock { state in
      guard !state.isRemoved, !state.isSuspended else { return nil }
      state.isSuspended = true
      // From here on no handler of the request starts: another thread may resume.
      _ = state.request.remove()
      return state.request
    }
    guard let request else { return false }
    Self.end(request, andWait: false)
    return true
  }

  /// Hooks every block again, outermost among the hooks of its priority.
  ///
  /// Conditions start counting anew. Blocks that are hooked one by one are hooked when they next
  /// pass one of the functions.
  ///
  /// - Returns: True if this call installed the hook; false if it is installed or removed.
  /// - Throws: As the installation; then the hook stays suspended.
  @discardableResult
  public func resume() throws(InterposingError) -> Bool {
    let request = makeRequest(ending)
    let last: BlockRequest? = state.withLock { state in
      guard !state.isRemoved, state.isSuspended else { return nil }
      defer { state.request = request }
      state.isSuspended = false
      return state.request
    }
    // Its handler's captures are released under no lock.
    guard last != nil else { return false }
    do throws(InterposingError) {
      try Self.add(request)
    } catch {
      state.withLock { if $0.request === request { $0.isSuspended = true } }
      throw error
    }
    // The hook may have been removed or suspended during the installation.
    if request.isRemoved { Self.end(request, andWait: false) }
    return true
  }

  /// Where a living block that this hooked was made; nil unless creations are recorded, and for
  /// blocks that were hooked before the hook was suspended.
  ///
  /// - Parameter block: The block.
  /// - Returns: The functions that were in progress at its creation.
  public func creation(of block: Block) -> BlockCreation? {
    state.withLock { $0.request }.blocks.creation(of: block)
  }

  /// Totals over all blocks and all hooks of every block so far.
  public static var counts: BlockCounts { BlockWatch.shared.counters.counts }
}

extension EveryBlock: CustomStringConvertible {
  /// The name, and whether the hook is installed.
  public var description: String {
    let name = name.map { " \($0)" } ?? ""
    return "<hook\(name) of every block, "
      + "\(isInstalled ? "installed" : isSuspended ? "suspended" : "removed")>"
  }
}
