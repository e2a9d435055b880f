internal import BlockHooks
private import BlockRuntimeThreads
internal import Invocations
internal import TypeEncodings

/// All hooks of one method of a class, or of one object, in their order.
///
/// They are divided into runs of one kind (`HookRun`), each an implementation around the next: a
/// message runs them from the outermost on, and each may call its inner one at any time. A hook
/// that is installed between others makes new runs: a call in progress continues with those that it
/// began with, and skips hooks that were removed.
final class MethodHooks: HookOwner {
  fileprivate struct State {
    /// The installed hooks, outermost first.
    var links: [HookLink] = []

    /// The hooks divided into runs, outermost first; without hooks, at most one run, to be used
    /// again.
    var runs: [HookRun] = []
    var suspended: [HookLink] = []
    var hasEnded = false

    /// What changes have replaced, to be released under no lock.
    var released: [[HookRun]] = []
  }

  private let selector: Selector
  let receiverClass: AnyClass

  /// The place of the method that all hooks enclose.
  private let innermost: MethodSlot.Place
  private let changed: @Sendable () -> Void
  private let state = GatedLock(State())

  /// Creates an owner without hooks.
  ///
  /// - Parameters:
  ///   - selector: The method's name.
  ///   - receiverClass: The class of the receivers.
  ///   - innermost: The place of the method inside of the hooks.
  ///   - changed: Called under no lock after hooks were installed or removed.
  init(
    _ selector: Selector, of receiverClass: AnyClass, around innermost: MethodSlot.Place,
    _ changed: @escaping @Sendable () -> Void
  ) {
    self.selector = selector
    self.receiverClass = receiverClass
    self.innermost = innermost
    self.changed = changed
  }

  /// The installed hooks, outermost first.
  var hooks: [Hook] { state.withLock { $0.links.listed } }

  /// Whether any hook runs in calls.
  var hooksCalls: Bool { state.withLock { $0.links.hooksCalls } }

  /// The signature with which hooks see frames, if there are such hooks.
  var framedSignature: MethodSignature? {
    state.withLock { $0.framed.first?.interface.signature }
  }

  /// Puts the hooks around an implementation.
  ///
  /// - Parameters:
  ///   - inner: The implementation.
  ///   - replaced: Receives what calls ran before, which the caller must release under no lock.
  /// - Returns: The implementation with the hooks around it that have its signature.
  func around(_ inner: Implementation, _ replaced: inout ReplacedMethods) -> Implementation {
    state.withLock { state in
      state.runs.reversed().reduce(inner) { $1.around($0, of: receiverClass, &replaced) }
    }
  }

  /// The method inside of all hooks.
  ///
  /// - Throws: `noSuchMethod`.
  var method: Implementation {
    get throws(MessageError) {
      if let method = innermost.implementation { return method }
      throw MessageError(.noSuchMethod, of: selector, "the method was removed")
    }
  }

  /// Installs a hook that sees frames.
  ///
  /// - Throws: `noSuchMethod`, `invalidMethod`, `signatureConflict`, and the errors of hooks.
  func install(_ definition: HookDefinition, title: String) throws(MessageError) -> Hook {
    let interface = try method.interface
    let prepared: HookDefinition
    do {
      prepared = try definition.prepared(
        at: InstallationPoint(interface, title: title, canThrow: true))
    } catch {
      throw MessageError(error, selector)
    }
    return try install(prepared, interface)
  }

  /// Installs a prepared hook of a given signature.
  ///
  /// - Throws: The errors of hooks.
  func install(
    _ definition: HookDefinition, _ interface: CallInterface, layer: MethodLayer? = nil
  ) throws(MessageError) -> Hook {
    do throws(HookError) {
      try definition.validateForMethods()
      return try definition.install(on: self, interface, unframedRunner: layer)
    } catch {
      throw MessageError(error, selector)
    }
  }

  /// Ends all hooks, because the object or class that they belong to is dying.
  func endWithOwner() {
    let (last, receivers) = state.withLock { state in
      var receivers: [CallReceiver] = []
      for run in state.runs { run.method?.replaceLinks([], &receivers) }
      let last = state
      state = State(hasEnded: true)
      return (last, receivers)
    }
    for link in last.links + last.suspended { link.hook.endWithOwner() }
    for receiver in receivers { HazardPointers.retire(receiver) }
  }

  // MARK: - The owner of the hooks

  func install(_ link: HookLink, _ replaced: inout [CallReceiver]) throws(HookError) {
    // Looked up and released under no lock: either may free other methods.
    let present = innermost.implementation
    defer { withExtendedLifetime(present) {} }
    try state.withLock { state throws(HookError) in
      guard !state.hasEnded else {
        throw HookError(.deadBlock, "the object is dead; hook another")
      }
      try requireSignature(link, state)
      try state.links.requireRoom(for: link, "method")
      let links = state.links.inserting(link)
      let runs = try runs(of: links, adding: link, state.runs, around: present)
      for run in runs { run.method?.replaceLinks(run.links, &replaced) }
      // Calls in progress may yet enter a run that is left out, and removals no longer reach it: it
      // asks of each hook whether it is still installed.
      for run in state.runs where !runs.contains(where: { $0.method === run.method }) {
        run.method?.replaceLinks(run.links, isCurrent: false, &replaced)
      }
      state.released.append(state.runs)
      (state.links, state.runs) = (links, runs)
      state.suspended.removeAll { $0.hook === link.hook }
    }
  }

  func detach(
    _ hook: HookState, suspending: Bool, _ replaced: inout [CallReceiver]
  ) -> HookLink? {
    state.withLock { state in
      let link = suspending ? state.links.first { $0.hook === hook } : nil
      state.released.append(state.runs)
      state.links = state.links.removing(hook)
      for (index, run) in state.runs.enumerated() {
        let links = run.links.removing(hook)
        guard links.count < run.links.count else { continue }
        state.runs[index].links = links
        run.method?.replaceLinks(links, &replaced)
      }
      state.runs.removeAll { $0.links.isEmpty && ($0.method == nil || !state.links.isEmpty) }
      if let link { state.suspended.append(link) }
      return link
    }
  }

  func hooksDidChange() {
    changed()
    let released = state.withLock { exchange(&$0.released, with: []) }
    withExtendedLifetime(released) {}
  }

  func forget(_ hook: HookState) {
    state.withLock { $0.suspended.removeAll { $0.hook === hook } }
  }

  // MARK: - Functions that are called under the lock

  /// Checks that a hook sees frames of the signature of those that are installed or suspended.
  ///
  /// - Throws: `signatureConflict`.
  private func requireSignature(_ link: HookLink, _ state: State) throws(HookError) {
    guard link.isFramed, let other = state.framed.first,
      !other.interface.isCalled(as: link.interface)
    else { return }
    throw HookError(
      .signatureConflict,
      "\(selector) is hooked as \(other.interface.signature), and is \(link.interface.signature) now; "
        + "remove those hooks first")
  }

  /// Divides hooks into runs.
  ///
  /// A hooked method is used again if all inside of it is as before, and it gets the new hook only
  /// if it is outermost. Otherwise another hooked method is made, and a call in progress continues
  /// with the last one.
  ///
  /// - Throws: `noExecutableMemory`, `invalidSignature`, `unsupportedType`, `outOfMemory`.
  private func runs(
    of links: [HookLink], adding new: HookLink, _ last: [HookRun],
    around present: Implementation?
  ) throws(HookError) -> [HookRun] {
    var runs: [HookRun] = []
    var last = last
    for (index, run) in links.runs.enumerated().reversed() {
      // A run that calls in progress may yet enter stays as it is.
      let same = last.popLast().flatMap {
        $0.makes(run.links, adding: index == 0 ? new : nil) ? $0 : nil
      }
      if same == nil { last = [] }
      var method = same?.method
      if run.isFramed, method == nil {
        method = try HookedMethod(
          selector, run.links[0].interface, of: receiverClass,
          around: runs.isEmpty ? innermost : nil, present)
      }
      runs.insert(HookRun(method: method, links: run.links), at: 0)
    }
    return runs
  }
}

extension HookDefinition {
  /// Checks that the hook can be one of a method.
  ///
  /// - Throws: `noPosition`, `invalidCondition`.
  func validateForMethods() throws(HookError) {
    try validate()
    guard !positions.contains(.death) else {
      throw HookError(
        .noPosition, "a method does not die; to observe an object's end use `onDeinit`")
    }
  }
}

extension MethodHooks.State {
  /// The hooks that see frames, installed or suspended.
  fileprivate var framed: [HookLink] { (links + suspended).filter(\.isFramed) }
}

extension MethodHooks: ReferenceTable {
  package var label: String { "hooks" }
  package var contents: Any { state.withLock { $0 } }
}
