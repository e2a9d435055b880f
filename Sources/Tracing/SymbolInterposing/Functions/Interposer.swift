internal import BlockABI
internal import BlockHooks
private import BlockRuntimeThreads
private import CSymbolInterposing.ImportSlots
private import CSymbolInterposing.VForkedCalls
private import Glibc
internal import Invocations
private import Synchronization

/// All functions that are or were hooked at their import slots.
///
/// The loader may be called while its lock is held, but no code of clients.
final class Interposer: Sendable {
  static let shared = Interposer()

  fileprivate struct State {
    /// By the address of the function; several entries where it was hooked with several signatures.
    var functions: [UInt: [InterposedFunction]] = [:]

    /// The replacement of `dlopen` while anything is hooked.
    var follower: SlotReplacement?
    var isFollowing = false

    /// Whether a `LoadingWatch` waits for objects to be loaded.
    var isWatched = false

    /// The functions whose slots a thread will write together; nil if none does so.
    var postponed: (thread: UInt, functions: [InterposedFunction])?
  }

  private let state = Locked(State())

  /// How often objects were loaded; after a load, the code at an address may be different code.
  private let loads = Atomic(0)
  var loadCount: Int { loads.load(ordering: .relaxed) }

  /// Whether objects were loaded whose slots have not been examined.
  private let hasNewObjects = Atomic(false)

  /// Runs `body` under the lock, with this thread's calls of hooked functions ignored.
  ///
  /// Objects that were loaded meanwhile are handled afterwards: the thread that loads them may hold
  /// the loader's lock, and must not wait for this one.
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

  /// Records that objects were loaded, and hooks their slots.
  ///
  /// - Parameter isIgnored: Whether a handler or the library itself loaded them. `LoadingWatch` is
  ///   not notified then, as the thread may hold a lock that its attempts need.
  func objectsWereLoaded(isIgnored: Bool = false) {
    loads.add(1, ordering: .relaxed)
    hasNewObjects.store(true, ordering: .sequentiallyConsistent)
    lookAtNewObjects()
    if !isIgnored { LoadingWatch.shared.objectsWereLoaded() }
  }

  /// Starts following loads even if nothing is hooked, or stops doing so.
  func watchLoading(_ isWatched: Bool) {
    withState { state in
      state.isWatched = isWatched
      // Failure is ignored: if `dlopen` has no slots, nothing is loaded through one.
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
      // The thread that holds the lock examines the new objects after releasing it.
      if !isMine { return }
    }
  }

  /// The function's entry for a signature, created at its first use.
  ///
  /// - Parameters:
  ///   - symbol: Its name.
  ///   - definition: Its address.
  ///   - interface: Its signature.
  /// - Returns: The entry, which is never freed.
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
      // Another name of the same address has slots of its own; it may also be the name of code that
      // was unloaded from there.
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

  /// Redirects slots to a function's code, so that a hook can be installed.
  ///
  /// - Throws: `protectedMemory`.
  func prepare(_ function: InterposedFunction, _ images: ImageFilter) throws(InterposingError) {
    try withState { state throws(InterposingError) in
      function.expect(images)
      guard !state.postpones(function) else { return }
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

  /// Runs `body`, and then redirects the slots of all functions that this thread hooks or ceases to
  /// hook in it: each time that slots are written, the kernel lists the protections of all pages.
  ///
  /// - Throws: What `body` throws; `protectedMemory`, and then the hooks are in place without
  ///   calls.
  func together(_ body: () throws(InterposingError) -> Void) throws(InterposingError) {
    let isFirst = withState { state in
      guard state.postponed == nil else { return false }
      state.postponed = (UInt(pthread_self()), [])
      return true
    }
    guard isFirst else { return try body() }
    let outcome = Result { () throws(InterposingError) in try body() }
    try withState { state throws(InterposingError) in
      let functions = state.postponed?.functions ?? []
      state.postponed = nil
      do throws(BlockError) {
        if functions.contains(where: { !$0.images.isEmpty }) { try state.follow() }
        try SlotReplacement.apply(functions.map { ($0.replacement, $0.images) })
      } catch {
        throw InterposingError(.protectedMemory, error.message)
      }
    }
    try outcome.get()
  }

  /// The hooks of a function that are in place, outermost first.
  func hooks(of definition: UInt) -> [Hook] {
    let functions = withState { $0.functions[definition] ?? [] }
    return functions.flatMap(\.hooks)
  }

  /// Redirects slots to a function's hooks, or back to the function if it has none, and lets its
  /// code lead to them.
  func hooksDidChange(_ definition: UInt) {
    let functions = withState { state in
      let functions = state.functions[definition] ?? []
      for function in functions {
        // A slot that cannot be written keeps its value: that code calls the function.
        if !state.postpones(function) { try? function.replacement.apply(in: function.images) }
        function.chooseCode()
      }
      state.stopFollowing()
      return functions
    }
    for function in functions { function.forgetEndedHooks() }
  }
}

extension Interposer.State {
  /// Hooks the slots of objects that were loaded since the last pass.
  fileprivate func applyAll() {
    let followers = isFollowing ? [follower, VForkedCalls.replacement].compactMap(\.self) : []
    let requests: [SlotReplacement.Request] =
      followers.map { ($0, [.all]) }
      + functions.values.joined().map { ($0.replacement, $0.images) }.filter { !$0.1.isEmpty }
    do throws(BlockError) { try SlotReplacement.apply(requests) } catch {
      // Slots that cannot be written do not keep others from it.
      for request in requests { try? SlotReplacement.apply([request]) }
    }
  }

  /// Whether the slots of a function are written later, as this thread hooks several.
  fileprivate mutating func postpones(_ function: InterposedFunction) -> Bool {
    guard postponed?.thread == UInt(pthread_self()) else { return false }
    if postponed?.functions.contains(where: { $0 === function }) == false {
      postponed?.functions.append(function)
    }
    return true
  }

  /// The replacement of `dlopen` that reports loads; nil where the platform has none.
  fileprivate mutating func makeFollower() -> SlotReplacement? {
    if let follower { return follower }
    guard let definition = ImportSlot.findDefinition(of: "dlopen", version: nil),
      // SAFETY: the address is that of `dlopen`, and the closures capture nothing.
      let function = unsafe UnsafeRawPointer(bitPattern: definition),
      let code = unsafe cbr_follow_loading(
        function, { UnloadingWatch.shared.look(at: $0) },
        { Interposer.shared.objectsWereLoaded(isIgnored: $0) })
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
    // A slot that cannot be written keeps calling `vfork` itself.
    try? VForkedCalls.replacement?.apply(in: [.all])
    isFollowing = true
    // Loads that began earlier are not followed: wait for their end, then hook what they loaded.
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

/// Calls of hooked functions in children of `vfork`, which run on their parent's thread and never
/// return from `_exit` and `execve`.
enum VForkedCalls {
  /// The replacement of `vfork` while anything is hooked, so that hooks which the child entered do
  /// not stay in progress in the parent; nil where the platform has none.
  static let replacement: SlotReplacement? = {
    guard let definition = ImportSlot.findDefinition(of: "vfork", version: nil),
      // SAFETY: the address is that of code that is never freed, and is not called here.
      let code = unsafe cbr_vfork_code()
    else { return nil }
    let address = UInt(bitPattern: code)
    InterposedAddresses.insert(address, for: definition)
    return SlotReplacement(
      symbol: "vfork", definition: definition, resting: definition, code: address)
  }()
}
