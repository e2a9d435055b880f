internal import BlockABI
internal import BlockHooks
private import BlockRuntimeThreads
private import CSymbolInterposing.ImportSlots
internal import Invocations
private import Synchronization

/// All functions that are or were hooked at their import slots.
///
/// Under its lock the loader is called, and no foreign code.
final class Interposer: Sendable {
  static let shared = Interposer()

  fileprivate struct State {
    /// By the address of the function; several where it was hooked by several signatures.
    var functions: [UInt: [InterposedFunction]] = [:]

    /// What takes the place of `dlopen` while anything is hooked.
    var follower: SlotReplacement?
    var isFollowing = false

    /// Whether somebody waits for objects to be loaded.
    var isWatched = false
  }

  private let state = Locked(State())

  /// How often objects were loaded: code at an address may be other code since.
  private let loads = Atomic(0)
  var loadCount: Int { loads.load(ordering: .relaxed) }

  /// Whether objects were loaded that nobody has looked at.
  private let hasNewObjects = Atomic(false)

  /// Runs `body` under the lock; memory that it allocates is not hooked.
  ///
  /// What was loaded meanwhile is looked at afterwards: who loads it may hold the loader's lock, and does
  /// not wait for this one.
  private func withState<Result: Sendable, Failure: Error>(
    _ body: (inout State) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    defer { lookAtNewObjects() }
    return try ReentrancyGuard.ignoringThread { () throws(Failure) in
      try state.withLock { state throws(Failure) in
        do throws(Failure) { return try body(&state) } catch { throw error }
      }
    }
  }

  /// Notes that objects were loaded, and hooks their slots.
  ///
  /// - Parameter isIgnored: Whether a handler or the library itself loaded them: then nobody who waits for
  ///   objects is told, whom the thread may hold up.
  func objectsWereLoaded(isIgnored: Bool = false) {
    loads.add(1, ordering: .relaxed)
    hasNewObjects.store(true, ordering: .sequentiallyConsistent)
    lookAtNewObjects()
    if !isIgnored { LoadingWatch.shared.objectsWereLoaded() }
  }

  /// Follows what is loaded, though nothing is hooked, or does so no more.
  func watchLoading(_ isWatched: Bool) {
    withState { state in
      state.isWatched = isWatched
      // Without slots of `dlopen` nothing is loaded through one.
      if isWatched { try? state.follow() } else { state.stopFollowing() }
    }
  }

  private func lookAtNewObjects() {
    while hasNewObjects.load(ordering: .sequentiallyConsistent) {
      let isMine = ReentrancyGuard.ignoringThread {
        let done: Void? = state.withLockIfAvailable { state in
          guard hasNewObjects.exchange(false, ordering: .sequentiallyConsistent) else { return }
          state.applyAll()
        }
        return done != nil
      }
      // Whoever has the lock looks when done.
      if !isMine { return }
    }
  }

  /// The function with the hooks of a definition by a signature.
  ///
  /// - Parameters:
  ///   - symbol: Its name.
  ///   - definition: Its address.
  ///   - interface: Its signature.
  /// - Returns: The function, which lives for ever.
  /// - Throws: `signatureConflict`, `outOfMemory`, `noExecutableMemory`, `unsupportedType`.
  func function(
    _ symbol: String, _ definition: UInt, _ interface: CallInterface
  ) throws(InterposingError) -> InterposedFunction {
    try withState { state throws(InterposingError) in
      let known = state.functions[definition] ?? []
      if let other = known.first(where: { $0.isUsed && !$0.interface.isCalled(as: interface) }) {
        throw InterposingError(
          .signatureConflict,
          "\(symbol) is hooked as \(other.interface.signature), not as \(interface.signature); remove "
            + "those hooks first, or use the same signature", symbol: symbol)
      }
      // Another name of the same code has slots of its own; it may also be the name of what was there
      // before it was unloaded.
      if let function = known.first(where: {
        $0.replacement.symbol == symbol && $0.interface.isCalled(as: interface)
      }) {
        return function
      }
      let follower = state.makeFollower()
      let function = try InterposedFunction(
        symbol, definition,
        callee: follower?.definition == definition ? follower?.code ?? definition : definition,
        interface
      ) { [weak self] in self?.hooksDidChange(definition) }
      state.functions[definition, default: []].append(function)
      return function
    }
  }

  /// Leads calls to a function's code, so that a hook can be installed.
  ///
  /// - Throws: `protectedMemory`.
  func prepare(_ function: InterposedFunction, _ images: ImageFilter) throws(InterposingError) {
    try withState { state throws(InterposingError) in
      function.expect(images)
      do throws(BlockError) {
        try state.follow()
        try function.replacement.apply(in: function.images)
      } catch {
        function.expectNoMore(images)
        throw InterposingError(
          .protectedMemory, "\(function.replacement.symbol): \(error.message)",
          symbol: function.replacement.symbol)
      }
    }
  }

  /// The hooks in place of a function, outermost first.
  func hooks(of definition: UInt) -> [Hook] {
    let functions = withState { $0.functions[definition] ?? [] }
    return functions.flatMap(\.hooks)
  }

  /// Leads calls to the hooks of a function, or past them if there are none.
  func hooksDidChange(_ definition: UInt) {
    withState { state in
      for function in state.functions[definition] ?? [] {
        // What cannot be written stays, passing through.
        try? function.replacement.apply(in: function.images)
      }
      state.stopFollowing()
    }
  }
}

extension Interposer.State {
  /// Hooks what has been loaded since.
  fileprivate func applyAll() {
    if isFollowing {
      try? follower?.apply(in: [.all])
      try? VForkedCalls.replacement?.apply(in: [.all])
    }
    for function in functions.values.joined() {
      let images = function.images
      if !images.isEmpty { try? function.replacement.apply(in: images) }
    }
  }

  /// What takes the place of `dlopen`, to see what is loaded; nil where the platform has none.
  fileprivate mutating func makeFollower() -> SlotReplacement? {
    if let follower { return follower }
    guard let definition = ImportSlot.findDefinition(of: "dlopen", version: nil),
      // SAFETY: the address is that of `dlopen`.
      let function = unsafe UnsafeRawPointer(bitPattern: definition),
      let code = unsafe cbr_follow_loading(
        function, { Interposer.shared.objectsWereLoaded(isIgnored: $0) })
    else { return nil }
    let address = UInt(bitPattern: code)
    InterposedAddresses.insert(address, for: definition)
    follower = SlotReplacement(
      symbol: "dlopen", definition: definition, resting: definition, code: address)
    return follower
  }

  fileprivate mutating func follow() throws(BlockError) {
    guard !isFollowing, let follower = makeFollower() else { return }
    try follower.apply(in: [.all])
    // A slot that cannot be written calls `vfork` as ever.
    try? VForkedCalls.replacement?.apply(in: [.all])
    isFollowing = true
    // Loads that began before are not followed. Once they are over, what they brought is there.
    cbr_await_loading()
    try? follower.apply(in: [.all])
  }

  fileprivate mutating func stopFollowing() {
    guard isFollowing, !isWatched, functions.values.joined().allSatisfy({ $0.images.isEmpty })
    else { return }
    isFollowing = (try? follower?.apply(in: [])) == nil
    if !isFollowing { try? VForkedCalls.replacement?.apply(in: []) }
  }
}
