internal import BlockABI
private import BlockRuntimeThreads
package import Invocations
private import Synchronization

// SAFETY, for the whole file: the entry of what lies below has the interface's signature, and lives
// as long as the trampoline that leads to it.

/// A function that can be hooked, and that callers enter by its address: a method's implementation, or
/// what takes an imported function's place, or that of the code of blocks.
///
/// Unlike a block's code it is made for its hooks: it enters them, and below them a closure. Blocks that
/// have hooks of their own beside follow it: they run these among their own.
package final class HookedFunction: HookOwner, Sendable {
  private struct State {
    var isRetired = false

    /// Hooks that may be installed again.
    var suspended: [HookChain.Link] = []
  }

  private let state = Locked(State())
  private let trampoline: Trampoline
  private let below: CallEntry
  private let hooksChanged: @Sendable () -> Void
  private let noun: StaticString

  /// The address of code that stays loaded while there are hooks, zero for none.
  private let hookedCode: UInt
  private let surround: (@Sendable (inout CallFrame, HookDefinition.Handler) throws -> Void)?

  /// As the chain says, which who asks under a lock must not keep: it may be the last to let go of it.
  private let callsAreHooked = Atomic(false)

  /// The blocks that run these hooks among their own.
  private let followers = Locked<[ObjectIdentifier: HookedBlock]>([:])

  /// The blocks' code whose place it takes, 0 for what is no block.
  private let blockCode: UInt

  private struct Reference: Sendable {
    weak let function: HookedFunction?
  }

  /// What takes the place of blocks' code, by its own.
  private static let ofBlocks = Locked<[UInt: Reference]>([:])

  /// Makes a function without hooks.
  ///
  /// - Parameters:
  ///   - interface: The function's signature.
  ///   - noun: What errors call the function.
  ///   - blockCode: The blocks' code whose place it takes: then argument 0 is hidden. Nil for what is
  ///     no block.
  ///   - hookedCode: The address of code that stays loaded while there are hooks, zero for none.
  ///   - onError: Receives what the closure throws.
  ///   - errors: How that is handed on to the hooks, and by them to the caller, if it is.
  ///   - hooksChanged: Called when hooks were installed or removed, under no lock of this object.
  ///   - surround: Runs each handler, if given.
  ///   - body: What lies below the hooks.
  /// - Throws: `outOfMemory`, `noExecutableMemory`, `invalidSignature`, `unsupportedType`.
  package init(
    _ interface: CallInterface, _ noun: StaticString, inPlaceOf blockCode: UInt? = nil,
    hookedCode: UInt = 0,
    onError: @escaping @Sendable (any Error) -> Void, errors: ErrorPassage? = nil,
    hooksChanged: @escaping @Sendable () -> Void,
    surround: (@Sendable (inout CallFrame, HookDefinition.Handler) throws -> Void)? = nil,
    below body: @escaping CallHandler.Body
  ) throws(HookError) {
    let isOfBlocks = blockCode != nil
    do throws(InvocationError) {
      let handler = CallHandler(onError: onError, body)
      below = try CallEntry(
        interface,
        receiver: CallReceiver(
          interface, hiddenArgumentCount: isOfBlocks ? 1 : 0, first: handler),
        .ownCode)
      trampoline = unsafe try Trampoline(
        interface, original: below.code, isOfBlocks ? BlockLife() : nil, .ownCode, errors)
    } catch {
      throw HookError(passing: error)
    }
    self.hooksChanged = hooksChanged
    self.noun = noun
    self.hookedCode = hookedCode
    self.surround = surround
    self.blockCode = blockCode ?? 0
    if let blockCode = unsafe UnsafeRawPointer(bitPattern: self.blockCode) {
      unsafe StandInCode.insert(code, for: blockCode)
      Self.ofBlocks.withLock { $0[unsafe UInt(bitPattern: code)] = Reference(function: self) }
    }
  }

  deinit {
    guard blockCode != 0 else { return }
    unsafe StandInCode.remove(code)
    _ = Self.ofBlocks.withLock { $0.removeValue(forKey: unsafe UInt(bitPattern: code)) }
  }

  var image: LoadedImage? {
    unsafe UnsafeRawPointer(bitPattern: hookedCode).flatMap { unsafe LoadedImage(holding: $0) }
  }

  /// The function's address, valid while this lives.
  package var code: UnsafeRawPointer { unsafe trampoline.code }

  /// Whether any hook is part of a call.
  package var hooksCalls: Bool { callsAreHooked.load(ordering: .acquiring) }

  /// Whether there are hooks, in place or suspended.
  package var isUsed: Bool {
    !trampoline.chain.links.isEmpty || state.withLock { !$0.suspended.isEmpty }
  }

  /// The hooks in place, outermost first, but for those that a hook of every block has installed.
  package var hooks: [Hook] { trampoline.chain.links.listed }

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
    replaceChain([], &replaced)
    for receiver in replaced { HazardPointers.retire(receiver) }
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
        replaceChain(chain.links.inserting(link), &replaced)
        state.suspended.removeAll { $0.entry === link.entry }
      }
    }.get()
    tellFollowers(&replaced)
  }

  func detach(
    _ entry: HookEntry, suspending: Bool, _ replaced: inout [CallReceiver]
  ) -> HookChain.Link? {
    let link = state.withLock { state -> HookChain.Link? in
      guard !state.isRetired else { return nil }
      let links = trampoline.chain.links
      let link = suspending ? links.first { $0.entry === entry } : nil
      replaceChain(links.removing(entry), &replaced)
      if let link { state.suspended.append(link) }
      return link
    }
    tellFollowers(&replaced)
    return link
  }

  func hooksDidChange() { hooksChanged() }

  func surround(_ handler: @escaping HookDefinition.Handler) -> HookDefinition.Handler {
    guard let surround else { return handler }
    return { call in try surround(&call, handler) }
  }

  private func replaceChain(_ links: [HookChain.Link], _ replaced: inout [CallReceiver]) {
    let idle = trampoline.idle
    trampoline.replaceChain(links.isEmpty ? idle : idle.replacing(links), &replaced)
    callsAreHooked.store(links.hooksCalls, ordering: .releasing)
  }

  func forget(_ entry: HookEntry) {
    state.withLock { $0.suspended.removeAll { $0.entry === entry } }
  }
}

extension HookedFunction {
  /// Has a block, which is called as the function is, run these hooks among its own.
  func add(_ follower: HookedBlock) {
    followers.withLock { $0[ObjectIdentifier(follower)] = follower }
  }

  /// Lets go of a block that dies, or whose code is another's now.
  func remove(_ follower: HookedBlock) {
    followers.withLock { _ = $0.removeValue(forKey: ObjectIdentifier(follower)) }
  }

  /// The hooks, and the code below them.
  var followed: (links: [HookChain.Link], original: UnsafeRawPointer) {
    unsafe (trampoline.chain.links.map(\.followed), below.code)
  }

  /// What stands at an address in the place of blocks' code, if it is called by a signature.
  static func ofBlocks(
    at code: UnsafeRawPointer, calledAs interface: CallInterface
  ) -> HookedFunction? {
    let function = ofBlocks.withLock { $0[UInt(bitPattern: code)]?.function }
    return function.flatMap { $0.trampoline.interface.isCalled(as: interface) ? $0 : nil }
  }

  /// Whether it takes the place of code, called by a signature if that is known.
  func isInPlace(of code: UnsafeRawPointer, calledAs interface: CallInterface?) -> Bool {
    blockCode == UInt(bitPattern: code)
      && interface.map { trampoline.interface.isCalled(as: $0) } ?? true
  }

  /// Under no lock: who begins to follow meanwhile has seen the change.
  private func tellFollowers(_ replaced: inout [CallReceiver]) {
    for follower in followers.withLock({ Array($0.values) }) {
      follower.followedDidChange(&replaced)
    }
  }
}
