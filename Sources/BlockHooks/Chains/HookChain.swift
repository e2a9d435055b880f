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
  /// One hook with its handler.
  struct Link: Sendable {
    let entry: HookEntry
    let handler: CallHandler

    /// The mark that calls of the handler protect by a hazard pointer.
    let mark: HandlerMark

    let place: HookPlace

    /// The signature with which the handler is called.
    let interface: CallInterface

    /// The blocks of the hook, if it is typed.
    let typed: TypedHook?

    /// Whether the hook belongs to the chain of another owner, which this chain's owner follows.
    var isFollowed = false

    /// The image of the hooked code, which stays loaded until the hook and its last call have
    /// ended.
    let image: LoadedImage?

    /// A copy of the hook for another installation, with another mark.
    func marked(_ mark: HandlerMark) -> Link {
      Link(
        entry: entry, handler: handler.marked(mark), mark: mark,
        place: HookPlace(priority: place.priority, time: .now()), interface: interface,
        typed: typed, image: image)
    }

    /// A copy of the hook for a chain that follows its owner's chain.
    var followed: Link {
      var link = self
      link.isFollowed = true
      return link
    }
  }

  /// The hooks that run from a level on, up to the first that runs instead of the inner levels.
  private struct Segment {
    /// The level of the hook that runs instead; negative if the original ends the segment.
    let instead: Int32

    /// The level after the innermost hook of the segment that runs after the original; zero if
    /// none does, nor one further out.
    let afterEnd: Int32

    /// Whether any hook of the segment runs before.
    let hasBefore: Bool
  }

  // SAFETY: the chain's `links` own the handler and the mark.
  /// The parts of a hook that calls read, without counting references.
  @unsafe
  private struct Step {
    let handler: Unmanaged<CallHandler>
    let mark: Unmanaged<HandlerMark>

    /// The segment that begins with the hook.
    var segment: Segment

    let positions: HookPositions
    let isOfEveryBlock: Bool

    /// The level that the handler proceeds to.
    let level: Int32
  }

  let links: [Link]

  // SAFETY: initialised in `init`, never written again, and freed in `deinit`; the references in
  // the steps are valid as long as `links`.
  nonisolated(unsafe) private let steps: UnsafeMutablePointer<Step>
  private let count: Int

  /// The segment inside of all hooks: the original alone.
  private let innermost: Segment

  private let hasHookOfEveryBlock: Bool

  /// Whether any hook is typed.
  let isTyped: Bool

  /// Code of the signature that the chain's receivers are made for, which the chain's owner keeps
  /// valid while the chain is used.
  let original: OriginalCode
  private let life: BlockLife?
  private let closure: ClosureOriginal?

  init(
    _ links: [Link], original: OriginalCode, _ life: BlockLife?, _ closure: ClosureOriginal? = nil
  ) {
    self.links = links
    self.original = original
    self.life = life
    self.closure = closure
    hasHookOfEveryBlock = links.contains { $0.entry.isOfEveryBlock }
    isTyped = links.contains { $0.typed != nil }
    // SAFETY: the capacity is the number of links, which outlive the steps.
    count = links.count
    unsafe steps = .allocate(capacity: links.count)
    innermost = unsafe Self.fill(steps, for: links)
  }

  // SAFETY: the steps are trivial values, and no call uses them: calls keep their chain alive.
  deinit { unsafe steps.deallocate() }

  /// Initialises the steps of some links, in a time that grows with their number.
  ///
  /// - Returns: The segment inside of them.
  private static func fill(_ steps: UnsafeMutablePointer<Step>, for links: [Link]) -> Segment {
    // SAFETY: there is memory for a step of each link, and a step is initialised before it is read.
    var afterEnd: Int32 = 0
    for (index, link) in links.enumerated() {
      let positions = link.entry.positionsInChain
      let level = Int32(index + 1)
      if positions.contains(.after) { afterEnd = level }
      unsafe (steps + index).initialize(
        to: Step(
          handler: .passUnretained(link.handler), mark: .passUnretained(link.mark),
          segment: Segment(
            instead: level - 1, afterEnd: afterEnd, hasBefore: positions.contains(.before)),
          positions: positions, isOfEveryBlock: link.entry.isOfEveryBlock, level: level))
    }
    let innermost = Segment(instead: -1, afterEnd: afterEnd, hasBefore: false)
    var inner = innermost
    for index in links.indices.reversed() {
      let step = unsafe steps[index]
      if unsafe step.positions.contains(.instead) {
        inner = unsafe step.segment
      } else {
        inner = Segment(
          instead: inner.instead, afterEnd: inner.afterEnd,
          hasBefore: unsafe step.segment.hasBefore || inner.hasBefore)
        unsafe steps[index].segment = inner
      }
    }
    return innermost
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
    if let first, first.entry.isOnlyInstead {
      handler = first.handler
    } else if let first, first.entry.isBeforeWithoutInstead {
      handler = handlerBeginning(with: first)
    } else if let only = links.first, links.count == 1, only.entry.isOnlyAfter {
      handler = CallHandler(onError: reportHandlerError) { frame in
        frame.makeHazardIdle()
        frame.callOriginal()
        self.runLast(&frame)
      }
    } else {
      // The call's hazard pointer need not say that the receiver is running: nobody waits for its
      // handler, which has no mark.
      handler = CallHandler(onError: reportHandlerError) { frame in
        frame.makeHazardIdle()
        self.run(&frame, from: 0, to: 0)
      }
    }
    // SAFETY: the original has the signature, and so has a typed hook's replacement; the links of
    // this chain retain the replacement.
    return unsafe CallReceiver(
      interface, original: original.address, liftsGuard: original.liftsGuard, below: links.count,
      of: life, closure: closure,
      replacement: first?.typed?.replacementAddress, first: handler, levels: self)
  }

  /// Makes the handler of calls whose first hook runs before the inner ones.
  private func handlerBeginning(with first: Link) -> CallHandler {
    if links.count == 1 && innermost.afterEnd == 0 {
      return CallHandler(mark: first.mark, onError: reportHandlerError) { frame in
        self.runFirst(&frame)
        frame.callOriginal()
      }
    }
    if links.count == 1 {
      return CallHandler(mark: first.mark, onError: reportHandlerError) { frame in
        self.runFirstOutOfLine(&frame)
        frame.callOriginal()
        self.runLastOutOfLine(&frame)
      }
    }
    return CallHandler(mark: first.mark, onError: reportHandlerError) { frame in
      self.runFirst(&frame)
      self.run(&frame, from: 1, to: 0)
    }
  }

  /// Whether any hook runs in calls.
  var hooksCalls: Bool { links.hooksCalls }

  /// Instead-handlers nest on the stack, about 2 KiB each in unoptimised code.
  private static let hookLimit = 1000
  private static let nestingLimit = 250

  /// Checks that the chain can take another hook.
  ///
  /// - Throws: `tooManyHooks`.
  func requireRoom(for link: Link, _ noun: String) throws(HookError) {
    let nested = links.count { $0.entry.positionsInChain.contains(.instead) }
    let nests = link.entry.positionsInChain.contains(.instead)
    guard links.count < Self.hookLimit, !nests || nested < Self.nestingLimit else {
      throw HookError(
        .tooManyHooks,
        "the \(noun) has \(links.count) hooks, \(nested) of them instead of it (at most "
          + "\(Self.hookLimit) and \(Self.nestingLimit)); remove some before adding more")
    }
  }

  /// A chain of other hooks around the same original.
  func replacing(_ links: [Link]) -> HookChain {
    HookChain(links, original: original, life, closure)
  }

  /// Runs the handlers in the position `.death`.
  func announceDeath(_ receiver: CallReceiver) {
    var frame = CallFrame(deathOf: receiver)
    // SAFETY: the levels are indices of the steps, here and in the functions below.
    for level in 0..<count where unsafe steps[level].positions.contains(.death) {
      _ = unsafe run(steps + level, .death, &frame)
    }
  }

  /// Runs the before-handlers of a call without a frame, from the outermost to the innermost.
  func runBefore(_ frame: inout CallFrame) {
    for level in 0..<count where unsafe steps[level].positions.contains(.before) {
      _ = unsafe run(steps + level, .before, &frame)
    }
  }

  /// Runs the after-handlers of a call without a frame, from the innermost to the outermost.
  func runAfter(_ frame: inout CallFrame) {
    for level in (0..<count).reversed() where unsafe steps[level].positions.contains(.after) {
      _ = unsafe run(steps + level, .after, &frame)
    }
  }

  func proceed(_ frame: inout CallFrame, below level: Int) {
    let outer = frame.activation
    defer { frame.activation = outer }
    if hasHookOfEveryBlock, unsafe level > 0 && steps[level - 1].isOfEveryBlock {
      let call = unsafe frame.memory.address
      return unsafe ReentrancyGuard.runningOriginal(of: call) {
        run(&frame, from: level, to: level)
      }
    }
    run(&frame, from: level, to: level)
  }

  /// Runs a call whose first handler, in the position `before`, is certainly installed.
  ///
  /// The call's own hazard pointer says that the handler is running, as it does for the only
  /// instead-handler of a first level.
  @inline(__always)
  private func runFirst(_ frame: inout CallFrame) {
    frame.activation = CallFrame.Activation(position: .before, level: 1)
    // SAFETY: there is a first step, whose references the chain owns, which the call keeps alive.
    // The call's hazard pointer is that of the frame.
    _ = unsafe steps[0].handler._withUnsafeGuaranteedRef { $0.run(&frame) }
    frame.makeHazardIdle()
  }

  // These are not on the stack while the original runs.
  @inline(never)
  private func runFirstOutOfLine(_ frame: inout CallFrame) { runFirst(&frame) }
  @inline(never)
  private func runLastOutOfLine(_ frame: inout CallFrame) { runLast(&frame) }

  /// Runs the only hook's handler after the original.
  @inline(__always)
  private func runLast(_ frame: inout CallFrame) {
    unsafe run(steps, .after, &frame, by: frame.hazard)
  }

  /// Runs the hooks from the given level on, and inside of them the original.
  ///
  /// The after-handlers run up to the level `top`. This call is on the stack while the original
  /// runs; those of `runBefore` and `runAfter`, which run handlers, are not, which saves stack where
  /// a block calls itself.
  @inline(__always)
  private func run(_ frame: inout CallFrame, from level: Int, to top: Int) {
    let segment = level == count ? innermost : unsafe steps[level].segment
    let instead = Int(segment.instead)
    if segment.hasBefore {
      unsafe runBefore(&frame, from: steps + level, to: steps + (instead < 0 ? count : instead + 1))
    }
    if instead < 0 {
      frame.callOriginal()
    } else if unsafe !run(steps + instead, .instead, &frame) {
      runInner(&frame, from: instead + 1)
    }
    let end = Int(segment.afterEnd)
    if end > top { unsafe runAfter(&frame, from: steps + end, to: steps + top) }
  }

  /// Runs the levels inside of an instead-handler that did not.
  @inline(never)
  private func runInner(_ frame: inout CallFrame, from level: Int) {
    run(&frame, from: level, to: level)
  }

  /// Runs the before-handlers of some steps, from the outermost to the innermost.
  @inline(never)
  private func runBefore(
    _ frame: inout CallFrame, from first: UnsafePointer<Step>, to end: UnsafePointer<Step>
  ) {
    let idle = unsafe frame.idleHazard
    var step = unsafe first
    while unsafe step < end {
      if unsafe step.pointee.positions.contains(.before) {
        unsafe run(step, .before, &frame, by: idle)
      }
      unsafe step += 1
    }
  }

  /// Runs the after-handlers of some steps, from the innermost to the outermost.
  @inline(never)
  private func runAfter(
    _ frame: inout CallFrame, from end: UnsafePointer<Step>, to first: UnsafePointer<Step>
  ) {
    let idle = unsafe frame.idleHazard
    var step = unsafe end
    while unsafe step > first {
      unsafe step -= 1
      if unsafe step.pointee.positions.contains(.after) {
        unsafe run(step, .after, &frame, by: idle)
      }
    }
  }

  /// Runs a hook's handler before or after the original, under the call's hazard pointer if that is
  /// idle, or else under one of its own.
  @inline(__always)
  private func run(
    _ step: UnsafePointer<Step>, _ position: CallFrame.Position, _ frame: inout CallFrame,
    by idle: UnsafeMutablePointer<cbr_hazard>?
  ) {
    guard let hazard = unsafe idle else {
      _ = unsafe run(step, position, &frame)
      return
    }
    // SAFETY: as in the function below.
    unsafe cbr_hazard_run(hazard, step.pointee.mark.toOpaque())
    if unsafe !step.pointee.mark._withUnsafeGuaranteedRef({ $0.isRemoved }) {
      frame.activation = unsafe CallFrame.Activation(
        position: position, level: Int(step.pointee.level))
      _ = unsafe step.pointee.handler._withUnsafeGuaranteedRef { $0.run(&frame) }
    }
    if unsafe cbr_hazard_stop(hazard) { unsafe HazardPointers.cleared(hazard) }
  }

  /// Runs a hook's handler in one position, and then restores the activation of the outer level.
  ///
  /// - Returns: False if the hook was removed and nothing was run, or if an instead-handler threw
  ///   before it proceeded: then the call continues without it.
  @inline(never)
  private func run(
    _ step: UnsafePointer<Step>, _ position: CallFrame.Position, _ frame: inout CallFrame
  ) -> Bool {
    // First the hazard pointer, then the question: a removal sets its answer, and then scans.
    // SAFETY: the call keeps the chain alive, which owns the step's references; the hazard pointer
    // is cleared once, on the thread that set it.
    let hazard = unsafe cbr_hazard_protect(step.pointee.mark.toOpaque())
    let outer = frame.activation
    var isDone = false
    if unsafe !step.pointee.mark._withUnsafeGuaranteedRef({ $0.isRemoved }) {
      frame.activation = unsafe CallFrame.Activation(
        position: position, level: Int(step.pointee.level))
      isDone = unsafe step.pointee.handler._withUnsafeGuaranteedRef { $0.run(&frame) }
      frame.activation = outer
    }
    if unsafe cbr_hazard_clear(hazard) { unsafe HazardPointers.cleared(hazard) }
    return isDone
  }
}

extension CallFrame {
  // SAFETY: an entered call's hazard pointer ends at the address, and is in use while the frame
  // lives.
  /// The hazard pointer by which the call protects its receiver; nil if its caller protects that.
  @inline(__always)
  fileprivate var hazard: UnsafeMutablePointer<cbr_hazard>? {
    unsafe hazardEnd.map { unsafe $0.assumingMemoryBound(to: cbr_hazard.self) - 1 }
  }

  /// Makes the hazard pointer idle, which says that the receiver is running.
  fileprivate func makeHazardIdle() {
    if let hazard = unsafe hazard, unsafe cbr_hazard_protect_only(hazard) {
      unsafe HazardPointers.cleared(hazard)
    }
  }

  /// The hazard pointer if it is idle.
  ///
  /// It is not idle in what an outermost instead-handler proceeds to: it says that this handler is
  /// running.
  @inline(__always)
  fileprivate var idleHazard: UnsafeMutablePointer<cbr_hazard>? {
    guard let hazard = unsafe hazard, unsafe cbr_hazard_is_idle(hazard) else { return nil }
    return unsafe hazard
  }
}
