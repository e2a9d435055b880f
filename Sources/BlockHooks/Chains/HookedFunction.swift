package import Invocations
private import Synchronization

// SAFETY, for the whole file: the entry of what lies below has the interface's signature, and lives
// as long as the trampoline that leads to it.

/// A function that can be hooked, and that callers enter by its address: a method's implementation, or
/// what takes an imported function's place, or that of the code of blocks.
///
/// Unlike a block's code it is made for its hooks: it enters them, and below them a closure.
package final class HookedFunction: HookOwner, Sendable {
  private struct State {
    var isRetired = false

    /// Hooks that may be installed again.
    var suspended: [HookChain.Link] = []
  }

  private let state = Mutex(State())
  private let trampoline: Trampoline
  private let below: CallEntry
  private let hooksChanged: @Sendable () -> Void
  private let noun: StaticString
  private let surround: (@Sendable (inout CallFrame, HookDefinition.Handler) throws -> Void)?

  /// As the chain says, which who asks under a lock must not keep: it may be the last to let go of it.
  private let callsAreHooked = Atomic(false)

  /// Makes a function without hooks.
  ///
  /// - Parameters:
  ///   - interface: The function's signature.
  ///   - noun: What errors call the function.
  ///   - isOfBlocks: Whether blocks are called by it: then argument 0 is hidden.
  ///   - onError: Receives what the closure throws.
  ///   - hooksChanged: Called when hooks were installed or removed, under no lock of this object.
  ///   - surround: Runs each handler, if given.
  ///   - body: What lies below the hooks.
  /// - Throws: `outOfMemory`, `unsupportedSignature`.
  package init(
    _ interface: CallInterface, _ noun: StaticString, isOfBlocks: Bool = false,
    onError: @escaping @Sendable (any Error) -> Void,
    hooksChanged: @escaping @Sendable () -> Void,
    surround: (@Sendable (inout CallFrame, HookDefinition.Handler) throws -> Void)? = nil,
    below body: @escaping CallHandler.Body
  ) throws(HookError) {
    do throws(InvocationError) {
      let handler = CallHandler(onError: onError, body)
      below = try CallEntry(
        interface,
        receiver: CallReceiver(
          interface, hiddenArgumentCount: isOfBlocks ? 1 : 0, first: handler),
        .ownCode)
      trampoline = unsafe try Trampoline(
        interface, original: below.code, isOfBlocks ? BlockLife() : nil, .ownCode)
    } catch {
      throw HookError(error)
    }
    self.hooksChanged = hooksChanged
    self.noun = noun
    self.surround = surround
  }

  /// The function's address, valid while this lives.
  package var code: UnsafeRawPointer { unsafe trampoline.entry.code }

  /// Whether any hook is part of a call.
  package var hooksCalls: Bool { callsAreHooked.load(ordering: .acquiring) }

  /// Whether there are hooks, in place or suspended.
  package var isUsed: Bool {
    !trampoline.chain.links.isEmpty || state.withLock { !$0.suspended.isEmpty }
  }

  /// The hooks in place, outermost first.
  package var hooks: [Hook] { trampoline.chain.links.map { Hook($0.entry) } }

  /// Installs a hook.
  ///
  /// - Returns: The token.
  /// - Throws: `noPosition`, `invalidCondition`, `tooManyHooks`.
  package func install(_ definition: HookDefinition) throws(HookError) -> Hook {
    try definition.validate()
    guard !definition.positions.contains(.death) else {
      throw HookError(
        .noPosition, "a \(noun) does not die; to learn of an object's end use `onDeinit`")
    }
    return try definition.install(on: self, trampoline.interface)
  }

  /// Ends all hooks: what they belong to is dying.
  package func retire() {
    let suspended = state.withLock { state in
      state.isRetired = true
      defer { state.suspended = [] }
      return state.suspended
    }
    for link in suspended { link.entry.retire() }
    for link in trampoline.chain.links { link.entry.retire() }
    var replaced: [CallReceiver] = []
    trampoline.replaceChain(trampoline.idle, &replaced)
    callsAreHooked.store(false, ordering: .releasing)
    for receiver in replaced { RunningCalls.release(receiver) }
  }

  func install(
    _ link: HookChain.Link, _ replaced: inout [CallReceiver]
  ) throws(HookError) {
    try state.withLock { state in
      Result { () throws(HookError) in
        guard !state.isRetired else {
          throw HookError(.deadBlock, "the object is dead; hook another")
        }
        let chain = trampoline.chain
        try chain.requireRoom(for: link, "\(noun)")
        replaceChain(chain.inserting(link), &replaced)
        state.suspended.removeAll { $0.entry === link.entry }
      }
    }.get()
  }

  func detach(
    _ entry: HookEntry, suspending: Bool, _ replaced: inout [CallReceiver]
  ) -> HookChain.Link? {
    state.withLock { state -> HookChain.Link? in
      guard !state.isRetired else { return nil }
      let current = trampoline.chain
      let link = suspending ? current.links.first { $0.entry === entry } : nil
      let chain = current.removing(entry)
      replaceChain(chain.links.isEmpty ? trampoline.idle : chain, &replaced)
      if let link { state.suspended.append(link) }
      return link
    }
  }

  func hooksDidChange() { hooksChanged() }

  func surround(_ handler: @escaping HookDefinition.Handler) -> HookDefinition.Handler {
    guard let surround else { return handler }
    return { call in try surround(&call, handler) }
  }

  private func replaceChain(_ chain: HookChain, _ replaced: inout [CallReceiver]) {
    trampoline.replaceChain(chain, &replaced)
    callsAreHooked.store(chain.hooksCalls, ordering: .releasing)
  }

  func forget(_ entry: HookEntry) {
    state.withLock { $0.suspended.removeAll { $0.entry === entry } }
  }
}
