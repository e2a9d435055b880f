import BlockRuntime
internal import BlockRuntimeThreads
import CommandOptionsAndResults

/// The blocks of `hook-demo delay` on the timer of the process, and the record of their events.
///
/// All blocks run inline, on the timer's thread, also those that cancel, move and hurry others. So
/// events happen in the order of their times, however busy the machine is.
final class DelayRun: Sendable {
  /// What befalls a block before it is due.
  enum Fate { case nothing, cancelled, moved, hurried }

  /// A block that runs once or never.
  struct Planned: Sendable {
    /// The block's number, from 1.
    let number: Int

    let fate: Fate

    /// The time at which it is due, from the beginning.
    var due: Duration

    var token: DelayedBlock?

    /// The events that ended it, `ran` or `cancelled`: there must be one.
    var ends: [DelayEvent] = []
  }

  /// The state of all blocks at one time.
  struct Snapshot: Sendable {
    var blocks: [Planned]
    var events: [DelayEvent] = []
    var start: DelayTimer.Instant?
    var ticker: RepeatingBlock?
    /// The blocks that cancel, move and hurry others, and that release the owner.
    fileprivate var controls: [DelayedBlock] = []
  }

  /// An object whose death ends the repeating block.
  private final class Owner: Sendable {}

  private let spread: Duration
  private let timer = DelayTimer.shared
  private let onEvent: @Sendable (DelayEvent) -> Void
  private let state: Locked<Snapshot>
  private let owner = Locked<Owner?>(Owner())

  /// Plans blocks, evenly spread over a time.
  ///
  /// - Parameters:
  ///   - count: How many.
  ///   - spread: When the last is due.
  ///   - onEvent: Called with each event on the timer's thread, which it must not block.
  init(
    count: Int, spread: Duration, onEvent: @escaping @Sendable (DelayEvent) -> Void = { _ in }
  ) {
    self.spread = spread
    self.onEvent = onEvent
    let blocks = (1...max(count, 1)).map { number in
      let fate: Fate =
        switch number {
        case _ where number.isMultiple(of: 3): .cancelled
        case 2: .moved
        case 4: .hurried
        default: .nothing
        }
      return Planned(number: number, fate: fate, due: spread * number / count)
    }
    state = Locked(Snapshot(blocks: blocks))
  }

  var snapshot: Snapshot { state.withLock { $0 } }

  /// A text: how long the run goes on, and how many blocks have not ended.
  var countdown: String {
    let pending = snapshot.blocks.count(where: \.ends.isEmpty)
    return "\(max(spread - time, .zero).secondsText) left, \(pending) pending"
  }

  private var time: Duration { state.withLock(\.start)?.duration(to: timer.now) ?? .zero }

  /// Schedules all blocks, and waits until all have ended.
  ///
  /// Blocks that become due while others are scheduled run afterwards.
  ///
  /// - Returns: The run itself.
  /// - Throws: A `Failure` if they cannot be scheduled.
  func run() throws(Failure) -> DelayRun {
    let scheduling = timer.perform(after: .zero, on: .inline) { [self] in try schedule() }
    scheduling.wait()
    try Failure.catching { try scheduling.resultIfFinished?.get() }
    let snapshot = snapshot
    // A control ends after the block that it acts on, when it has recorded the event.
    for block in snapshot.blocks.compactMap(\.token) + snapshot.controls { block.wait() }
    snapshot.ticker?.wait()
    return self
  }

  // MARK: On the timer's thread

  private func schedule() throws {
    let start = timer.now
    state.withLock { $0.start = start }
    for block in snapshot.blocks {
      let (number, due) = (block.number, block.due)
      let token = at(due) { [self] in note(number, .ran) }
      state.withLock { $0.blocks[number - 1].token = token }
      note(number, .scheduled)
      switch block.fate {
      case .nothing: break
      case .cancelled:
        control(at: due / 3) { [self] in if token.cancel() { note(number, .cancelled) } }
      case .moved:
        control(at: due / 2) { [self] in
          guard token.reschedule(at: start.advanced(by: spread)) else { return }
          state.withLock { $0.blocks[number - 1].due = spread }
          note(number, .moved)
        }
      case .hurried: control(at: due / 2) { token.runNow() }
      }
    }
    guard let owner = owner.withLock({ $0 }) else { return }
    let ticker = try timer.repeat(every: spread / 8, for: owner, on: .inline) { [self] _, tick in
      note(0, .ticked, due: start.duration(to: tick.instant))
    }
    ticker.whenEnded { [self] _ in note(0, .ended) }
    state.withLock { $0.ticker = ticker }
    // The owner dies between two ticks, outside the lock, and the repeating block ends with it.
    control(at: spread * 9 / 16) { [self] in _ = self.owner.withLock { $0.take() } }
  }

  private func at(_ time: Duration, _ body: @escaping @Sendable () -> Void) -> DelayedBlock {
    let start = state.withLock(\.start) ?? timer.now
    return timer.perform(at: start.advanced(by: time), on: .inline, body)
  }

  private func control(at time: Duration, _ body: @escaping @Sendable () -> Void) {
    let control = at(time, body)
    state.withLock { $0.controls.append(control) }
  }

  /// Records an event of a block, by its number; 0 is the repeating block.
  private func note(_ number: Int, _ kind: DelayEvent.Kind, due: Duration? = nil) {
    let time = time
    let event = state.withLock { state in
      let due = number == 0 ? due : state.blocks[number - 1].due
      let event = DelayEvent(block: number, kind: kind, at: time, due: due)
      if kind == .ran || kind == .cancelled { state.blocks[number - 1].ends.append(event) }
      state.events.append(event)
      return event
    }
    onEvent(event)
  }
}
