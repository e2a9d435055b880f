internal import Invocations

// SAFETY: the chain's links own the handler and the mark.
/// A hook's handler in one position of calls, which calls read without counting references.
@unsafe
struct HookStep {
  /// The handler; nil in the step that ends a segment.
  let handler: Unmanaged<CallHandler>?
  let mark: Unmanaged<HandlerMark>?

  /// The activation with which the handler is called; its position is `death` at the end of a
  /// segment: no other step has it, so that loops over steps of one position stop there.
  let activation: CallFrame.Activation

  init(_ link: HookLink, _ position: CallFrame.Position, level: Int) {
    unsafe handler = .passUnretained(link.handler)
    unsafe mark = .passUnretained(link.mark)
    unsafe activation = CallFrame.Activation(position: position, level: level)
  }

  /// The end of a segment.
  init() {
    unsafe handler = nil
    unsafe mark = nil
    unsafe activation = CallFrame.Activation(position: .death, level: 0)
  }
}

/// The handlers of a chain, in the order in which calls run them.
///
/// They are divided into segments. A segment has the hooks from some level on up to the first that
/// runs instead of the inner hooks: first the before-handlers, then the instead-handler, if there
/// is one, then the after-handlers, from the innermost to the outermost, and a step that ends the
/// segment. The first segment begins at level 0, and each other segment inside of an
/// instead-handler, at the level to which that handler proceeds.
@safe
struct HookSteps: ~Copyable, @unchecked Sendable {
  // SAFETY, also of `@unchecked Sendable`: both memories are initialised in `init`, never written
  // again, and freed in `deinit`; the steps' references are valid as long as the links. There is
  // memory for each link's positions, and for the end of each segment.
  private let steps: UnsafeMutablePointer<HookStep>

  /// For each level, the first step of the segment that begins there; for a level at which none
  /// begins, the first step of the chain.
  private let segments: UnsafeMutablePointer<UnsafePointer<HookStep>>

  init(_ links: [HookLink]) {
    let positions = links.map { $0.hook.positionsInChain }
    let handlers = positions.reduce(0) { $0 + $1.intersection(.calls).rawValue.nonzeroBitCount }
    let ends = 1 + positions.count { $0.contains(.instead) }
    unsafe steps = .allocate(capacity: handlers + ends)
    unsafe segments = .allocate(capacity: links.count + 1)
    unsafe segments.initialize(repeating: steps, count: links.count + 1)
    var next = unsafe steps
    func add(_ step: HookStep) {
      unsafe next.initialize(to: step)
      unsafe next += 1
    }
    func add(_ index: Int, if set: HookPositions, _ position: CallFrame.Position) {
      guard positions[index].contains(set) else { return }
      unsafe add(HookStep(links[index], position, level: index + 1))
    }
    var begin = 0
    while true {
      let instead = positions[begin...].firstIndex { $0.contains(.instead) }
      let levels = begin..<(instead.map { $0 + 1 } ?? links.count)
      unsafe segments[begin] = unsafe UnsafePointer(next)
      for index in levels { add(index, if: .before, .before) }
      if let instead { add(instead, if: .instead, .instead) }
      for index in levels.reversed() { add(index, if: .after, .after) }
      unsafe add(HookStep())
      if instead == nil { return }
      begin = levels.upperBound
    }
  }

  // SAFETY: the steps are trivial values, and no call uses them: calls keep their chain alive.
  deinit {
    unsafe steps.deallocate()
    unsafe segments.deallocate()
  }

  /// The first step of the segment that begins at a level.
  ///
  /// ## Safety
  /// The level must be 0, or that to which a handler of the chain proceeds. The step is valid as
  /// long as the chain.
  @unsafe
  @inline(__always)
  func segment(at level: Int) -> UnsafePointer<HookStep> { unsafe segments[level] }
}
