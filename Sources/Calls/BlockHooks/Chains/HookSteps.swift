internal import Invocations

// SAFETY: the chain's links own the handler and the mark.
/// A hook's handler in one position of calls, which calls read without counting references.
@unsafe
struct HookStep {
  /// The handler; nil in the step that ends a segment.
  let handler: Unmanaged<CallHandler>?
  let mark: Unmanaged<HandlerMark>?

  /// The activation with which the handler is called; its position is `death` at the end of a
  /// segment, which no call runs.
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
/// runs instead of the inner ones: first the handlers that run before, then the one that runs
/// instead, if there is one, then those that run after, from the innermost to the outermost, and a
/// step that ends the segment. The first segment begins at level 0, each other one inside of a hook
/// that runs instead, at the level to which its handler proceeds.
@safe
struct HookSteps: ~Copyable, @unchecked Sendable {
  // SAFETY: `@unchecked Sendable`, too: both are initialised in `init`, never written again, and freed in `deinit`; the steps'
  // references are valid as long as the links. There is memory for each link's three positions, and
  // for the ends of one more segment than there are links.
  private let steps: UnsafeMutablePointer<HookStep>

  /// The first step of the segment that begins at each level; that of the whole chain for levels at
  /// which none does.
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
