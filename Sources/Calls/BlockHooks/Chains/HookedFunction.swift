package import BlockABI
private import BlockRuntimeThreads
package import Invocations
private import Synchronization

/// A function that can be hooked, and that callers enter by its address: a method's implementation,
/// or the replacement of an imported function or of blocks' code.
///
/// Its code is generated, and runs the hooks, and inside of them other code or a closure. Blocks of
/// the replaced code that have hooks of their own follow the function: their chains also have the
/// function's hooks.
package final class HookedFunction: HookOwner, Sendable {
  private struct State {
    var isRetired = false

    /// The suspended hooks.
    var suspended: [HookLink] = []
  }

  private let state = GatedLock(State())
  private let trampoline: Trampoline

  /// The code or closure that the hooks proceed to.
  @safe
  package enum Inside {
    /// A closure; handlers run as the hooks of a block do.
    case closure(CallHandler.Body)

    /// Code of the function's signature, which stays valid while there are hooks; handlers run
    /// under the re-entrancy guard, and the code does not.
    case code(UnsafeRawPointer)
  }

  private let hooksChanged: @Sendable () -> Void
  private let noun: StaticString

  /// The hooked function's address: the guard tells its handlers' own calls by it, and its image
  /// stays loaded while there are hooks; zero for none.
  private let hookedCode: UInt

  /// A copy of the chain's `hooksCalls` for callers that hold a lock, under which the chain must
  /// not be retained: its last reference could be released there.
  private let callsAreHooked = Atomic(false)

  /// The blocks whose chains have these hooks among their own.
  private let followers = GatedLock<[ObjectIdentifier: HookedBlock]>([:])

  /// The address of the blocks' code that the function replaces, 0 if it replaces none.
  private let blockCode: UInt

  private struct Reference: Sendable {
    weak let function: HookedFunction?
  }

  /// The functions that replace blocks' code, by the address of their own code.
  private static let ofBlocks = GatedLock<[UInt: Reference]>([:])

  /// Makes a function without hooks.
  ///
  /// - Parameters:
  ///   - interface: The function's signature.
  ///   - noun: The noun for the function in error messages.
  ///   - blockCode: The address of the blocks' code that the function replaces: then argument 0 is
  ///     hidden. Nil if it does not replace blocks' code.
  ///   - hookedCode: The hooked function's address, whose image stays loaded while there are hooks;
  ///     zero for none.
  ///   - onError: Receives the closure's errors.
  ///   - errors: How the closure's errors are passed through the hooks to the caller; nil if they
  ///     are not.
  ///   - direct: Runs the closure without its code, for calls that allow it.
  ///   - types: The Swift types of the closure, if it is that of a method.
  ///   - hooksChanged: Called after hooks were installed or removed, under no lock of this object.
  ///   - inside: The code or closure that the hooks proceed to.
  /// - Throws: `outOfMemory`, `noExecutableMemory`, `invalidSignature`, `unsupportedType`.
  package init(
    _ interface: CallInterface, _ noun: StaticString, inPlaceOf blockCode: UInt? = nil,
    hookedCode: UInt = 0,
    onError: @escaping @Sendable (any Error) -> Void, errors: ErrorPassage? = nil,
    direct: DirectOriginal? = nil, types: MethodTypes? = nil,
    hooksChanged: @escaping @Sendable () -> Void,
    around inside: Inside
  ) throws(HookError) {
    let isOfBlocks = blockCode != nil
    do throws(InvocationError) {
      let (original, closure) = try Self.code(
        of: inside, interface, hiddenArgumentCount: isOfBlocks ? 1 : 0, onError, errors, direct,
        types)
      trampoline = try Trampoline(
        interface, original: original, isOfBlocks ? BlockLife() : nil, .ownCode, closure)
    } catch {
      throw HookError(passing: error)
    }
    self.hooksChanged = hooksChanged
    self.noun = noun
    self.hookedCode = hookedCode
    self.blockCode = blockCode ?? 0
    // SAFETY: the addresses are only compared and looked up.
    if let blockCode = unsafe UnsafeRawPointer(bitPattern: self.blockCode) {
      unsafe StandInCode.insert(code, for: blockCode)
      Self.ofBlocks.withLock { $0[unsafe UInt(bitPattern: code)] = Reference(function: self) }
    }
  }

  /// The code inside of the hooks; for a closure, the code of a new entry.
  ///
  /// - Returns: The code, and the closure, if it is a closure's code.
  /// - Throws: `noExecutableMemory`, `unsupportedType`.
  private static func code(
    of inside: Inside, _ interface: CallInterface, hiddenArgumentCount: Int,
    _ onError: @escaping @Sendable (any Error) -> Void, _ errors: ErrorPassage?,
    _ direct: DirectOriginal?, _ types: MethodTypes?
  ) throws(InvocationError) -> (OriginalCode, ClosureOriginal?) {
    switch inside {
    case .closure(let body):
      let entry = try CallEntry(
        interface,
        receiver: CallReceiver(
          interface, hiddenArgumentCount: hiddenArgumentCount,
          first: CallHandler(onError: onError, body)),
        .ownCode)
      return unsafe (
        OriginalCode(entry.code),
        ClosureOriginal(entry, errors: errors, direct: direct, types: types)
      )
    case .code(let code): return unsafe (OriginalCode(code, liftsGuard: true), nil)
    }
  }

  deinit {
    guard blockCode != 0 else { return }
    // SAFETY: the address is only looked up.
    unsafe StandInCode.remove(code)
    _ = Self.ofBlocks.withLock { $0.removeValue(forKey: unsafe UInt(bitPattern: code)) }
  }

  // SAFETY: the address is only looked up.
  package var image: LoadedImage? {
    unsafe UnsafeRawPointer(bitPattern: hookedCode).flatMap { unsafe LoadedImage(holding: $0) }
  }

  /// The function's address, valid while this object lives.
  package var code: UnsafeRawPointer { unsafe trampoline.code }

  /// The entry of the function's code.
  package var entry: CallEntry { trampoline.entry }

  /// Whether any hook runs in calls.
  package var hooksCalls: Bool { callsAreHooked.load(ordering: .acquiring) }

  /// Whether there are hooks, installed or suspended.
  package var isUsed: Bool {
    !trampoline.chain.links.isEmpty || state.withLock { !$0.suspended.isEmpty }
  }

  /// The installed hooks, outermost first, without those that a hook of every block has installed.
  package var hooks: [Hook] { trampoline.chain.links.listed }

  /// Installs a hook.
  ///
  /// - Returns: The token.
  /// - Throws: `noPosition`, `invalidCondition`, `tooManyHooks`.
  package func install(_ definition: HookDefinition) throws(HookError) -> Hook {
    try definition.validate()
    guard !definition.positions.contains(.death) else {
      throw HookError(
        .noPosition, "a \(noun) does not die; to observe an object's end use `onDeinit`")
    }
    return try definition.install(on: self, trampoline.interface)
  }

  /// Ends all hooks, because the object or class that they belong to is dying.
  package func retire() {
    // A removal that finds the hooks retired must find no receiver that new calls can enter.
    let (ended, replaced) = state.withLock { state in
      let ended = state.suspended + trampoline.chain.links
      var replaced: [CallReceiver] = []
      replaceChain([], &replaced)
      (state.isRetired, state.suspended) = (true, [])
      return (ended, replaced)
    }
    for link in ended { link.hook.endWithOwner() }
    for receiver in replaced { HazardPointers.retire(receiver) }
  }

  /// Replaces the hooks by those that another owner keeps.
  ///
  /// - Parameters:
  ///   - links: The hooks, outermost first.
  ///   - isCurrent: Whether the owner replaces them again when one of them is removed.
  ///   - replaced: Receives the replaced receivers, which the caller must retire under no lock.
  package func replaceLinks(
    _ links: [HookLink], isCurrent: Bool, _ replaced: inout [CallReceiver]
  ) {
    state.withLock { _ in replaceChain(links, isCurrent: isCurrent, &replaced) }
  }

  package func install(
    _ link: HookLink, _ replaced: inout [CallReceiver]
  ) throws(HookError) {
    try state.withLock { state throws(HookError) in
      guard !state.isRetired else {
        throw HookError(.deadBlock, "the object is dead; hook another")
      }
      let chain = trampoline.chain
      try chain.links.requireRoom(for: link, "\(noun)")
      replaceChain(chain.links.inserting(link), &replaced)
      state.suspended.removeAll { $0.hook === link.hook }
    }
    notifyFollowers(&replaced)
  }

  package func detach(
    _ hook: HookState, suspending: Bool, _ replaced: inout [CallReceiver]
  ) -> HookLink? {
    let link = state.withLock { state -> HookLink? in
      guard !state.isRetired else { return nil }
      let links = trampoline.chain.links
      let link = suspending ? links.first { $0.hook === hook } : nil
      replaceChain(links.removing(hook), &replaced)
      if let link { state.suspended.append(link) }
      return link
    }
    notifyFollowers(&replaced)
    return link
  }

  package func hooksDidChange() { hooksChanged() }

  /// Whether handlers run under the re-entrancy guard.
  private var handlersAreGuarded: Bool { trampoline.idle.original.liftsGuard }

  package func surround(
    _ handler: @escaping HookDefinition.Handler, of definition: HookDefinition
  ) -> HookDefinition.Handler {
    guard handlersAreGuarded else { return handler }
    let guarded = GuardedHandler(handler, of: hookedCode)
    return definition.skipsOwnCalls ? guarded.runUnlessOwn : guarded.run
  }

  private func replaceChain(
    _ links: [HookLink], isCurrent: Bool = true, _ replaced: inout [CallReceiver]
  ) {
    let idle = trampoline.idle
    trampoline.replaceChain(
      links.isEmpty ? idle : idle.replacing(links), isCurrent: isCurrent, &replaced)
    callsAreHooked.store(links.hooksCalls, ordering: .releasing)
  }

  package func forget(_ hook: HookState) {
    state.withLock { $0.suspended.removeAll { $0.hook === hook } }
  }
}

extension HookedFunction {
  /// Adds a block that runs these hooks among its own; its signature must be the function's.
  func add(_ follower: HookedBlock) {
    followers.withLock { $0[ObjectIdentifier(follower)] = follower }
  }

  /// Releases a block that dies, or that no longer follows the function.
  func remove(_ follower: HookedBlock) {
    followers.withLock { _ = $0.removeValue(forKey: ObjectIdentifier(follower)) }
  }

  /// The hooks, and the code inside of them.
  var followed: (links: [HookLink], original: OriginalCode) {
    let chain = trampoline.chain
    return (chain.links.map(\.followed), chain.original)
  }

  /// The function with a given address that replaces blocks' code, if it has a compatible
  /// signature.
  static func ofBlocks(
    at code: UnsafeRawPointer, calledAs interface: CallInterface
  ) -> HookedFunction? {
    let function = ofBlocks.withLock { $0[UInt(bitPattern: code)]?.function }
    return function.flatMap { $0.trampoline.interface.isCalled(as: interface) ? $0 : nil }
  }

  /// Whether the function replaces blocks' code at an address, with a compatible signature if one
  /// is given.
  func isInPlace(of code: UnsafeRawPointer, calledAs interface: CallInterface?) -> Bool {
    blockCode == UInt(bitPattern: code)
      && interface.map { trampoline.interface.isCalled(as: $0) } ?? true
  }

  /// Notifies the blocks that follow the function, under no lock: a block that begins to follow it
  /// meanwhile has seen the change.
  private func notifyFollowers(_ replaced: inout [CallReceiver]) {
    for follower in followers.withLock({ Array($0.values) }) {
      follower.followedDidChange(&replaced)
    }
  }
}
