internal import BlockABI
private import BlockRuntimeThreads
internal import Invocations
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

    /// What runs the hooks of all blocks of the same code, if there is such: those stand among this
    /// block's own.
    var followed: HookedFunction?

    /// What the block enters without hooks of its own.
    var codeBelow: UnsafeRawPointer? { unsafe followed?.code ?? current?.original }
  }

  private let header: BlockHeader
  private let life = BlockLife()
  private let state = Locked(State())

  private init(_ header: BlockHeader) { self.header = header }

  var image: LoadedImage? { header.image }

  private static let attaching = Locked(())

  /// The hooked state of a block, attached to it at the first call.
  ///
  /// - Throws: `protectedMemory`, `outOfMemory`.
  static func attached(to block: Block) throws(HookError) -> HookedBlock {
    try attaching.withLock { _ in
      Result { () throws(HookError) in
        if let attachment = block.attachment as? HookedBlock { return attachment }
        let made = HookedBlock(block.header)
        do throws(BlockError) { try block.attach(made) } catch { throw HookError(passing: error) }
        return made
      }
    }.get()
  }

  /// Adds a hook.
  ///
  /// - Parameters:
  ///   - link: The hook.
  ///   - replaced: Gets what calls used so far, to be let go of through `HazardPointers`, under no
  ///     lock.
  /// - Throws: `signatureConflict`, `tooManyHooks`, `protectedMemory`, `outOfMemory`,
  ///   `invalidSignature`, `unsupportedType`, `noExecutableMemory`, `deadBlock`.
  func install(
    _ link: HookChain.Link, _ replaced: inout [CallReceiver]
  ) throws(HookError) {
    try state.withLock { state in
      let outcome = Result { () throws(HookError) in
        // A block that is not marked dead is still in memory: its end takes this lock first.
        guard !state.isDead else {
          throw HookError(.deadBlock, "the block is dead; hook another")
        }
        while try !install(link, &state, &replaced) {}
      }
      if !state.suspended.isEmpty, case .success = outcome {
        state.suspended.removeAll { $0.entry === link.entry }
      }
      return outcome
    }.get()
  }

  /// Adds a hook where calls go.
  ///
  /// - Returns: False if the block's code is another since it was looked at: then nothing is added.
  private func install(
    _ link: HookChain.Link, _ state: inout State, _ replaced: inout [CallReceiver]
  ) throws(HookError) -> Bool {
    let trampoline = try trampoline(&state, link, &replaced)
    let chain = trampoline.chain
    try chain.requireRoom(for: link, "block")
    let own = chain.links.own.inserting(link)
    trampoline.replaceChain(self.chain(of: own, in: trampoline, state), &replaced)
    guard !state.isInstalled, own.hooksCalls, let below = unsafe state.codeBelow else {
      return true
    }
    do throws(BlockError) {
      // SAFETY: the trampoline has the block's signature, and the attachment keeps it.
      state.isInstalled = unsafe try header.setInvokeAddress(trampoline.code, replacing: below)
    } catch {
      // Who kept the code from an earlier hook may be inside.
      trampoline.replaceChain(chain, &replaced)
      throw HookError(passing: error)
    }
    if !state.isInstalled { trampoline.replaceChain(chain, &replaced) }
    return state.isInstalled
  }

  /// The trampoline for a hook: the current one if it fits and calls can still reach it.
  private func trampoline(
    _ state: inout State, _ link: HookChain.Link, _ replaced: inout [CallReceiver]
  ) throws(HookError) -> Trampoline {
    let interface = link.interface
    let invoke = unsafe header.invokeAddress
    if let current = state.current {
      // What runs the hooks of all blocks of the same code may have taken its place since.
      if !state.isInstalled, current.interface.isFramed,
        let function = unsafe HookedFunction.ofBlocks(at: invoke, calledAs: current.interface),
        unsafe function.isInPlace(of: current.original, calledAs: current.interface)
      {
        follow(function, &state)
      }
      let isReachable = unsafe state.isInstalled || invoke == state.codeBelow
      // A block's death has no signature.
      let hasSignature =
        link.entry.positionsInChain.isDisjoint(with: .calls)
        || current.interface.isFramed == interface.isFramed
          && current.interface.isCalled(as: interface)
      if isReachable && hasSignature { return current }
      // Somebody else's code took the block's place: the hooks move on top of it.
      guard hasSignature || !current.chain.links.own.hooksCalls else {
        throw HookError(
          .signatureConflict,
          "the block is hooked \(current.interface.manner), not \(interface.manner); "
            + "remove those hooks first, or use the same signature")
      }
    }
    do {
      // A block's descriptor leads to one entry, for ever.
      let way: CallEntry.Way = state.current == nil ? .blockDescriptor : .ownCode
      let made = unsafe try Trampoline(interface, original: invoke, life, way, of: header)
      if way == .blockDescriptor { unsafe header.setEntry(made.address) }
      let last = state.current
      let own = last?.chain.links.own ?? []
      if let last {
        last.replaceChain(chain(of: [], in: last, state), &replaced)
        state.retired.append(last)
      }
      state.current = made
      state.isInstalled = false
      // Calls without a frame have all that is below them in one piece.
      let below =
        unsafe interface.isFramed
        ? HookedFunction.ofBlocks(at: invoke, calledAs: interface) : nil
      follow(below, &state)
      made.replaceChain(chain(of: own, in: made, state), &replaced)
      return made
    } catch {
      throw HookError(passing: error)
    }
  }

  /// The chain of the block's own hooks, and of those that it follows.
  private func chain(
    of own: [HookChain.Link], in trampoline: Trampoline, _ state: borrowing State
  ) -> HookChain {
    guard let followed = state.followed else {
      return own.isEmpty ? trampoline.idle : trampoline.idle.replacing(own)
    }
    if own.isEmpty { return unsafe HookChain([], original: followed.code, life) }
    let (links, original) = unsafe followed.followed
    return unsafe HookChain(
      (own + links).sorted { $0.place > $1.place }, original: original, life)
  }

  /// Follows what runs the hooks of all blocks of the same code, or nothing.
  private func follow(_ function: HookedFunction?, _ state: inout State) {
    guard state.followed !== function else { return }
    state.followed?.remove(self)
    state.followed = function
    function?.add(self)
  }

  /// Has the block follow what takes the place of the code that it had before it was hooked.
  ///
  /// - Returns: False if that cannot be, for somebody else's code lies between.
  func follow(_ function: HookedFunction) -> Bool {
    var replaced: [CallReceiver] = []
    defer { for receiver in replaced { HazardPointers.retire(receiver) } }
    return ReentrancyGuard.ignoringThread {
      state.withLock { state -> Bool in
        guard !state.isDead else { return false }
        if state.followed === function { return true }
        let invoke = unsafe header.invokeAddress
        let original = unsafe state.current?.original ?? invoke
        if let current = state.current, !current.interface.isFramed {
          return unsafe function.isInPlace(of: original, calledAs: nil)
            ? enter(function.code, below: current, &state, &replaced)
            : original == function.code
        }
        // Another thread may have just put it there.
        let isThere = unsafe invoke == function.code
        guard
          unsafe isThere && state.current == nil
            || function.isInPlace(of: original, calledAs: state.current?.interface),
          unsafe state.isInstalled || isThere || change(from: original, to: function.code)
            || header.invokeAddress == function.code
        else { return false }
        follow(function, &state)
        if let current = state.current {
          current.replaceChain(chain(of: current.chain.links.own, in: current, state), &replaced)
        }
        return true
      }
    }
  }

  /// Has the block enter code in place of that which it had before it was hooked, below its hooks,
  /// which have no frame.
  ///
  /// - Returns: False if that cannot be: the block's hooks have a frame, or somebody else's code lies between.
  func enter(_ code: UnsafeRawPointer, inPlaceOf original: UnsafeRawPointer) -> Bool {
    var replaced: [CallReceiver] = []
    defer { for receiver in replaced { HazardPointers.retire(receiver) } }
    return ReentrancyGuard.ignoringThread {
      state.withLock { state -> Bool in
        guard !state.isDead, let current = state.current, !current.interface.isFramed else {
          return false
        }
        if unsafe current.original == code { return true }
        return unsafe current.original == original
          && enter(code, below: current, &state, &replaced)
      }
    }
  }

  /// As above; the trampoline is the current one, and the code takes the place of its original.
  private func enter(
    _ code: UnsafeRawPointer, below current: Trampoline, _ state: inout State,
    _ replaced: inout [CallReceiver]
  ) -> Bool {
    let invoke = unsafe header.invokeAddress
    if unsafe invoke == code { return true }
    let own = current.chain.links.own
    // SAFETY: the code takes whatever the original does, and stays valid while the block lives.
    if !state.isInstalled { return unsafe change(from: current.original, to: code) }
    guard unsafe invoke == current.code,
      let made = unsafe try? Trampoline(
        current.interface, original: code, life, .ownCode, of: header)
    else { return false }
    made.replaceChain(chain(of: own, in: made, state), &replaced)
    guard unsafe change(from: current.code, to: made.code) else { return false }
    current.replaceChain(chain(of: [], in: current, state), &replaced)
    state.retired.append(current)
    state.current = made
    return true
  }

  /// Has the block, which is not marked dead, enter other code, if it still enters this.
  ///
  /// - Returns: Whether it does so; not where its page cannot be opened.
  private func change(from seen: UnsafeRawPointer, to code: UnsafeRawPointer) -> Bool {
    // SAFETY: the block is still in memory, for its end takes the lock first; the code takes what the
    // block's does, and stays valid while the block lives.
    unsafe (try? header.setInvokeAddress(code, replacing: seen)) ?? false
  }

  /// Runs the hooks that the block follows as they are now.
  func followedDidChange(_ replaced: inout [CallReceiver]) {
    state.withLock { state in
      guard !state.isDead, let current = state.current else { return }
      let last = current.chain.links
      guard !last.own.isEmpty || !state.suspended.isEmpty else { return }
      current.replaceChain(chain(of: last.own, in: current, state), &replaced)
      let kept = current.chain.links
      for link in last where !kept.contains(where: { $0.entry === link.entry }) {
        leaveOut(link.entry, state, &replaced)
      }
    }
  }

  /// What a suspended hook still reaches must not keep a hook that goes.
  private func leaveOut(
    _ entry: HookEntry, _ state: borrowing State, _ replaced: inout [CallReceiver]
  ) {
    for suspended in state.suspended { suspended.typed?.target.leaveOut(entry, &replaced) }
  }

  /// Takes a hook out, and with the last one the trampoline.
  ///
  /// - Parameters:
  ///   - entry: The hook.
  ///   - suspending: Whether it may be installed again.
  ///   - replaced: Gets what calls used so far, to be let go of through `HazardPointers`, under no lock.
  /// - Returns: The hook with its handler, if it may be installed again.
  func detach(
    _ entry: HookEntry, suspending: Bool, _ replaced: inout [CallReceiver]
  ) -> HookChain.Link? {
    state.withLock { state -> HookChain.Link? in
      guard !state.isDead, let current = state.current else { return nil }
      let link = suspending ? current.chain.links.first { $0.entry === entry } : nil
      let own = current.chain.links.own.removing(entry)
      current.replaceChain(chain(of: own, in: current, state), &replaced)
      leaveOut(entry, state, &replaced)
      if let link { state.suspended.append(link) }
      if state.isInstalled, !own.hooksCalls, let below = unsafe state.codeBelow {
        // Below somebody else's code, or where its page cannot be opened again, the trampoline stays,
        // passing through.
        state.isInstalled = unsafe !change(from: current.code, to: below)
      }
      return link
    }
  }

  /// Lets go of a suspended hook.
  func forget(_ entry: HookEntry) {
    state.withLock { $0.suspended.removeAll { $0.entry === entry } }
  }

  /// The hooks in place, outermost first, but for those that a hook of every block has installed.
  var hooks: [Hook] { state.withLock { $0.current?.chain.links.listed ?? [] } }

  func blockWillDie(_ block: borrowing DyingBlock) {
    let (last, suspended) = state.withLock { state in
      state.isDead = true
      state.followed?.remove(self)
      defer { state.suspended = [] }
      return (state.current, state.suspended)
    }
    for link in suspended { link.entry.retire() }
    guard let last else { return }
    let chain = last.chain
    chain.announceDeath(chain.receiver(last.interface, isCurrent: false))
    for link in chain.links.own { link.entry.retire() }
    var replaced: [CallReceiver] = []
    last.replaceChain(last.idle, &replaced)
    // The calls that are running go on with the copy; it dies with what they run.
    if life.hasCalls, let copy = block.copied() {
      life.end(with: copy)
    }
    for receiver in replaced { HazardPointers.retire(receiver) }
  }
}

extension CallInterface {
  /// How a block is hooked, for errors.
  fileprivate var manner: String { isFramed ? "as \(signature)" : "without a frame" }
}
