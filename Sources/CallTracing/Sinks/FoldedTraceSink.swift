private import BlockRuntimeThreads

/// Writes folded stacks, of which flame graphs are made: a line for each stack of calls, with its
/// frames from the outermost inwards, `;` between them, and a number of nanoseconds.
///
/// The frames are the process, if the calls are those of another one, the functions that sent the
/// outermost block to its queue, and the calls. `flamegraph.pl --countname ns`, `inferno-flamegraph` and
/// <https://www.speedscope.app> read this format. The lines are written when the tracer closes, sorted;
/// until then each different stack is in memory.
public final class FoldedTraceSink: TraceSink {
  /// What the nanoseconds of a stack are.
  public enum Weight: Sendable {
    /// The time that the innermost call took without the traced calls inside of it.
    case ownTime
    /// The time that the innermost block waited for its queue, without delays that the program asked
    /// for.
    case wait
  }

  private struct State {
    var calls = NestedCalls()
    var weights: [String: UInt64] = [:]
    var recordCount = 0
    var lostCount = 0
    var isFinished = false
  }

  private let output: TraceOutput
  private let weight: Weight
  private let stackLimit: Int
  private let state = Locked(State())

  /// The stack of what is in none of the first `stackLimit` stacks.
  private static let others = "(other stacks)"

  /// Creates a sink.
  ///
  /// - Parameters:
  ///   - output: Receives the lines.
  ///   - weight: What the numbers are.
  ///   - stackLimit: The number of different stacks; the weights of any others are added up in one line.
  public init(_ output: TraceOutput, weight: Weight = .ownTime, stackLimit: Int = 200_000) {
    self.output = output
    self.weight = weight
    self.stackLimit = stackLimit
  }

  /// Adds up the records.
  public func receive(_ records: [TraceRecord]) {
    // Records come on one thread at a time: the lock is free.
    state.withLock { state in
      guard !state.isFinished else {
        state.lostCount += records.count
        return
      }
      state.recordCount += records.count
      for record in records { add(state.calls.add(record), to: &state) }
    }
  }

  /// Writes the lines.
  public func finish() {
    state.withLock { state in
      guard !state.isFinished else { return }
      state.isFinished = true
      for calls in state.calls.removeAll() { add(calls, to: &state) }
      var text = TraceText()
      for (stack, weight) in state.weights.sorted(by: { $0.key < $1.key }) where weight > 0 {
        text.append(stack)
        text.append(" " as StaticString)
        text.append(weight)
        text.append("\n" as StaticString)
      }
      state.weights = [:]
      if !output.write(text.bytes) { state.lostCount += state.recordCount }
    }
  }

  /// How many of the records received could not be written.
  public var lostRecordCount: Int { state.withLock { $0.lostCount } }

  /// Adds calls of one thread, in the order in which they began.
  private func add(_ calls: [TraceRecord], to state: inout State) {
    var stack: [Frame] = []
    for call in calls {
      while let frame = stack.last, frame.depth >= call.depth { pop(&stack, to: &state) }
      stack.append(Frame(call, inside: stack.last, weight))
    }
    while !stack.isEmpty { pop(&stack, to: &state) }
  }

  private func pop(_ stack: inout [Frame], to state: inout State) {
    let frame = stack.removeLast()
    let isKnown = state.weights[frame.text] != nil || state.weights.count < stackLimit
    state.weights[isKnown ? frame.text : Self.others, default: 0] &+= frame.weight
    guard weight == .ownTime, let outer = stack.indices.last else { return }
    // Durations are not trusted.
    stack[outer].weight -= min(frame.duration, stack[outer].weight)
  }
}

/// A call, and the calls around it.
private struct Frame {
  let depth: Int
  let duration: UInt64

  /// The whole stack, this call last.
  let text: String

  /// The weight without the calls inside.
  var weight: UInt64

  init(_ call: TraceRecord, inside outer: Frame?, _ weight: FoldedTraceSink.Weight) {
    depth = call.depth
    duration = call.durationNanoseconds
    var frames: [String] = []
    if let outer {
      frames = [outer.text]
    } else {
      if let process = call.processName { frames = [Self.escaped(process)] }
      frames += call.submission?.callers.reversed().map { Self.escaped($0.shortTitle) } ?? []
    }
    frames.append(Self.escaped(call.subject.shortTitle))
    text = frames.joined(separator: ";")
    self.weight =
      switch weight {
      case .ownTime: call.durationNanoseconds
      case .wait: call.submission?.isDelayed == false ? call.waitedNanoseconds ?? 0 : 0
      }
  }

  /// A name without what separates frames and lines.
  private static func escaped(_ name: String) -> String {
    String(
      decoding: name.utf8.map { $0 == UInt8(ascii: ";") || $0 < 0x20 ? 0x20 : $0 }, as: UTF8.self)
  }
}
