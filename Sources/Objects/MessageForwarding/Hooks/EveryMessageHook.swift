internal import BlockHooks
private import BlockRuntimeThreads
internal import Invocations
internal import TypeEncodings

/// One hook in the chains of all methods of a class, or of one object.
///
/// The chains and the token share the hook's state, its handler and the mark of running calls.
final class EveryMessageHook: HookOwner {
  private struct State {
    /// The hook while it is installed.
    var link: HookLink?
    var token: Hook?
    var time = InstallationTime.first
    var chains: [Chain] = []

    func has(_ chain: Chain) -> Bool { chains.contains { $0.hooks === chain.hooks } }
  }

  private struct Chain {
    let selector: Selector
    let hooks: MethodHooks
    let interface: CallInterface

    func install(_ link: HookLink, _ replaced: inout [CallReceiver]) throws(HookError) {
      do throws(HookError) {
        try hooks.install(link.shared(calledAs: interface), &replaced)
      } catch {
        throw HookError(passing: error, subject: selector.name, prefix: "`\(selector)`: ")
      }
    }
  }

  /// The handlers of a definition that makes one for each method.
  private final class Handlers: Sendable {
    private let handlers = GatedLock<[Selector: HookDefinition.Handler]>([:])

    subscript(_ selector: Selector) -> HookDefinition.Handler? {
      get { handlers.withLock { $0[selector] } }
      set { handlers.withLock { $0[selector] = newValue } }
    }

    func run(_ call: inout CallFrame) throws {
      if let handler = call.selector.flatMap({ self[$0] }) { return try handler(&call) }
      if call.position == .instead { try call.proceed() }
    }
  }

  fileprivate weak let methods: (any HookedMethods)?
  private let definition: HookDefinition
  private let title: String
  private let handlers = Handlers()
  private let state = GatedLock(State())

  private init(_ definition: HookDefinition, _ methods: any HookedMethods, title: String) {
    (self.definition, self.methods, self.title) = (definition, methods, title)
  }

  /// Installs a hook on all methods, or on none.
  ///
  /// - Throws: `invalidMethod`, and the errors of hooks.
  static func install(
    _ definition: HookDefinition, on methods: any HookedMethods, title: String
  ) throws(MessageError) -> Hook {
    let owner = EveryMessageHook(definition, methods, title: title)
    // A method that is added from now on is not missed.
    methods.everyMessage.add(owner)
    do throws(HookError) {
      try definition.validateForMethods()
      if let refusal = definition.refusalOfEveryMessage { throw refusal() }
      for selector in methods.allSelectors { try owner.add(selector, methods) }
      var definition = definition
      if definition.prepare != nil {
        definition.prepare = nil
        definition.handler = owner.handlers.run
      }
      let hook = try definition.install(on: owner, Self.anyInterface())
      owner.state.withLock { $0.token = hook }
      return hook
    } catch {
      // The methods that had the hook for a moment release it.
      owner.hooksDidChange()
      throw MessageError(passing: error)
    }
  }

  /// The token and the time of its installation, if the hook is installed on the given methods.
  func token(of methods: any HookedMethods) -> (Hook, InstallationTime)? {
    guard self.methods === methods else { return nil }
    return state.withLock { state in
      state.link == nil ? nil : state.token.map { ($0, state.time) }
    }
  }

  /// Installs the hook on a method that was added.
  func methodWasAdded(_ selector: Selector) {
    guard let methods else { return }
    do throws(HookError) { try add(selector, methods) } catch { definition.onError(error) }
  }

  private func add(_ selector: Selector, _ methods: any HookedMethods) throws(HookError) {
    let chain: Chain
    do throws(MessageError) {
      let hooks = try methods.methodHooks(selector)
      chain = Chain(selector: selector, hooks: hooks, interface: try hooks.method.interface)
    } catch {
      throw HookError(passing: error, subject: selector.name)
    }
    if definition.prepare != nil {
      let point = InstallationPoint(chain.interface, title: "\(title).\(selector)", canThrow: true)
      do throws(HookError) { handlers[selector] = try definition.prepared(at: point).handler } catch
      {
        throw HookError(passing: error, subject: selector.name, prefix: "`\(selector)`: ")
      }
    }
    var replaced: [CallReceiver] = []
    defer { for receiver in replaced { HazardPointers.retire(receiver) } }
    try state.withLock { state throws(HookError) in
      guard !state.has(chain) else { return }
      if let link = state.link { try chain.install(link, &replaced) }
      state.chains.append(chain)
    }
    chain.hooks.hooksDidChange()
  }

  /// An interface of methods, which the chains replace by their own.
  private static func anyInterface() throws(HookError) -> CallInterface {
    do throws(InvocationError) {
      return try CallInterface.cached(
        for: MethodSignature(result: TypeEncoding(.primitive(.void)), arguments: []))
    } catch {
      throw HookError(passing: error)
    }
  }

  // MARK: - The owner of the hook

  func install(_ link: HookLink, _ replaced: inout [CallReceiver]) throws(HookError) {
    try state.withLock { state throws(HookError) in
      for (index, chain) in state.chains.enumerated() {
        do throws(HookError) {
          try chain.install(link, &replaced)
        } catch {
          for other in state.chains[..<index] {
            _ = other.hooks.detach(link.hook, suspending: false, &replaced)
          }
          throw error
        }
      }
      (state.link, state.time) = (link, .now())
    }
  }

  func detach(
    _ hook: HookState, suspending: Bool, _ replaced: inout [CallReceiver]
  ) -> HookLink? {
    state.withLock { state in
      defer { state.link = nil }
      for chain in state.chains {
        _ = chain.hooks.detach(hook, suspending: suspending, &replaced)
      }
      return suspending ? state.link : nil
    }
  }

  func hooksDidChange() {
    for chain in state.withLock({ $0.chains }) { chain.hooks.hooksDidChange() }
  }

  func forget(_ hook: HookState) {
    for chain in state.withLock({ $0.chains }) { chain.hooks.forget(hook) }
  }
}

/// The hooks of every message of a class, and those of single instances of it.
final class EveryMessageHooks: Sendable {
  private struct WeakHook { weak var hook: EveryMessageHook? }

  private let hooks = GatedLock<[WeakHook]>([])

  func add(_ hook: EveryMessageHook) {
    hooks.withLock { hooks in
      hooks.removeAll { $0.hook == nil }
      hooks.append(WeakHook(hook: hook))
    }
  }

  /// The hooks of the messages of a class, or of one object, outermost first.
  func hooks(of methods: any HookedMethods) -> [Hook] {
    all.compactMap { $0.token(of: methods) }
      .sorted { ($0.0.priority, $0.1) > ($1.0.priority, $1.1) }.map(\.0)
  }

  /// Installs the hooks on a method that was added.
  ///
  /// - Parameters:
  ///   - selector: The method.
  ///   - methods: The methods of the one object that has it; nil if the class has it.
  func methodWasAdded(_ selector: Selector, to methods: (any HookedMethods)? = nil) {
    for hook in all where methods == nil || hook.methods === methods {
      hook.methodWasAdded(selector)
    }
  }

  /// The living hooks, to be released under no lock.
  private var all: [EveryMessageHook] { hooks.withLock { $0.compactMap(\.hook) } }
}
