internal import BlockABI
internal import BlockHooks
private import BlockRuntimeThreads
private import CSymbolInterposing.InterposedCalls
internal import Invocations
private import Synchronization

/// Hooks every block that passes one of the `BlockFunction`s while there are requests.
package final class BlockWatch: Sendable {
  // SAFETY: the caller of a hooked function keeps the block that it passes alive during the call.

  package static let shared = BlockWatch()

  private let sources = BlockSources()

  /// Held while the functions are hooked, which takes locks that are not gated.
  private let hooking = Locked(())

  /// The hooks of the functions.
  private let functionHooks = GatedLock<[Hook]>([])

  /// Is notified of the blocks that are sent to queues; nil unless that was asked for.
  private let submissions = GatedLock<ObservedSubmissions?>(nil)

  let counters = BlockCounters()

  private init() {
    UnloadingWatch.shared.add { [sources] in sources.forgetUnloadedCode() }
  }

  /// Adds a request: blocks are hooked from now on.
  ///
  /// - Throws: As `ImportedFunction.hook`.
  func add(_ request: BlockRequest) throws(InterposingError) {
    let shared = sources.add(request)
    do throws(InterposingError) {
      // Blocks that were hooked before need not pass a function again.
      for code in shared where !request.isIndividual { install(request, code) }
      try hookFunctions()
    } catch {
      // Threads that have already read the list of requests must not install its hooks.
      _ = request.remove()
      remove(request)
      throw error
    }
  }

  private func hookFunctions() throws(InterposingError) {
    CppSymbol.prepare()
    // Only the child of a fork that came while functions were being hooked finds the lock taken.
    guard functionHooks.withLock({ $0.isEmpty }) else { return }
    try hooking.withLock { _ throws(InterposingError) in
      guard functionHooks.withLock({ $0.isEmpty }) else { return }
      let hooks = try makeFunctionHooks()
      functionHooks.withLock { $0 = hooks }
    }
  }

  /// Hooks no further block until `resume`; blocks that are hooked stay so.
  package func suspend() {
    for hook in functionHooks.exchange([]) { hook.remove() }
  }

  /// Ends what `suspend` began, if blocks are to be hooked.
  ///
  /// - Throws: As `ImportedFunction.hook`.
  package func resume() throws(InterposingError) {
    if !requests.isEmpty { try hookFunctions() }
  }

  private func makeFunctionHooks() throws(InterposingError) -> [Hook] {
    var hooks: [Hook] = []
    do throws(InterposingError) {
      for function in BlockFunction.all {
        guard let imported = try function.imported else { continue }
        hooks.append(
          try imported.install(
            definition(function), imported.sharesSlots ? nil : shortcut(function, imported),
            checksCallers: imported.sharesSlots))
      }
      return hooks
    } catch {
      for hook in hooks { hook.remove() }
      throw error
    }
  }

  private func definition(_ function: BlockFunction) -> HookDefinition {
    if let submissions = submissions.withLock({ $0 }),
      let definition = unsafe submissions.definition(function, whenSeen: entry)
    {
      return definition
    }
    var definition = HookDefinition(
      function.position, name: "every block", priority: .max
    ) { call in
      guard let block = unsafe try function.block(of: &call) else { return }
      unsafe self.see(BlockView(block))
    }
    definition.everyBlock = .first
    return definition
  }

  /// Notifies an observer from now on, too, of the blocks that are sent to queues.
  ///
  /// - Throws: As `ImportedFunction.hook`.
  package func observeSubmissions(
    with observer: any SubmissionObserver
  ) throws(InterposingError) { try observe(with: ObservedSubmissions(observer, sources)) }

  /// Ends what `observeSubmissions` began.
  package func endSubmissions() { try? observe(with: nil) }

  private func observe(with observed: ObservedSubmissions?) throws(InterposingError) {
    submissions.withLock { $0 = observed }
    // Hooks that are there already do something else.
    let old = functionHooks.exchange([])
    defer { for hook in old { hook.remove() } }
    if !old.isEmpty { try hookFunctions() }
  }

  /// The code that does what the hook of a function does; nil if there is none.
  private func shortcut(_ function: BlockFunction, _ imported: ImportedFunction) -> Shortcut? {
    // SAFETY: the function is `_Block_copy`, and the closure captures nothing. The block exists
    // during the call.
    guard case .result = function.place,
      let original = unsafe UnsafeRawPointer(bitPattern: imported.definition),
      let code = unsafe cbr_follow_copies(
        original, { unsafe BlockWatch.shared.see(BlockView($0)) })
    else { return nil }
    return unsafe Shortcut(code)
  }

  /// Ends a request: new calls no longer run its handlers.
  func remove(_ request: BlockRequest) {
    let shared = sources.remove(request)
    let hooks = functionHooks.withLock { hooks in
      guard sources.requests.all.isEmpty else { return [Hook]() }
      defer { hooks = [] }
      return hooks
    }
    for hook in hooks { hook.remove() }
    for code in shared {
      code.remove(request)
      // There may have been no room for another one.
      if counters.refused.load(ordering: .relaxed) > 0 { installAll(code) }
    }
    request.blocks.removeAll()
  }

  /// The requests, in the order in which they were made.
  var requests: [BlockRequest] { sources.requests.all }

  /// Where a living block was made; nil unless a request has recorded it.
  func creation(of block: Block) -> BlockCreation? {
    sources.requests.all.lazy.compactMap { $0.blocks.creation(of: block) }.first
  }

  /// Hooks a block as the requests ask.
  private func see(_ view: BlockView) {
    if unsafe seeTogether(view) == nil { _ = unsafe seeAlone(view) }
  }

  /// Hooks a block as the requests ask.
  ///
  /// - Returns: What is known of the block's source, if calls of such blocks are hooked together.
  private func entry(seeing view: BlockView) -> BlockSources.Known? {
    let known = unsafe seeTogether(view)?.takeUnretainedValue()
    return unsafe (known ?? seeAlone(view))?.ifHooked
  }

  private func seeTogether(_ view: BlockView) -> Unmanaged<BlockSources.Known>? {
    counters.seen.add(1, ordering: .relaxed)
    return unsafe sources.hasIndividualRequests ? nil : hookTogether(view)
  }

  private func seeAlone(_ view: BlockView) -> BlockSources.Known? {
    // Its code is that of no source.
    if unsafe view.isMadeByDispatch { return nil }
    return ForkGate.inside {
      while true { if let known = unsafe hook(view) { return known } }
    }
  }

  /// Lets a block enter the code that replaces its source's, if that is known: without a lock,
  /// which a fork of another thread could leave taken, and without allocations.
  ///
  /// - Returns: The entry of its source, which is never freed; nil if the block needs more.
  private func hookTogether(_ view: BlockView) -> Unmanaged<BlockSources.Known>? {
    while true {
      let invoke = unsafe view.replacedCode
      switch unsafe sources.look(at: view, entering: UInt(bitPattern: invoke)) {
      case .replaced(let known), .left(let known): return unsafe known
      case .unknown: return nil
      case .matched(let code, let known):
        // SAFETY: the code replaces that of the block's source, and is never freed.
        guard unsafe !view.hasAttachment && !view.isGlobal,
          let code = unsafe UnsafeRawPointer(bitPattern: code)
        else { return nil }
        if unsafe view.changeInvoke(code, replacing: invoke) {
          counters.hooked.add(1, ordering: .relaxed)
          return unsafe known
        }
      }
    }
  }

  /// Makes one attempt to hook a block.
  ///
  /// - Returns: The entry of its source; nil if another thread changed the block's code meanwhile.
  private func hook(_ view: BlockView) -> BlockSources.Known? {
    let invoke = unsafe view.invoke
    let known = unsafe sources.find(view)
    let individual = sources.requests.individual
    // The block, or the block that it is a copy of, enters the shared code already.
    if known == nil, let replaced = unsafe sources.entry(replacedIn: view) {
      unsafe hookAlone(view, replaced.source, individual)
      return replaced
    }
    let found = unsafe known ?? look(view)
    if found.source.isOwn { return found }
    guard let code = found.code else {
      unsafe hookAlone(view, found.source, individual)
      return found
    }
    if unsafe view.hasAttachment {
      // The block has hooks of its own.
      let isJoined = unsafe code.join(view.block)
      // No request hooks blocks without a signature together.
      let isShared = isJoined || found.source.interface == nil
      unsafe hookAlone(
        view, found.source, isShared ? individual : sources.requests.all)
      return found
    }
    if let address = unsafe code.address {
      do throws(BlockError) {
        guard unsafe try view.setInvoke(address, replacing: invoke) else { return nil }
        counters.hooked.add(1, ordering: .relaxed)
      } catch {
        counters.refused.add(1, ordering: .relaxed)
      }
    }
    unsafe hookAlone(view, found.source, individual)
    return found
  }

  /// Hooks this one block.
  private func hookAlone(_ view: BlockView, _ source: BlockSource, _ requests: [BlockRequest]) {
    // The end of a block on the stack cannot be observed.
    guard unsafe !requests.isEmpty && !view.isOnStack else { return }
    let block = unsafe view.block
    for request in requests where !request.blocks.contains(block) {
      guard let definition = request.definition(source) else { continue }
      do throws(HookError) {
        if try request.blocks.hook(block, definition) {
          counters.hooked.add(1, ordering: .relaxed)
        }
        if request.isRemoved { request.blocks.removeAll() }
      } catch {
        counters.refused.add(1, ordering: .relaxed)
      }
    }
  }

  /// Finds the source of a block, and makes the shared code for it if a request matches it.
  private func look(_ view: BlockView) -> BlockSources.Known {
    let source = unsafe BlockSource(of: view.block)
    if source.interface == nil { counters.withoutSignature.add(1, ordering: .relaxed) }
    let requests = sources.requests
    var code: (any BlockCode)?
    if !source.isOwn, requests.all.contains(where: { !$0.isIndividual && $0.means(source) }) {
      do throws(HookError) {
        code =
          if let interface = source.interface {
            unsafe try SharedBlockCode(source, interface, view.replacedCode)
          } else {
            unsafe try OpaqueBlockCode(source, view.replacedCode)
          }
      } catch {
        counters.refused.add(1, ordering: .relaxed)
      }
    }
    let known = unsafe BlockSources.Known(source, code, view, requestCount: requests.count)
    let kept = unsafe sources.insert(known, view)
    if let code = kept.code { installAll(code) }
    return kept
  }

  private func installAll(_ code: any BlockCode) {
    for request in sources.requests.all where !request.isIndividual { install(request, code) }
  }

  private func install(_ request: BlockRequest, _ code: any BlockCode) {
    do throws(HookError) { try code.install(request) } catch {
      counters.refused.add(1, ordering: .relaxed)
    }
  }
}
