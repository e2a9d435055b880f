internal import BlockABI
internal import Invocations
private import Synchronization
internal import TypeEncodings

// SAFETY, for the whole file: the attachment lives as long as its block, and marks its end under
// the lock.

/// What is attached to a block that is or was hooked; it lives as long as the block.
///
/// No foreign code runs under its lock: replaced chains are let go of outside.
final class HookedBlock: BlockAttachment, HookOwner, @unchecked Sendable {
  // SAFETY: `state` is guarded by its lock; everything else is immutable.

  private struct State {
    /// Where calls go while there are hooks.
    var current: Trampoline?

    /// Trampolines of earlier signatures or originals: callers may have kept their addresses.
    var retired: [Trampoline] = []

    /// Whether the current trampoline is in the block, or below somebody else's code in it.
    var isInstalled = false
    var isDead = false

    /// Hooks that may be installed again.
    var suspended: [HookChain.Link] = []
  }

  private let header: BlockHeader
  private let life = BlockLife()
  private let state = Mutex(State())

  private init(_ header: BlockHeader) { self.header = header }

  private static let attaching = Mutex(())

  /// The hooked state of a block, attached to it at the first call.
  ///
  /// - Throws: `protectedMemory`, `outOfMemory`.
  static func attached(to block: Block) throws(HookError) -> HookedBlock {
    try attaching.withLock { _ in
      Result { () throws(HookError) in
        if let attachment = block.attachment as? HookedBlock { return attachment }
        let made = HookedBlock(block.header)
        do throws(BlockError) { try block.attach(made) } catch { throw HookError(error) }
        return made
      }
    }.get()
  }

  /// Adds a hook.
  ///
  /// - Parameters:
  ///   - link: The hook.
  ///   - replaced: Gets what calls used so far, to be let go of through `RunningCalls`, under no
  ///     lock.
  /// - Throws: `signatureConflict`, `tooManyHooks`, `protectedMemory`, `outOfMemory`,
  ///   `unsupportedSignature`, `deadBlock`.
  func install(
    _ link: HookChain.Link, _ replaced: inout [CallReceiver]
  ) throws(HookError) {
    try state.withLock { state in
      let outcome = Result { () throws(HookError) in
        // A block that is not marked dead is still in memory: its end takes this lock first.
        guard !state.isDead else {
          throw HookError(.deadBlock, "the block is dead; hook another")
        }
        let trampoline = try trampoline(&state, link.interface, &replaced)
        let chain = trampoline.chain
        try chain.requireRoom(for: link, "block")
        trampoline.replaceChain(chain.inserting(link), &replaced)
        guard !state.isInstalled, trampoline.chain.hooksCalls else { return }
        do throws(BlockError) {
          // SAFETY: the trampoline has the block's signature, and the attachment keeps it.
          unsafe try header.setInvokeAddress(trampoline.entry.code)
        } catch {
          // Who kept the code from an earlier hook may be inside.
          trampoline.replaceChain(chain, &replaced)
          throw HookError(error)
        }
        state.isInstalled = true
      }
      if !state.suspended.isEmpty, case .success = outcome {
        state.suspended.removeAll { $0.entry === link.entry }
      }
      return outcome
    }.get()
  }

  /// The trampoline for a signature: the current one if it fits and calls can still reach it.
  private func trampoline(
    _ state: inout State, _ interface: CallInterface, _ replaced: inout [CallReceiver]
  ) throws(HookError) -> Trampoline {
    let invoke = unsafe header.invokeAddress
    if let current = state.current {
      let isReachable = unsafe state.isInstalled || invoke == current.original
      let hasSignature = current.interface.isCalled(as: interface)
      if isReachable && hasSignature { return current }
      // Somebody else's code took the block's place: the hooks move on top of it.
      guard hasSignature || current.chain.links.isEmpty else {
        throw HookError(
          .signatureConflict,
          "the block is hooked as \(current.interface.signature), not as \(interface.signature); "
            + "remove those hooks first, or use the same signature")
      }
    }
    do {
      // A block's descriptor leads to one entry, for ever.
      let way: CallEntry.Way = state.current == nil ? .blockDescriptor : .ownCode
      let made = unsafe try Trampoline(interface, original: invoke, life, way)
      if way == .blockDescriptor { unsafe header.setEntry(made.entry.address) }
      if let current = state.current {
        let links = current.chain.links
        current.replaceChain(current.idle, &replaced)
        made.replaceChain(unsafe HookChain(links, original: made.original, life), &replaced)
        state.retired.append(current)
      }
      state.current = made
      state.isInstalled = false
      return made
    } catch {
      throw HookError(error)
    }
  }

  /// Takes a hook out, and with the last one the trampoline.
  ///
  /// - Parameters:
  ///   - entry: The hook.
  ///   - suspending: Whether it may be installed again.
  ///   - replaced: Gets what calls used so far, to be let go of through `RunningCalls`, under no lock.
  /// - Returns: The hook with its handler, if it may be installed again.
  func detach(
    _ entry: HookEntry, suspending: Bool, _ replaced: inout [CallReceiver]
  ) -> HookChain.Link? {
    state.withLock { state -> HookChain.Link? in
      guard !state.isDead, let current = state.current else { return nil }
      let link = suspending ? current.chain.links.first { $0.entry === entry } : nil
      let chain = current.chain.removing(entry)
      current.replaceChain(chain.links.isEmpty ? current.idle : chain, &replaced)
      // What a suspended hook still reaches must not keep a hook that goes.
      for suspended in state.suspended { suspended.typed?.target.leaveOut(entry, &replaced) }
      if let link { state.suspended.append(link) }
      let isOnTop = unsafe header.invokeAddress == current.entry.code
      if state.isInstalled, isOnTop, !current.chain.hooksCalls {
        // SAFETY: a block that is not marked dead is still in memory: its end takes this lock first.
        // Where its page cannot be opened again the trampoline stays, passing through.
        state.isInstalled = unsafe (try? header.setInvokeAddress(current.original)) == nil
      }
      return link
    }
  }

  /// Lets go of a suspended hook.
  func forget(_ entry: HookEntry) {
    state.withLock { $0.suspended.removeAll { $0.entry === entry } }
  }

  /// The hooks in place, outermost first.
  var entries: [HookEntry] {
    state.withLock { $0.current?.chain.links.map(\.entry) ?? [] }
  }

  func blockWillDie(_ block: borrowing DyingBlock) {
    let (last, suspended) = state.withLock { state in
      state.isDead = true
      defer { state.suspended = [] }
      return (state.current, state.suspended)
    }
    for link in suspended { link.entry.retire() }
    guard let last else { return }
    let chain = last.chain
    chain.announceDeath(chain.receiver(last.interface, isCurrent: false))
    for link in chain.links { link.entry.retire() }
    var replaced: [CallReceiver] = []
    last.replaceChain(last.idle, &replaced)
    // The calls that are running go on with the copy; it dies with what they run.
    if life.hasCalls, let copy = block.copied() {
      life.end(with: copy)
    }
    for receiver in replaced { RunningCalls.release(receiver) }
  }
}
