import BlockHooks
import CallTracing
import CommandOptionsAndResults

/// The switch of a run that begins idle: what `hook-demo tell` starts and stops, step by step.
final class RunSwitch {
  /// What is awaited, and what is there when nothing is.
  private enum Phase {
    case idle, starting, tracing
    /// Programs put their slots back.
    case stopping
    /// Blocks that were sent before are about to begin.
    case finishing
    /// Programs record nothing more.
    case ending
  }

  private let control: TraceSwitch
  private let collector: TraceCollector
  private var phase = Phase.idle

  /// How many processes were told of the last turn.
  private var toldCount = 0

  /// When that is not awaited any more which the phase awaits.
  private var deadline: UInt64 = 0

  /// How long the trace lasted until it was last stopped, and since when it goes on.
  private var traced: (before: UInt64, since: UInt64?) = (0, nil)

  /// How long programs may take: a fork that ends meanwhile does not answer.
  private static let answerLimit: UInt64 = 5_000_000_000

  /// How long it may take to read what was recorded before the end.
  private static let readingLimit: UInt64 = 20_000_000_000

  /// How long blocks are awaited that were sent and have not begun.
  private static let blockLimit: UInt64 = 2_000_000_000

  init(_ control: TraceSwitch, _ collector: TraceCollector) {
    self.control = control
    self.collector = collector
  }

  /// Whether nothing is traced, nor will be soon.
  var isIdle: Bool { phase == .idle }

  /// Whether any program has ever listened.
  var hasListeners: Bool { control.hasListeners }

  /// Whether the trace was ever started.
  var hasStarted: Bool { traced.since != nil || traced.before > 0 }

  /// How long the trace has lasted, without its pauses, in nanoseconds.
  func duration(at now: UInt64) -> UInt64 {
    traced.before + (traced.since.map { now &- $0 } ?? 0)
  }

  /// Begins what a request asks; `step` goes on with it.
  func begin(_ verb: TellRequest.Verb, at now: UInt64) {
    switch (verb, phase) {
    case (.start, .idle):
      collector.resume()
      traced.since = now
      turn(to: .tracing, .starting, at: now)
    case (.stop, .tracing):
      traced = (duration(at: now), nil)
      turn(to: .finishing, .stopping, at: now)
    default: break
    }
  }

  /// Goes on with what was begun.
  ///
  /// - Parameters:
  ///   - hasMore: Whether streams may have more that was not read.
  ///   - now: The time now, by `CLOCK_MONOTONIC`.
  /// - Returns: Whether all is done.
  func step(hasMore: Bool, at now: UInt64) -> Bool {
    let isLate = now >= deadline
    let isAnswered = control.answerCount >= toldCount || isLate
    switch phase {
    case .idle, .tracing: return true
    case .starting where isAnswered: phase = .tracing
    case .stopping where isAnswered:
      phase = .finishing
      deadline = now + Self.blockLimit
    case .finishing where isLate || !hasMore && !collector.hasBlocksThatBegin:
      turn(to: .idle, .ending, at: now)
    case .ending where isAnswered && (!hasMore || now >= deadline + Self.readingLimit):
      collector.pause(at: now)
      phase = .idle
    default: return false
    }
    return phase == .idle || phase == .tracing
  }

  private func turn(to position: TraceSwitch.Position, _ phase: Phase, at now: UInt64) {
    toldCount = control.turn(to: position)
    deadline = now + Self.answerLimit
    self.phase = phase
  }

  // MARK: - Answers

  /// What the trace does now.
  func text(at now: UInt64) -> String {
    let programs = toldCount.of("program")
    let missing = toldCount - control.answerCount
    let remark =
      missing > 0
      ? "\n\(missing) of them did not answer: they have ended, or are suspended and follow when they "
        + "go on"
      : toldCount == 0 ? "\nprograms that are suspended follow when they go on" : ""
    let failures = control.failureCount
    let untraced =
      failures > 0
      ? "\nnot traced: \(failures.of("program")) can make no stream: a descriptor is missing, or the user "
        + "or the root directory was changed; trace them from their beginning" : ""
    let time = "\(TableCells.seconds(duration(at: now))) s so far"
    let refusals = collector.refusals.map { "\nnot traced: \($0.message)" }.joined()
    return isIdle
      ? "idle: \(programs) told; the trace lasted \(time)\(remark)\n"
      : "tracing: \(programs) told, and what they start; the trace lasted \(time)\(remark)\(untraced)\(refusals)\n"
  }

  /// What the trace does now, as a JSON document.
  func document(at now: UInt64) -> JSONValue {
    .object([
      ("state", .string(isIdle ? "idle" : "tracing")), ("told", .integer(toldCount)),
      ("answered", .integer(control.answerCount)), ("failed", .integer(control.failureCount)),
      ("duration", .number("\(duration(at: now))")),
      ("refusals", .array(collector.refusals.map { .string($0.message) })),
    ])
  }
}
