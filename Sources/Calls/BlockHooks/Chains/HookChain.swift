internal import BlockABI
private import BlockRuntimeThreads
private import CInvocations.HazardPointers
internal import Invocations

/// The hooks of a block or function, outermost first, with the original: an immutable snapshot.
///
/// Installing or removing a hook replaces the chain. A call in progress continues with the chain
/// that it began with; a hazard pointer protects the chain's receiver, which retains the chain.
@safe
final class HookChain: CallLevels {
  let links: [HookLink]

  private let steps: HookSteps

  private let hasHookOfEveryBlock: Bool
  private let isVariadic: Bool

  /// Whether proceeding takes the longer way, for either reason.
  private let needsCare: Bool

  /// Whether any hook is typed.
  let isTyped: Bool

  /// Code of the signature that the chain's receivers are made for, which the chain's owner keeps
  /// valid while the chain is used.
  let original: OriginalCode
  private let life: BlockLife?
  private let closure: ClosureOriginal?

  init(
    _ links: [HookLink], original: OriginalCode, _ life: BlockLife?,
    _ closure: ClosureOriginal? = nil, isVariadic: Bool = false
  ) {
    self.links = links
    self.original = original
    self.life = life
    self.closure = closure
    hasHookOfEveryBlock = links.contains { $0.hook.isOfEveryBlock }
    self.isVariadic = isVariadic
    needsCare = hasHookOfEveryBlock || isVariadic
    isTyped = links.contains { $0.typed != nil }
    steps = HookSteps(links)
  }

  /// Makes a receiver that runs the chain.
  ///
  /// - Parameters:
  ///   - interface: The signature of the calls.
  ///   - isCurrent: Whether the receiver is replaced when a hook is removed: then calls enter the
  ///     first level without checking whether its hook is still installed.
  /// - Returns: The receiver, which retains the chain.
  func receiver(_ interface: CallInterface, isCurrent: Bool) -> CallReceiver {
    let first = links.first.flatMap { isCurrent && !$0.isFollowed ? $0 : nil }
    let handler: CallHandler
    if let first, first.hook.isOnlyInstead {
      handler = first.handler
    } else if let first, links.count == 1, first.hook.isOnlyBefore {
      handler = CallHandler(mark: first.mark, onError: reportHandlerError, runOnlyBefore)
    } else if let only = links.first, links.count == 1, only.hook.isOnlyAfter,
      !isVariadic
    {
      handler = CallHandler(onError: reportHandlerError, runOnlyAfter)
    } else {
      // The call's hazard pointer need not say that the receiver is running: nobody waits for its
      // handler, which has no mark.
      let nests = links.contains { $0.hook.positionsInChain.contains(.instead) }
      handler = CallHandler(
        onError: reportHandlerError, isVariadic ? runAllVariadic : nests ? runAll : runAround)
    }
    // SAFETY: the original has the signature, and so has a typed hook's replacement; the links of
    // this chain retain the replacement.
    return unsafe CallReceiver(
      interface, original: original.address, liftsGuard: original.liftsGuard, inside: links.count,
      of: life, closure: closure,
      replacement: first?.typed?.replacementAddress, first: handler, levels: self)
  }

  /// Whether any hook runs in calls.
  var hooksCalls: Bool { links.hooksCalls }

  /// A chain of other hooks around the same original.
  func replacing(_ links: [HookLink]) -> HookChain {
    HookChain(links, original: original, life, closure, isVariadic: isVariadic)
  }

  /// Runs the handlers in the position `.death`.
  func announceDeath(_ receiver: CallReceiver) {
    var frame = CallFrame(deathOf: receiver)
    for (index, link) in links.enumerated() where link.hook.positionsInChain.contains(.death) {
      // SAFETY: the link owns what the step refers to.
      let step = unsafe HookStep(link, .death, level: index + 1)
      _ = unsafe withUnsafePointer(to: step) { unsafe run($0, &frame) }
    }
  }

  /// Runs the before-handlers of a call that no hook runs instead of, from the outermost to the
  /// innermost.
  func runBefore(_ frame: inout CallFrame) {
    // SAFETY: as no hook runs instead, the chain is one segment.
    let step = unsafe steps.segment(at: 0)
    if unsafe step.pointee.activation.isBefore { _ = unsafe runSteps(&frame, step) }
  }

  /// Runs the after-handlers of such a call, from the innermost to the outermost.
  func runAfter(_ frame: inout CallFrame) {
    var step = unsafe steps.segment(at: 0)
    while unsafe step.pointee.activation.isBefore { unsafe step += 1 }
    if unsafe step.pointee.activation.isAfter { _ = unsafe runSteps(&frame, step) }
  }

  @inline(__always)
  func proceed(_ frame: inout CallFrame, inside level: Int) {
    let outer = frame.activation
    if needsCare {
      proceedWithCare(&frame, inside: level)
    } else {
      run(&frame, from: level)
    }
    frame.activation = outer
  }

  /// Proceeds; if the handler is that of a hook of every block, none of the thread's calls are
  /// ignored meanwhile.
  @inline(never)
  private func proceedWithCare(_ frame: inout CallFrame, inside level: Int) {
    if isVariadic { return runVariadic(&frame, from: level) }
    guard level > 0, links[level - 1].hook.isOfEveryBlock else {
      return run(&frame, from: level)
    }
    let call = unsafe frame.memory.address
    unsafe ReentrancyGuard.runningOriginal(of: call) { run(&frame, from: level) }
  }

  // The handlers of receivers. A method is called without the step between that a closure takes.
  // Beside the general one there are those which save a tenth of a call's instructions or stack.

  /// Runs a call of any hooks.
  @Sendable
  private func runAll(_ frame: inout CallFrame) {
    frame.makeHazardIdle()
    run(&frame, from: 0)
  }

  /// Runs a variadic call of any hooks.
  @Sendable
  private func runAllVariadic(_ frame: inout CallFrame) {
    frame.makeHazardIdle()
    runVariadic(&frame, from: 0)
  }

  /// Runs a call none of whose hooks runs instead; it saves a seventh of the stack that each level
  /// of a recursion takes (`RecursionTests`).
  @Sendable
  private func runAround(_ frame: inout CallFrame) {
    frame.makeHazardIdle()
    runBefore(&frame)
    frame.callOriginal()
    runAfter(&frame)
  }

  /// Runs a call whose only hook, which is certainly installed, runs only before the original; it
  /// saves a third of `hook.before`.
  ///
  /// The call's own hazard pointer says that the handler is running, as it does for the only
  /// instead-handler of a first level.
  @Sendable
  private func runOnlyBefore(_ frame: inout CallFrame) {
    // SAFETY: there is a first step, whose references the chain owns, which the call keeps alive.
    _ = unsafe call(steps.segment(at: 0), &frame)
    frame.makeHazardIdle()
    frame.callOriginal()
  }

  /// Runs a call whose only hook runs only after the original; it saves a fifth of `hook.after`.
  @Sendable
  private func runOnlyAfter(_ frame: inout CallFrame) {
    guard let hazard = unsafe frame.hazard else { return runAll(&frame) }
    // SAFETY: the hazard pointer is that of the frame, and the hook's handler is the first step.
    if unsafe cbr_hazard_protect_only(hazard) { unsafe HazardPointers.cleared(hazard) }
    frame.callOriginal()
    unsafe run(steps.segment(at: 0), &frame, by: hazard)
  }

  /// Runs the hooks from the given level on, and inside of them the original.
  @inline(__always)
  private func run(_ frame: inout CallFrame, from level: Int) {
    // SAFETY: segments begin at level 0, and at all levels to which handlers proceed.
    unsafe run(&frame, steps.segment(at: level))
  }

  // SAFETY: the step is one of the chain, and the end of its segment follows, here and below.
  /// Runs the rest of a segment, and inside of it the inner levels.
  ///
  /// This call is on the stack while the original runs; those of `runSteps`, which run handlers,
  /// are not, which saves stack where a block calls itself.
  @inline(__always)
  private func run(_ frame: inout CallFrame, _ first: UnsafePointer<HookStep>) {
    var step = unsafe first
    if unsafe step.pointee.activation.isBefore { unsafe step = runSteps(&frame, step) }
    if unsafe step.pointee.activation.isInstead {
      if unsafe !run(step, &frame) { unsafe runInner(&frame, step) }
      unsafe step += 1
    } else {
      frame.callOriginal()
    }
    if unsafe step.pointee.activation.isAfter { _ = unsafe runSteps(&frame, step) }
  }

  /// Does the same in a variadic call: if that goes on, the handlers after the original run when it has
  /// returned.
  @inline(never)
  private func runVariadic(_ frame: inout CallFrame, from level: Int) {
    var step = unsafe steps.segment(at: level)
    if unsafe step.pointee.activation.isBefore { unsafe step = runSteps(&frame, step) }
    if unsafe step.pointee.activation.isInstead {
      if unsafe !run(step, &frame) {
        runVariadic(&frame, from: unsafe step.pointee.activation.level)
      }
      unsafe step += 1
    } else {
      frame.callOriginal()
    }
    guard unsafe step.pointee.activation.isAfter else { return }
    guard frame.goesOn else {
      _ = unsafe runSteps(&frame, step)
      return
    }
    // SAFETY: the closure retains the chain, which owns the steps.
    let after = unsafe step
    frame.runAfterwards { [self] frame in _ = unsafe runSteps(&frame, after) }
  }

  /// Runs the levels inside of an instead-handler that did not.
  @inline(never)
  private func runInner(_ frame: inout CallFrame, _ step: UnsafePointer<HookStep>) {
    unsafe run(&frame, from: step.pointee.activation.level)
  }

  /// Runs handlers before or after the original, as long as steps have the position of the first.
  ///
  /// That they share the call's hazard pointer, if they can, saves a tenth of `hook.three`.
  ///
  /// - Returns: The next step.
  @inline(never)
  private func runSteps(
    _ frame: inout CallFrame, _ first: UnsafePointer<HookStep>
  ) -> UnsafePointer<HookStep> {
    guard let hazard = unsafe frame.idleHazard else { return unsafe runSeparately(&frame, first) }
    var step = unsafe first
    repeat {
      unsafe run(step, &frame, by: hazard)
      unsafe step += 1
    } while unsafe step.pointee.activation.hasPosition(of: (step - 1).pointee.activation)
    return unsafe step
  }

  /// Does what `runSteps` does, with a hazard pointer for each handler.
  @inline(never)
  private func runSeparately(
    _ frame: inout CallFrame, _ first: UnsafePointer<HookStep>
  ) -> UnsafePointer<HookStep> {
    var step = unsafe first
    repeat {
      _ = unsafe run(step, &frame)
      unsafe step += 1
    } while unsafe step.pointee.activation.hasPosition(of: first.pointee.activation)
    return unsafe step
  }

  /// Runs a hook's handler before or after the original, under the call's hazard pointer, which is
  /// idle.
  @inline(__always)
  private func run(
    _ step: UnsafePointer<HookStep>, _ frame: inout CallFrame,
    by hazard: UnsafeMutablePointer<cbr_hazard>
  ) {
    // SAFETY: as in the function below.
    let mark = unsafe step.pointee.mark.unsafelyUnwrapped
    unsafe cbr_hazard_run(hazard, mark.toOpaque())
    if unsafe !mark._withUnsafeGuaranteedRef({ $0.isRemoved }) { _ = unsafe call(step, &frame) }
    if unsafe cbr_hazard_stop(hazard) { unsafe HazardPointers.cleared(hazard) }
  }

  /// Runs a hook's handler under a hazard pointer of its own.
  ///
  /// - Returns: False if the hook was removed and nothing was run, or if an instead-handler threw
  ///   before it proceeded: then the call continues without it.
  @inline(__always)
  private func run(_ step: UnsafePointer<HookStep>, _ frame: inout CallFrame) -> Bool {
    // First the hazard pointer, then the question: a removal sets its answer, and then scans.
    // SAFETY: the call keeps the chain alive, which owns the step's references; the hazard pointer
    // is cleared once, on the thread that set it.
    let mark = unsafe step.pointee.mark.unsafelyUnwrapped
    let hazard = unsafe cbr_hazard_protect(mark.toOpaque())
    let isRemoved = unsafe mark._withUnsafeGuaranteedRef { $0.isRemoved }
    let isDone = unsafe !isRemoved && call(step, &frame)
    if unsafe cbr_hazard_clear(hazard) { unsafe HazardPointers.cleared(hazard) }
    return isDone
  }

  /// Calls a handler.
  ///
  /// - Returns: False if it threw before it proceeded.
  @inline(__always)
  private func call(_ step: UnsafePointer<HookStep>, _ frame: inout CallFrame) -> Bool {
    frame.activation = unsafe step.pointee.activation
    do {
      try unsafe step.pointee.handler.unsafelyUnwrapped._withUnsafeGuaranteedRef {
        try $0.body(&frame)
      }
      return true
    } catch {
      // Found again, so that calls that do not throw need not keep it.
      unsafe step.pointee.handler.unsafelyUnwrapped._withUnsafeGuaranteedRef { $0.receive(error) }
      return frame.proceedCount > 0
    }
  }
}
