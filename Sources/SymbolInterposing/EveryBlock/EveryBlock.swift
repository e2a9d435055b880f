public import BlockABI
public import BlockHooks
private import BlockRuntimeThreads
public import CallTracing
public import Invocations

/// A hook of every block: the token that removes it.
///
/// From its installation on, each block is hooked that passes an import slot of `_Block_copy`,
/// `_Block_object_assign`, or one of the functions of libdispatch that take a block without copying it
/// (`dispatch_sync`, `dispatch_apply`, `dispatch_once` and their like). So nearly every block that outlives its
/// function is: when it is made, for Swift makes all blocks on the heap. What passes no slot is not seen: blocks that
/// are only called where they are, blocks of programs that are linked statically with libdispatch.
///
/// Blocks of one source share their code, so to hook one is to write one word; it is never freed, for
/// callers keep copies of it. A block that has hooks of its own runs these and those in one order, by priority
/// and then by the time of installation; its `hooks` and `removeHooks()` mean its own. Blocks made by a
/// handler, by this library, and by `dispatch_block_create` around others, are not hooked.
///
/// Dropping the token removes nothing. All functions may be called from any thread.
public final class EveryBlock: Sendable {
  private struct State {
    var request: BlockRequest
    var isSuspended = false
    var isRemoved = false
  }

  /// The name given at installation.
  public let name: String?

  /// The priority given at installation.
  public let priority: Int

  /// The positions given at installation; `.instead` for a trace.
  public let positions: HookPositions

  /// The conditions given at installation.
  public let conditions: HookConditions

  private let makeRequest: @Sendable () -> BlockRequest
  private let state: Locked<State>

  private init(
    _ positions: HookPositions, _ name: String?, _ priority: Int, _ conditions: HookConditions,
    _ makeRequest: @escaping @Sendable () -> BlockRequest
  ) throws(InterposingError) {
    self.name = name
    self.priority = priority
    self.positions = positions
    self.conditions = conditions
    self.makeRequest = makeRequest
    let request = makeRequest()
    state = Locked(State(request: request))
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

  /// Hooks every block from now on: a handler runs before, after or in place of it.
  ///
  /// Order, conditions and errors are those of `Block.hook(_:name:priority:when:onError:_:)`. Handlers run
  /// on every thread of the program.
  ///
  /// Where the handler asks for `.death`, or creations are recorded, blocks are hooked one by one, those
  /// on the stack not at all; that costs some microseconds a block.
  ///
  /// - Parameters:
  ///   - positions: Where the handler runs.
  ///   - filter: Which blocks are meant; all but libdispatch's own if not given.
  ///   - name: A name for descriptions.
  ///   - priority: Higher is further out; 0 if not given.
  ///   - conditions: Which calls run the handler; counts are those of the blocks of one source.
  ///   - recordsCreation: Whether it is noted where each block was made.
  ///   - onError: Receives what the handler throws. Standard error if not given.
  ///   - handler: Runs in each position.
  /// - Returns: The token.
  /// - Throws: `staticProgram`, `protectedMemory`, `outOfMemory`, `noPosition`, `invalidCondition`.
  public static func hook(
    _ positions: HookPositions = .instead, matching filter: BlockFilter = .all,
    name: String? = nil, priority: Int = 0, when conditions: HookConditions = .always,
    recordsCreation: Bool = false,
    onError: @escaping @Sendable (any Error) -> Void = reportHandlerError,
    _ handler: @escaping HookDefinition.Handler
  ) throws(InterposingError) -> EveryBlock {
    let definition = HookDefinition(
      positions, name: name, priority: priority, when: conditions, onError: onError, handler)
    do throws(HookError) { try definition.validate() } catch {
      throw InterposingError(error, "every block")
    }
    return try EveryBlock(positions, name, priority, conditions) {
      BlockRequest(
        filter, isIndividual: recordsCreation || positions.contains(.death),
        recordsCreation: recordsCreation
      ) { _ in definition }
    }
  }

  /// Hooks every block from now on: a stored handler runs instead of it.
  ///
  /// - Parameter handler: Runs instead.
  /// - Returns: The token.
  /// - Throws: As `hook(_:matching:name:priority:when:recordsCreation:onError:_:)`.
  @_disfavoredOverload
  public static func hook(
    _ handler: @escaping HookDefinition.Handler
  ) throws(InterposingError) -> EveryBlock {
    try hook(.instead, handler)
  }

  /// Records every call of every block from now on.
  ///
  /// Blocks without a usable signature are recorded without arguments and results, unless the filter asks for
  /// queues.
  ///
  /// - Parameters:
  ///   - tracer: Receives the calls; its own patterns choose among them too.
  ///   - filter: Which blocks are meant; all but libdispatch's own if not given.
  ///   - name: A name for descriptions.
  ///   - priority: Higher is further out; the highest if not given.
  /// - Returns: The token.
  /// - Throws: As `hook(_:matching:name:priority:when:recordsCreation:onError:_:)`.
  public static func trace(
    with tracer: Tracer, matching filter: BlockFilter = .all, name: String? = "trace",
    priority: Int = .max
  ) throws(InterposingError) -> EveryBlock {
    try EveryBlock(.instead, name, priority, .always) {
      BlockRequest(
        filter,
        opaque: { source in
          unsafe OpaqueCallTrace(tracer, codeAt: UnsafeRawPointer(bitPattern: source.address))
        }
      ) { source in
        guard let interface = source.interface else { return nil }
        return unsafe tracer.definition(
          forCodeAt: UnsafeRawPointer(bitPattern: source.address), interface,
          hiddenArgumentCount: 1, name: name, priority: priority)
      }
    }
  }

  /// Whether handlers run: false while the hook is suspended, and once it is removed.
  public var isInstalled: Bool { state.withLock { !$0.isRemoved && !$0.isSuspended } }

  /// Whether the hook is suspended, to be installed again.
  public var isSuspended: Bool { state.withLock { !$0.isRemoved && $0.isSuspended } }

  /// Removes the hook from all blocks; once more does nothing.
  ///
  /// When it returns no new call of the handler starts; calls that are running go on.
  ///
  /// - Returns: True if this call removed it.
  @discardableResult
  public func remove() -> Bool { remove(andWait: false) }

  /// Removes the hook from all blocks, and waits until no call of its handler is running.
  ///
  /// - Returns: True if this call removed it.
  @discardableResult
  public func removeAndWait() -> Bool { remove(andWait: true) }

  private func remove(andWait: Bool) -> Bool {
    let (request, isFirst) = state.withLock { state in
      defer { state.isRemoved = true }
      return (state.request, !state.isRemoved)
    }
    Self.end(request, andWait: andWait)
    return isFirst
  }

  /// Takes the hook out of all blocks as `remove()` does, and keeps its handler for `resume()`.
  ///
  /// - Returns: True if this call took the hook out.
  @discardableResult
  public func suspend() -> Bool {
    let request: BlockRequest? = state.withLock { state in
      guard !state.isRemoved, !state.isSuspended else { return nil }
      state.isSuspended = true
      return state.request
    }
    guard let request else { return false }
    Self.end(request, andWait: false)
    return true
  }

  /// Hooks every block again, outermost among the hooks of its priority.
  ///
  /// Conditions count anew. Blocks that are hooked one by one are hooked when they pass a function again.
  ///
  /// - Returns: True if this call installed the hook; false if it is installed or removed.
  /// - Throws: As the installation; then the hook stays suspended.
  @discardableResult
  public func resume() throws(InterposingError) -> Bool {
    let request = makeRequest()
    let isTaken = state.withLock { state in
      guard !state.isRemoved, state.isSuspended else { return false }
      state.request = request
      state.isSuspended = false
      return true
    }
    guard isTaken else { return false }
    do throws(InterposingError) {
      try Self.add(request)
    } catch {
      state.withLock { if $0.request === request { $0.isSuspended = true } }
      throw error
    }
    // It may have been removed or suspended while it was being installed.
    if request.isRemoved { Self.end(request, andWait: false) }
    return true
  }

  /// Ties the hook to a scope: it is removed when the returned token is dropped.
  public func scoped() -> ScopedEveryBlock { ScopedEveryBlock(self) }

  /// Where a block was made that this hooked, while it lives; nil unless creations are recorded.
  ///
  /// - Parameter block: The block.
  /// - Returns: The functions that were being called.
  public func creation(of block: Block) -> BlockCreation? {
    state.withLock { $0.request }.blocks.creation(of: block)
  }

  /// What became of all blocks so far, by whichever hook.
  public static var counts: BlockCounts { BlockWatch.shared.counters.counts }
}

/// A hook of every block that is removed when this token is dropped.
public struct ScopedEveryBlock: ~Copyable, Sendable {
  /// The hook.
  public let hook: EveryBlock

  init(_ hook: EveryBlock) { self.hook = hook }

  deinit { hook.remove() }
}

extension EveryBlock: CustomStringConvertible {
  /// The name, and whether the hook is installed.
  public var description: String {
    let name = name.map { " \($0)" } ?? ""
    return "<hook\(name) of every block, "
      + "\(isInstalled ? "installed" : isSuspended ? "suspended" : "removed")>"
  }
}
