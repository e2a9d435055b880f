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

  // SAFETY: the chain's `links` own the handler and the mark.
  /// The parts of a hook that calls read, without counting references.
  @unsafe
  private struct Step {
    let handler: Unmanaged<CallHandler>
    let mark: Unmanaged<HandlerMark>
    let positions: HookPositions
    let isOfEveryBlock: Bool
  }

  let links: [Link]

  // SAFETY: initialised in `init`, never written again, and freed in `deinit`; the references in
  // the steps are valid as long as `links`.
  nonisolated(unsafe) private let steps: UnsafeMutableBufferPointer<Step>

  /// Whether any hook runs after the original.
  private let runsAfter: Bool

  /// Whether any hook is typed.
  let isTyped: Bool

  // SAFETY: immutable; code of the signature that the chain's receivers are made for, which the
  // chain's owner keeps valid while the chain is used.
  nonisolated(unsafe) let original: UnsafeRawPointer
  private let life: BlockLife?
  private let errors: ErrorPassage?

  init(
    _ links: [Link], original: UnsafeRawPointer, _ life: BlockLife?, _ errors: ErrorPassage? = nil
  ) {
    self.links = links
    unsafe self.original = unsafe original
    self.life = life
    self.errors = errors
    runsAfter = links.contains { $0.entry.positionsInChain.contains(.after) }
    isTyped = links.contains { $0.typed != nil }
    // SAFETY: the capacity is the number of links, which outlive the steps.
    unsafe steps = .allocate(capacity: links.count)
    _ = unsafe steps.initialize(
      from: links.map { link in
        unsafe Step(
          handler: .passUnretained(link.handler), mark: .passUnretained(link.mark),
          positions: link.entry.positionsInChain, isOfEveryBlock: link.entry.isOfEveryBlock)
      })
  }

  // SAFETY: the steps are trivial values, and no call uses them: calls keep their chain alive.
  deinit { unsafe steps.deallocate() }

  /// Makes a receiver that runs the chain.
  ///
  /// - Parameters:
  ///   - interface: The signature of the calls.
  ///   - isCurrent: Whether the receiver is replaced when a hook is removed: then calls enter the
  ///     first level without checking whether its hook is still installed.
  /// - Returns: The receiver, which retains the chain.
  func receiver(_ interface: CallInterface, isCurrent: Bool) -> CallReceiver {
    let first = links.first.flatMap { isCurrent && !$0.isFollowed ? $0 : nil }
    // SAFETY: the original has the signature, and so has a typed hook's replacement; the links of
    // this chain retain the replacement.
    return unsafe CallReceiver(
      interface, original: original, below: links.count, of: life, errors: errors,
      replacement: first?.typed?.replacementAddress,
      first: first.flatMap { $0.entry.isOnlyInstead ? $0.handler : nil }
        ?? CallHandler(onError: reportHandlerError) { frame in self.run(&frame, from: 0) },
      levels: self)
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
    // SAFETY: the owner and the original are those of this chain.
    unsafe HookChain(links, original: original, life, errors)
  }

  /// Runs the handlers in the position `.death`.
  func announceDeath(_ receiver: CallReceiver) {
    var frame = CallFrame(deathOf: receiver)
    // SAFETY: the levels are indices of the steps, here and in the functions below.
    for level in unsafe steps.indices where unsafe steps[level].positions.contains(.death) {
      _ = unsafe run(steps[level], .death, &frame, level)
    }
  }

  /// Runs the before-handlers of a call without a frame, from the outermost to the innermost.
  func runBefore(_ frame: inout CallFrame) {
    for level in unsafe steps.indices where unsafe steps[level].positions.contains(.before) {
      _ = unsafe run(steps[level], .before, &frame, level)
    }
  }

  /// Runs the after-handlers of a call without a frame, from the innermost to the outermost.
  func runAfter(_ frame: inout CallFrame) {
    for level in unsafe steps.indices.reversed()
    where unsafe steps[level].positions.contains(.after) {
      _ = unsafe run(steps[level], .after, &frame, level)
    }
  }

  func proceed(_ frame: inout CallFrame, below level: Int) {
    guard unsafe level > 0 && steps[level - 1].isOfEveryBlock else {
      return run(&frame, from: level)
    }
    runUnignored(&frame, from: level)
  }

  /// Runs the hooks and the original inside a hook of every block.
  ///
  /// Blocks that such a hook creates are not hooked; those that the inner hooks and the original
  /// create are.
  @inline(never)
  private func runUnignored(_ frame: inout CallFrame, from level: Int) {
    ReentrancyGuard.runningOriginal { run(&frame, from: level) }
  }

  /// Runs the hooks from the given level on, and inside of them the original.
  ///
  /// This call is on the stack while the original runs; those of `runDown` and `runUp`, which run
  /// handlers, are not, which saves stack where a block calls itself.
  @inline(__always)
  private func run(_ frame: inout CallFrame, from level: Int) {
    let (end, isReplaced) = runDown(&frame, from: level)
    if !isReplaced { frame.callOriginal() }
    if runsAfter { runUp(&frame, from: end, to: level) }
  }

  /// Runs the before-handlers from a level on, up to and including the first instead-handler.
  ///
  /// - Returns: The level after the last hook that was visited, and whether that hook's handler has
  ///   run in place of the inner levels.
  private func runDown(
    _ frame: inout CallFrame, from level: Int
  ) -> (end: Int, isReplaced: Bool) {
    for index in level..<(unsafe steps.count) {
      let step = unsafe steps[index]
      if unsafe step.positions.contains(.before) { _ = unsafe run(step, .before, &frame, index) }
      // An instead-handler proceeds to the inner levels by itself.
      if unsafe step.positions.contains(.instead), unsafe run(step, .instead, &frame, index) {
        return (index + 1, true)
      }
    }
    return unsafe (steps.count, false)
  }

  /// Runs the after-handlers of some levels, from the innermost to the outermost.
  private func runUp(_ frame: inout CallFrame, from end: Int, to level: Int) {
    for index in (level..<end).reversed()
    where unsafe steps[index].positions.contains(.after) {
      _ = unsafe run(steps[index], .after, &frame, index)
    }
  }

  /// Runs a hook's handler in one position, and then restores the activation of the outer level.
  ///
  /// - Returns: False if the hook was removed and nothing was run, or if an instead-handler threw
  ///   before it proceeded: then the call continues without it.
  @inline(__always)
  private func run(
    _ step: Step, _ position: CallFrame.Position, _ frame: inout CallFrame, _ level: Int
  ) -> Bool {
    // First the hazard pointer, then the question: a removal sets its answer, and then scans.
    // SAFETY: the call keeps the chain alive, which owns the step's references; the hazard pointer
    // is cleared once, on the thread that set it.
    let hazard = unsafe cbr_hazard_protect(step.mark.toOpaque())
    let outer = frame.activation
    var isDone = false
    if unsafe !step.mark._withUnsafeGuaranteedRef({ $0.isRemoved }) {
      frame.activation = CallFrame.Activation(position: position, level: level + 1)
      isDone = unsafe step.handler._withUnsafeGuaranteedRef { $0.run(&frame) }
      frame.activation = outer
    }
    if unsafe cbr_hazard_clear(hazard) { unsafe HazardPointers.cleared(hazard) }
    return isDone
  }
}

extension [HookChain.Link] {
  /// Whether any hook runs in calls, and not only at the block's death.
  var hooksCalls: Bool {
    contains { !$0.entry.positionsInChain.isDisjoint(with: .calls) }
  }

  /// The hooks with another inserted at its place.
  func inserting(_ link: HookChain.Link) -> Self {
    var links = self
    links.insert(link, at: firstIndex { $0.place < link.place } ?? endIndex)
    return links
  }

  /// The hooks that belong to the chain's owner.
  var own: Self { filter { !$0.isFollowed } }

  /// The tokens of the hooks that no hook of every block has installed.
  var listed: [Hook] { filter { !$0.entry.isOfEveryBlock }.map { Hook($0.entry) } }

  /// The hooks without a given one.
  func removing(_ entry: HookEntry) -> Self { filter { $0.entry !== entry } }
}
