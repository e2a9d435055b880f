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

  let steps: HookSteps

  private let isVariadic: Bool

  /// Whether proceeding must check for a hook of every block or a variadic call.
  private let needsCare: Bool

  /// Whether any hook is typed.
  let isTyped: Bool

  /// The code inside of the hooks: it has the signature of the chain's receivers, and the chain's
  /// owner keeps it valid while the chain is used.
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
    self.isVariadic = isVariadic
    needsCare = isVariadic || links.contains { $0.hook.isOfEveryBlock }
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
      _ = unsafe withUnsafePointer(to: step) { unsafe runHandler(&frame, of: $0) }
    }
  }

  /// Runs the before-handlers of a chain without instead-handlers, from the outermost to the
  /// innermost.
  func runBefore(_ frame: inout CallFrame) {
    // SAFETY: without instead-handlers the chain is one segment.
    let step = unsafe steps.segment(at: 0)
    if unsafe step.pointee.activation.isBefore { _ = unsafe runSteps(&frame, step) }
  }

  /// Runs the after-handlers of a chain without instead-handlers, from the innermost to the
  /// outermost.
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
      runLevels(&frame, from: level)
    }
    frame.activation = outer
  }

  /// Proceeds in a variadic call, or from a hook of every block, during whose inner levels none of
  /// the thread's calls are ignored.
  @inline(never)
  private func proceedWithCare(_ frame: inout CallFrame, inside level: Int) {
    if isVariadic { return runVariadic(&frame, from: level) }
    guard level > 0, links[level - 1].hook.isOfEveryBlock else {
      return runLevels(&frame, from: level)
    }
    let call = unsafe frame.memory.address
    unsafe ReentrancyGuard.runningOriginal(of: call) { runLevels(&frame, from: level) }
  }

  // The handlers of receivers: methods, because a closure would add a step to each call. The first
  // is for all calls; the others save a tenth of the instructions or of the stack where they apply.

  /// Runs a call of any hooks.
  @Sendable
  private func runAll(_ frame: inout CallFrame) {
    frame.makeHazardIdle()
    runLevels(&frame, from: 0)
  }

  /// Runs a variadic call of any hooks.
  @Sendable
  private func runAllVariadic(_ frame: inout CallFrame) {
    frame.makeHazardIdle()
    runVariadic(&frame, from: 0)
  }

  /// Runs a call of hooks without instead-handlers; this saves a seventh of the stack that each
  /// level of a recursion takes (`RecursionTests`).
  @Sendable
  private func runAround(_ frame: inout CallFrame) {
    frame.makeHazardIdle()
    runBefore(&frame)
    frame.callOriginal()
    runAfter(&frame)
  }

  /// Runs a call whose only hook, which is certainly installed, runs only before the original; this
  /// saves a third of `hook.before`.
  ///
  /// The call's own hazard pointer says that the handler is running, as it does for the only
  /// instead-handler of a first level.
  @Sendable
  private func runOnlyBefore(_ frame: inout CallFrame) {
    // SAFETY: there is a first step, whose references the chain owns, which the call keeps alive.
    _ = unsafe callHandler(&frame, of: steps.segment(at: 0))
    frame.makeHazardIdle()
    frame.callOriginal()
  }

  /// Runs a call whose only hook runs only after the original; this saves a fifth of `hook.after`.
  @Sendable
  private func runOnlyAfter(_ frame: inout CallFrame) {
    guard let hazard = unsafe frame.hazard else { return runAll(&frame) }
    // SAFETY: the hazard pointer is that of the frame, and the hook's handler is the first step.
    if unsafe cbr_hazard_protect_only(hazard) { unsafe HazardPointers.cleared(hazard) }
    frame.callOriginal()
    unsafe runHandler(&frame, of: steps.segment(at: 0), under: hazard)
  }
}
