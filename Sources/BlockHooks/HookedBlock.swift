internal import BlockABI
internal import Invocations
private import Synchronization
internal import TypeEncodings

// SAFETY, for the whole file: the attachment lives as long as its block, and marks its end under
// the lock.

/// What is attached to a block that is or was hooked; it lives as long as the block.
///
/// No foreign code runs under its lock: replaced chains are let go of outside.
final class HookedBlock: BlockAttachment, @unchecked Sendable {
  // SAFETY: `state` is guarded by its lock; everything else is immutable.

  private struct State {
    /// Where calls go while there are hooks.
    var current: Trampoline?

    /// Trampolines of earlier signatures or originals: callers may have kept their addresses.
    var retired: [Trampoline] = []

    /// Whether the current trampoline is in the block, or below somebody else's code in it.
    var isInstalled = false
    var isDead = false
  }

  private let header: BlockHeader
  private let state = Mutex(State())

  private init(_ header: BlockHeader) { self.header = header }

  private static let attaching = Mutex(())

  /// Instead-handlers are nested on the stack, about 4 KiB each in unoptimised code.
  private static let hookLimit = 1000
  private static let nestingLimit = 250

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

  /// Adds a hook, while the caller keeps the block alive.
  ///
  /// - Throws: `signatureConflict`, `tooManyHooks`, `protectedMemory`, `outOfMemory`,
  ///   `unsupportedSignature`.
  func install(_ link: HookChain.Link, _ interface: CallInterface) throws(HookError) {
    let replaced = try state.withLock { state in
      Result { () throws(HookError) in
        let trampoline = try trampoline(&state, interface)
        let links = trampoline.chain.links
        let nested = links.count { $0.entry.positions.contains(.instead) }
        let nests = link.entry.positions.contains(.instead)
        guard links.count < Self.hookLimit, !nests || nested < Self.nestingLimit else {
          throw HookError(
            .tooManyHooks,
            "the block has \(links.count) hooks, \(nested) of them instead of it (at most "
              + "\(Self.hookLimit) and \(Self.nestingLimit)); remove some before adding more")
        }
        let replaced = trampoline.replaceChain(trampoline.chain.inserting(link))
        guard !state.isInstalled, trampoline.chain.hooksCalls else { return replaced }
        do throws(BlockError) {
          // SAFETY: the trampoline has the block's signature, and the attachment keeps it.
          unsafe try header.setInvokeAddress(trampoline.code)
        } catch {
          _ = trampoline.replaceChain(replaced)
          throw HookError(error)
        }
        state.isInstalled = true
        return replaced
      }
    }.get()
    withExtendedLifetime(replaced) {}
  }

  /// The trampoline for a signature: the current one if it fits and calls can still reach it.
  private func trampoline(
    _ state: inout State, _ interface: CallInterface
  ) throws(HookError) -> Trampoline {
    let invoke = unsafe header.invokeAddress
    if let current = state.current {
      let isReachable = unsafe state.isInstalled || invoke == current.original
      let hasSignature = current.hasSignature(of: interface)
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
      let made = unsafe try Trampoline(interface, original: invoke)
      if let current = state.current {
        let moved = current.replaceChain(unsafe HookChain([], original: current.original))
        _ = made.replaceChain(unsafe HookChain(moved.links, original: made.original))
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
  func remove(_ entry: HookEntry) {
    let replaced = state.withLock { state -> HookChain? in
      guard !state.isDead, let current = state.current else { return nil }
      let replaced = current.replaceChain(current.chain.removing(entry))
      let isOnTop = unsafe header.invokeAddress == current.code
      if state.isInstalled, isOnTop, !current.chain.hooksCalls {
        // SAFETY: a block that is not marked dead is still in memory: its end takes this lock first.
        // Where its page cannot be opened again the trampoline stays, passing through.
        state.isInstalled = unsafe (try? header.setInvokeAddress(current.original)) == nil
      }
      return replaced
    }
    withExtendedLifetime(replaced) {}
  }

  /// The hooks in place, outermost first.
  var entries: [HookEntry] {
    state.withLock { $0.current?.chain.links.map(\.entry) ?? [] }
  }

  func blockWillDie() {
    let last = state.withLock { state in
      state.isDead = true
      return state.current
    }
    guard let last else { return }
    last.chain.announceDeath(last.interface)
    let empty = unsafe HookChain([], original: last.original)
    for link in last.replaceChain(empty).links {
      _ = link.entry.retire()
      link.entry.forgetOwner()
    }
  }
}
