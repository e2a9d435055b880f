import BlockRuntime
internal import BlockRuntimeThreads
import CommandOptionsAndResults
import Synchronization

/// The blocks of `hook-demo delay` on the timer of the process, and the record of their events.
///
/// All of them run inline, on the timer's thread, also those that cancel, move and hurry the
/// others: so events happen in the order of their times, however busy the machine is.
final class DelayRun: Sendable {
  /// A block and its state.
  struct Record: Sendable {
    let item: DelayPlan.Item
    /// The time at which it is due, from the beginning.
    var due: Duration
    var token: DelayedBlock?
    /// The event that ended it: `ran` or `cancelled`.
    var end: DelayEvent?
  }

  /// The state of all blocks at one time.
  struct Snapshot: Sendable {
    var records: [Record]
    var events: [DelayEvent] = []
    var start: DelayTimer.Instant?
    var ticks = 0
    var ticker: RepeatingBlock?
    /// The blocks that cancel, move and hurry others, and that release the owner.
    fileprivate var controls: [DelayedBlock] = []
  }

  /// An object whose death ends the repeating block.
  private final class Owner: Sendable {}

  let plan: DelayPlan
  private let timer = DelayTimer.shared
  private let onEvent: @Sendable (DelayEvent) -> Void
  private let state: Locked<Snapshot>
  private let owner = Locked<Owner?>(Owner())

  /// Prepares blocks.
  ///
  /// - Parameters:
  ///   - plan: The plan for the blocks.
  ///   - onEvent: Called with each event on the timer's thread, which it must not block.
  init(_ plan: DelayPlan, onEvent: @escaping @Sendable (DelayEvent) -> Void) {
    self.plan = plan
    self.onEvent = onEvent
    state = Locked(Snapshot(records: plan.items.map { Record(item: $0, due: $0.due) }))
  }

  /// The current state.
  var snapshot: Snapshot { state.withLock { $0 } }

  /// The time since the beginning.
  var time: Duration { state.withLock(\.start)?.duration(to: timer.now) ?? .zero }

  /// Schedules all blocks; blocks that become due meanwhile run afterwards.
  ///
  /// - Throws: A `Failure` if they cannot be scheduled.
  func start() throws(Failure) {
    let scheduling = timer.perform(after: .zero, on: .inline) { [self] in try schedule() }
    scheduling.wait()
    do {
      try scheduling.resultIfFinished?.get()
    } catch {
      let refusal = error as? DelayError
      throw Failure(
        code: refusal?.code.rawValue ?? "unknown", message: refusal?.message ?? "\(error)")
    }
  }

  /// Waits until the plan is completed.
  func wait() {
    let snapshot = snapshot
    // A control ends after the block that it acts on, when it has recorded the event.
    for block in snapshot.records.compactMap(\.token) + snapshot.controls { block.wait() }
    snapshot.ticker?.wait()
  }

  // MARK: On the timer's thread

  private func schedule() throws {
    let start = timer.now
    state.withLock { $0.start = start }
    for (index, item) in plan.items.enumerated() {
      let token = timer.perform(at: start.advanced(by: item.due), on: .inline) { [self] in
        end(index, .ran)
      }
      state.withLock { $0.records[index].token = token }
      note(item.number, .scheduled, due: item.due)
      control(index, token)
    }
    guard let owner = owner.withLock({ $0 }) else { return }
    let ticker = try timer.repeat(every: plan.tickInterval, for: owner, on: .inline) {
      [self] _, tick in
      state.withLock { $0.ticks += 1 }
      note(0, .ticked, due: start.duration(to: tick.instant))
    }
    ticker.whenEnded { [self] _ in note(0, .ended) }
    state.withLock { $0.ticker = ticker }
    at(plan.ownerDies) { [self] in
      // The owner dies here, outside the lock, and the repeating block ends with it.
      _ = self.owner.withLock { $0.take() }
    }
  }

  /// Schedules the control that carries out a block's planned fate.
  private func control(_ index: Int, _ token: DelayedBlock) {
    switch plan.items[index].fate {
    case .runs: break
    case .cancelled(let time):
      at(time) { [self] in
        if token.cancel() { end(index, .cancelled) }
      }
    case .moved(let time, let due):
      at(time) { [self] in
        guard let start = state.withLock(\.start), token.reschedule(at: start.advanced(by: due))
        else { return }
        state.withLock { $0.records[index].due = due }
        note(plan.items[index].number, .moved, due: due)
      }
    case .hurried(let time): at(time) { token.runNow() }
    }
  }

  private func at(_ time: Duration, _ body: @escaping @Sendable () -> Void) {
    guard let start = state.withLock(\.start) else { return }
    let control = timer.perform(at: start.advanced(by: time), on: .inline, body)
    state.withLock { $0.controls.append(control) }
  }

  /// Records that a block ran or was cancelled.
  private func end(_ index: Int, _ kind: DelayEvent.Kind) {
    let time = time
    let event = state.withLock { state in
      let event = DelayEvent(
        block: plan.items[index].number, kind: kind, at: time, due: state.records[index].due)
      state.records[index].end = event
      state.events.append(event)
      return event
    }
    onEvent(event)
  }

  private func note(_ block: Int, _ kind: DelayEvent.Kind, due: Duration? = nil) {
    let event = DelayEvent(block: block, kind: kind, at: time, due: due)
    state.withLock { $0.events.append(event) }
    onEvent(event)
  }
}
