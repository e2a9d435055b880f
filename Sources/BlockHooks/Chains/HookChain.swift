internal import BlockABI
private import BlockRuntimeThreads
private import CInvocations.HazardPointers
internal import Invocations

// SAFETY, for the whole file: the original is code of the signature that the chain's receiver was
// made for.

/// The hooks of a block at one moment, outermost first, and what lies below them.
///
/// A chain never changes: installing and removing put another in its place, and a call keeps the one
/// it began with.
@safe
final class HookChain: CallLevels {
  /// One hook with its handler.
  struct Link: Sendable {
    let entry: HookEntry
    let handler: CallHandler

    /// What the handler's calls protect.
    let mark: HandlerMark

    let place: HookPlace

    /// The signature that the handler is called by.
    let interface: CallInterface

    /// The block that the handler calls in place of what lies below, if the hook is typed.
    let typed: TypedHook?

    /// Whether another owner's chain has the hook, which this one follows.
    var isFollowed = false

    /// What holds the hooked code: it stays loaded as long as the hook, and its last call.
    let image: LoadedImage?

    /// The same hook, to be installed once more.
    func marked(_ mark: HandlerMark) -> Link {
      Link(
        entry: entry, handler: handler.marked(mark), mark: mark,
        place: HookPlace(priority: place.priority, time: .now()), interface: interface,
        typed: typed, image: image)
    }

    /// The same hook, in a chain that follows its owner's.
    var followed: Link {
      var link = self
      link.isFollowed = true
      return link
    }
  }

  /// What a call reads of a hook: no references are counted.
  @unsafe
  private struct Step {
    let handler: Unmanaged<CallHandler>
    let mark: Unmanaged<HandlerMark>
    let positions: HookPositions
    let isOfEveryBlock: Bool
  }

  let links: [Link]

  // SAFETY: the steps are written here only, and live as long as the links that they refer to.
  nonisolated(unsafe) private let steps: UnsafeMutableBufferPointer<Step>

  /// Whether any hook runs after the original.
  private let runsAfter: Bool

  /// Whether any hook is typed.
  let isTyped: Bool

  // SAFETY: the address is immutable.
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
    unsafe steps = .allocate(capacity: links.count)
    _ = unsafe steps.initialize(
      from: links.map { link in
        unsafe Step(
          handler: .passUnretained(link.handler), mark: .passUnretained(link.mark),
          positions: link.entry.positionsInChain, isOfEveryBlock: link.entry.isOfEveryBlock)
      })
  }

  deinit { unsafe steps.deallocate() }

  /// What gives calls to the chain.
  ///
  /// - Parameters:
  ///   - interface: The signature of the calls.
  ///   - isCurrent: Whether another receiver takes its place when a hook is removed: then calls enter
  ///     the first level at once, without a look at whether its hook still is installed.
  /// - Returns: The receiver; it keeps the chain.
  func receiver(_ interface: CallInterface, isCurrent: Bool) -> CallReceiver {
    let first = links.first.flatMap { isCurrent && !$0.isFollowed ? $0 : nil }
    return unsafe CallReceiver(
      interface, original: original, below: links.count, of: life, errors: errors,
      replacement: first?.typed?.replacementAddress,
      first: first.flatMap { $0.entry.isOnlyInstead ? $0.handler : nil }
        ?? CallHandler(onError: reportHandlerError) { frame in self.run(&frame, from: 0) },
      levels: self)
  }

  /// Whether any hook is part of a call.
  var hooksCalls: Bool { links.hooksCalls }

  /// Instead-handlers are nested on the stack, about 2 KiB each in unoptimised code.
  private static let hookLimit = 1000
  private static let nestingLimit = 250

  /// - Throws: `tooManyHooks`, if the chain takes no more hooks of that kind.
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
    unsafe HookChain(links, original: original, life, errors)
  }

  /// Runs the handlers that asked for the block's death.
  func announceDeath(_ receiver: CallReceiver) {
    var frame = CallFrame(deathOf: receiver)
    for level in unsafe steps.indices where unsafe steps[level].positions.contains(.death) {
      _ = unsafe run(steps[level], .death, &frame, level)
    }
  }

  /// Runs the handlers before a call without a frame, from the outside in.
  func runBefore(_ frame: inout CallFrame) {
    for level in unsafe steps.indices where unsafe steps[level].positions.contains(.before) {
      _ = unsafe run(steps[level], .before, &frame, level)
    }
  }

  /// Runs the handlers after a call without a frame, from the inside out.
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

  /// Runs what lies below a hook of every block: blocks that such a hook makes are left alone, those
  /// of what lies below are not.
  @inline(never)
  private func runUnignored(_ frame: inout CallFrame, from level: Int) {
    ReentrancyGuard.runningOriginal { run(&frame, from: level) }
  }

  /// Runs the hooks from the given level on, and below them the original.
  ///
  /// A block that calls itself has one such call on the stack for each time: what runs handlers is
  /// not part of it.
  @inline(__always)
  private func run(_ frame: inout CallFrame, from level: Int) {
    let (end, isReplaced) = runDown(&frame, from: level)
    if !isReplaced { frame.callOriginal() }
    if runsAfter { runUp(&frame, from: end, to: level) }
  }

  /// Runs the handlers before what lies below, down to the first one in place of it.
  ///
  /// - Returns: The level below the last hook that was part of it, and whether its handler has run in
  ///   place of that.
  private func runDown(
    _ frame: inout CallFrame, from level: Int
  ) -> (end: Int, isReplaced: Bool) {
    for index in level..<(unsafe steps.count) {
      let step = unsafe steps[index]
      if unsafe step.positions.contains(.before) { _ = unsafe run(step, .before, &frame, index) }
      // An instead-handler proceeds to the levels below by itself.
      if unsafe step.positions.contains(.instead), unsafe run(step, .instead, &frame, index) {
        return (index + 1, true)
      }
    }
    return unsafe (steps.count, false)
  }

  /// Runs the handlers after the original, or after what took its place, from the inside out.
  private func runUp(_ frame: inout CallFrame, from end: Int, to level: Int) {
    for index in (level..<end).reversed()
    where unsafe steps[index].positions.contains(.after) {
      _ = unsafe run(steps[index], .after, &frame, index)
    }
  }

  /// Runs a hook's handler in one position, and leaves the frame as the level above had it.
  ///
  /// - Returns: False if the hook has been removed and nothing was run, or if an instead-handler
  ///   threw before it proceeded: then the call goes on without it.
  @inline(__always)
  private func run(
    _ step: Step, _ position: CallFrame.Position, _ frame: inout CallFrame, _ level: Int
  ) -> Bool {
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
  /// Whether any hook is part of a call.
  var hooksCalls: Bool {
    contains { !$0.entry.positionsInChain.isDisjoint(with: .calls) }
  }

  /// The hooks and one more, at its place.
  func inserting(_ link: HookChain.Link) -> Self {
    var links = self
    links.insert(link, at: firstIndex { $0.place < link.place } ?? endIndex)
    return links
  }

  /// The hooks that are the chain's owner's.
  var own: Self { filter { !$0.isFollowed } }

  /// The tokens of those that no hook of every block has installed.
  var listed: [Hook] { filter { !$0.entry.isOfEveryBlock }.map { Hook($0.entry) } }

  /// The hooks without one.
  func removing(_ entry: HookEntry) -> Self { filter { $0.entry !== entry } }
}
