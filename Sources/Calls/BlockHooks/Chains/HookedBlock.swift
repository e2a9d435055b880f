internal import BlockABI
internal import BlockRuntimeThreads
internal import Invocations
internal import TypeEncodings

/// The hooked state of a block, attached to a block that is or was hooked; it lives as long as the
/// block.
///
/// No foreign code runs under its lock: replaced receivers are retired outside of it.
final class HookedBlock: BlockAttachment, HookOwner, @unchecked Sendable {
  // SAFETY: `@unchecked Sendable`: `state` is guarded by its lock; the other properties are
  // immutable and Sendable.
  //
  // The block is in memory while `isDead` is false and the lock is held: `blockWillDie`, which the
  // block's end calls first, takes the lock. Trampolines and a followed function's code stay valid
  // while the block lives, because this object retains them.

  struct State {
    /// The trampoline that calls enter while there are hooks.
    var current: Trampoline?

    /// Trampolines of earlier signatures or originals, whose addresses callers may have copied.
    var retired: [Trampoline] = []

    /// Whether the block enters the current trampoline, directly or through foreign code that
    /// replaced it.
    var isInstalled = false
    var isDead = false

    /// The suspended hooks.
    var suspended: [HookLink] = []

    /// The function that runs the hooks of all blocks of the same code, if there is one: the chain
    /// has those hooks among the block's own.
    var followed: HookedFunction?

    /// The code that the block enters without hooks of its own.
    var innerCode: UnsafeRawPointer? { unsafe followed?.code ?? current?.original }
  }

  let header: BlockHeader
  let life = BlockLife()
  let state = GatedLock(State())

  private init(_ header: BlockHeader) { self.header = header }

  var image: LoadedImage? { header.image }

  private static let attaching = GatedLock(())

  /// The hooked state of a block, attached to it at the first call.
  ///
  /// - Throws: `protectedMemory`, `outOfMemory`.
  static func attached(to block: Block) throws(HookError) -> HookedBlock {
    try attaching.withLock { _ throws(HookError) in
      if let attachment = block.attachment as? HookedBlock { return attachment }
      let made = HookedBlock(block.header)
      do throws(BlockError) { try block.attach(made) } catch { throw HookError(passing: error) }
      return made
    }
  }

  /// Adds a hook.
  ///
  /// - Throws: `signatureConflict`, `tooManyHooks`, `protectedMemory`, `outOfMemory`,
  ///   `invalidSignature`, `unsupportedType`, `noExecutableMemory`, `deadBlock`.
  func install(_ link: HookLink, _ replaced: inout [CallReceiver]) throws(HookError) {
    try state.withLock { state throws(HookError) in
      // A block that is not marked dead is still in memory: its end takes this lock first.
      guard !state.isDead else {
        throw HookError(.deadBlock, "the block is dead; hook another")
      }
      while try !install(link, &state, &replaced) {}
      if !state.suspended.isEmpty { state.suspended.removeAll { $0.hook === link.hook } }
    }
  }

  /// Makes one attempt to add a hook to the trampoline that calls enter.
  ///
  /// - Returns: False if another thread changed the block's code meanwhile: then nothing was added.
  private func install(
    _ link: HookLink, _ state: inout State, _ replaced: inout [CallReceiver]
  ) throws(HookError) -> Bool {
    let trampoline = try trampoline(&state, link, &replaced)
    let chain = trampoline.chain
    try chain.links.requireRoom(for: link, "block")
    let own = chain.links.own.inserting(link)
    trampoline.replaceChain(self.chain(of: own, in: trampoline, state), &replaced)
    guard !state.isInstalled, own.hooksCalls, let inner = unsafe state.innerCode else {
      return true
    }
    do throws(BlockError) {
      // SAFETY: the trampoline's code has the block's signature, and is retained by this object.
      state.isInstalled = unsafe try header.setInvokeAddress(trampoline.code, replacing: inner)
    } catch {
      // The trampoline may be in use: callers may have copied its address while an earlier hook was
      // installed.
      trampoline.replaceChain(chain, &replaced)
      throw HookError(passing: error)
    }
    if !state.isInstalled { trampoline.replaceChain(chain, &replaced) }
    return state.isInstalled
  }

  /// Returns the trampoline for a hook: the current one if its signature fits and calls still reach
  /// its code, or a new one.
  private func trampoline(
    _ state: inout State, _ link: HookLink, _ replaced: inout [CallReceiver]
  ) throws(HookError) -> Trampoline {
    let interface = link.interface
    let invoke = unsafe header.invokeAddress
    if let current = state.current {
      // The function that runs the hooks of all blocks of the same code may have replaced the
      // block's code since.
      if !state.isInstalled, current.interface.isFramed,
        let function = unsafe HookedFunction.ofBlocks(at: invoke, calledAs: current.interface),
        unsafe function.isInPlace(of: current.original, calledAs: current.interface)
      {
        follow(function, &state)
      }
      let isReachable = unsafe state.isInstalled || invoke == state.innerCode
      // A hook of the block's death fits every signature.
      let hasSignature =
        link.hook.positionsInChain.isDisjoint(with: .calls)
        || current.interface.isFramed == interface.isFramed
          && current.interface.isCalled(as: interface)
      if isReachable && hasSignature { return current }
      // Foreign code has replaced the trampoline: the hooks move to a new one outside of that code.
      guard hasSignature || !current.chain.links.own.hooksCalls else {
        throw HookError(
          .signatureConflict,
          "the block is hooked \(current.interface.manner), not \(interface.manner); "
            + "remove those hooks first, or use the same signature")
      }
    }
    do {
      // SAFETY: the code that the block enters has the block's signature, which the interface
      // describes; this object retains the trampoline until the block dies.
      // A block's descriptor refers to its first entry until then.
      let way: CallEntry.Way = state.current == nil ? .blockDescriptor : .ownCode
      let made = unsafe try Trampoline(
        interface, original: OriginalCode(invoke), life, way, of: header)
      if way == .blockDescriptor { unsafe header.setEntry(made.address) }
      let last = state.current
      let own = last?.chain.links.own ?? []
      if let last {
        last.replaceChain(chain(of: [], in: last, state), &replaced)
        state.retired.append(last)
      }
      state.current = made
      state.isInstalled = false
      // Calls without a frame run the followed hooks in the code that they call, not in the chain.
      let inner =
        unsafe interface.isFramed
        ? HookedFunction.ofBlocks(at: invoke, calledAs: interface) : nil
      follow(inner, &state)
      made.replaceChain(chain(of: own, in: made, state), &replaced)
      return made
    } catch {
      throw HookError(passing: error)
    }
  }

  /// Replaces the code that the block enters, if that is still `seen`; the block must not be marked
  /// dead.
  ///
  /// - Returns: Whether the code was replaced; false also if the block's page cannot be made
  ///   writable.
  func change(from seen: UnsafeRawPointer, to code: UnsafeRawPointer) -> Bool {
    // SAFETY: the block is in memory, because its end takes the lock first; the code accepts the
    // calls that the block's own accepts, and stays valid while the block lives.
    unsafe (try? header.setInvokeAddress(code, replacing: seen)) ?? false
  }

  /// Removes a hook from the originals of suspended typed hooks, which would retain it.
  func leaveOut(
    _ hook: HookState, _ state: borrowing State, _ replaced: inout [CallReceiver]
  ) {
    for suspended in state.suspended { suspended.typed?.target.leaveOut(hook, &replaced) }
  }

  /// Takes a hook out, and restores the block's code with the last one.
  func detach(
    _ hook: HookState, suspending: Bool, _ replaced: inout [CallReceiver]
  ) -> HookLink? {
    state.withLock { state -> HookLink? in
      guard !state.isDead, let current = state.current else { return nil }
      let link = suspending ? current.chain.links.first { $0.hook === hook } : nil
      let own = current.chain.links.own.removing(hook)
      current.replaceChain(chain(of: own, in: current, state), &replaced)
      leaveOut(hook, state, &replaced)
      if let link { state.suspended.append(link) }
      if state.isInstalled, !own.hooksCalls, let inner = unsafe state.innerCode {
        // The trampoline stays, and calls its original, if foreign code has replaced it or the
        // block's page cannot be made writable.
        state.isInstalled = unsafe !change(from: current.code, to: inner)
      }
      return link
    }
  }

  func forget(_ hook: HookState) {
    state.withLock { $0.suspended.removeAll { $0.hook === hook } }
  }

  /// The installed hooks, outermost first, without those that a hook of every block has installed.
  var hooks: [Hook] { state.withLock { $0.current?.chain.links.listed ?? [] } }

  func blockWillDie(_ block: borrowing DyingBlock) {
    let (last, suspended) = state.withLock { state in
      state.isDead = true
      state.followed?.remove(self)
      defer { state.suspended = [] }
      return (state.current, state.suspended)
    }
    for link in suspended { link.hook.endWithOwner() }
    guard let last else { return }
    let chain = last.chain
    chain.announceDeath(chain.receiver(last.interface, isCurrent: false))
    for link in chain.links.own { link.hook.endWithOwner() }
    var replaced: [CallReceiver] = []
    last.replaceChain(last.idle, &replaced)
    // Calls in progress continue with a copy, which is released with the receivers that they use.
    if life.hasCalls, let copy = block.copied() {
      life.end(with: copy)
    }
    for receiver in replaced { HazardPointers.retire(receiver) }
  }
}

extension CallInterface {
  /// Describes how a block is hooked, for error messages.
  fileprivate var manner: String { isFramed ? "as \(signature)" : "without a frame" }
}

extension HookedBlock: ReferenceTable {
  package var label: String { "hooks" }
  package var contents: Any { state.withLock { ($0, $0.current?.chain.links) } }
}

extension HookChain: ReferenceTable {}
