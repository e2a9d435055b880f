private import BlockRuntimeThreads

/// Writes folded stacks, of which flame graphs are made: a line for each stack of calls, with its
/// frames from the outermost inwards, `;` between them, and a number of nanoseconds.
///
/// The frames are the process, if the calls are those of another one, the functions that sent the
/// outermost block to its queue or made the outermost call, and the calls. `flamegraph.pl
/// --countname ns`, `inferno-flamegraph` and <https://www.speedscope.app> read this format. The
/// lines are written when the tracer closes, sorted; until then each different stack is in memory.
public final class FoldedTraceSink: TraceSink {
  /// What the nanoseconds of a stack are.
  public enum Weight: Sendable {
    /// The time that the innermost call took without the traced calls inside of it.
    case ownTime
    /// The time that the innermost block waited for its queue, without delays that the program
    /// asked for.
    case wait
  }

  private struct State {
    var threads: [TracedThread: OpenStacks] = [:]
    /// The bytes of the stacks of all threads.
    var openByteCount = 0
    var stacks = FoldedStacks()
    var recordCount = 0
    var lostCount = 0
    var isFinished = false
  }

  private let output: TraceOutput
  private let weight: Weight
  private let limits: FoldedStacks.Limits
  private let state = Locked(State())

  /// Creates a sink.
  ///
  /// - Parameters:
  ///   - output: Receives the lines.
  ///   - weight: What the numbers are.
  ///   - stackLimit: The number of different stacks; the weights of any others are added up in one
  ///     line.
  public convenience init(
    _ output: TraceOutput, weight: Weight = .ownTime, stackLimit: Int = 200_000
  ) {
    self.init(output, weight: weight, FoldedStacks.Limits(count: stackLimit, bytes: 1 << 27))
  }

  /// Creates a sink with a limit of bytes, too.
  ///
  /// It holds for the stacks that have ended, and for those that have not: a damaged stream may
  /// tell of any number of threads, each with long names.
  init(_ output: TraceOutput, weight: Weight, _ limits: FoldedStacks.Limits) {
    self.output = output
    self.weight = weight
    self.limits = limits
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
      for record in records.innermostFirst { add(record, to: &state) }
    }
  }

  /// Writes the lines.
  public func finish() {
    state.withLock { state in
      guard !state.isFinished else { return }
      state.isFinished = true
      closeThreads(&state)
      var text = TraceText()
      for (stack, weight) in state.stacks.weights.sorted(by: { $0.key < $1.key }) where weight > 0 {
        text.append(stack)
        text.append(" ")
        text.append(weight)
        text.append("\n")
      }
      state.stacks = FoldedStacks()
      if !output.write(text.bytes) { state.lostCount += state.recordCount }
    }
  }

  /// How many of the records received could not be written.
  public var lostRecordCount: Int { state.withLock { $0.lostCount } }

  /// Calls inside of more than these have no frame: their time is that of the call around them.
  private static let depthLimit = 256

  /// Adds the stacks of calls that have ended to those of all threads, without the calls around
  /// them, which are not known.
  private func closeThreads(_ state: inout State) {
    for open in state.threads.values {
      for inner in open.stacks.values { state.stacks.add(inner, inside: "", limits) }
    }
    state.threads = [:]
    state.openByteCount = 0
  }

  /// Adds a call that has ended; those inside of it were added before.
  private func add(_ call: TraceRecord, to state: inout State) {
    guard call.depth <= Self.depthLimit else { return }
    let thread = TracedThread(call)
    var open = state.threads[thread] ?? OpenStacks()
    state.threads[thread] = nil
    let inner = open.stacks.removeValue(forKey: call.depth + 1)
    state.openByteCount -= inner?.byteCount ?? 0
    let inside = open.durations.removeValue(forKey: call.depth + 1) ?? 0
    let name = Self.escaped(call.subject.shortTitle)
    let prefix = call.depth == 0 ? Self.frames(around: call) + name : name
    func add(to outer: inout FoldedStacks) {
      if let inner { outer.add(inner, inside: prefix + ";", limits) }
      outer.add(own(call, inside), to: prefix, limits)
    }
    if call.depth == 0 {
      add(to: &state.stacks)
    } else {
      var outer = open.stacks.removeValue(forKey: call.depth) ?? FoldedStacks()
      state.openByteCount -= outer.byteCount
      add(to: &outer)
      state.openByteCount += outer.byteCount
      open.stacks[call.depth] = outer
      open.durations[call.depth, default: 0].addClamped(call.durationNanoseconds)
    }
    if !open.stacks.isEmpty { state.threads[thread] = open }
    if state.openByteCount > limits.bytes { closeThreads(&state) }
  }

  private func own(_ call: TraceRecord, _ inside: UInt64) -> UInt64 {
    switch weight {
    // Durations are not trusted.
    case .ownTime: call.durationNanoseconds - min(inside, call.durationNanoseconds)
    case .wait: call.submission?.isDelayed == false ? call.waitedNanoseconds ?? 0 : 0
    }
  }

  /// The process and the functions that sent or made an outermost call, each with a separator
  /// behind it.
  private static func frames(around call: TraceRecord) -> String {
    var frames = call.processName.map { [$0] } ?? []
    frames += call.callers.reversed().map(\.shortTitle)
    return frames.map { escaped($0) + ";" }.joined()
  }

  /// A name without what separates frames and lines.
  private static func escaped(_ name: String) -> String {
    String(
      decoding: name.utf8.map { $0 == UInt8(ascii: ";") || $0 < 0x20 ? 0x20 : $0 }, as: UTF8.self)
  }
}

/// The calls of a thread that have ended, and whose outer call has not, by their depth.
private struct OpenStacks {
  /// Stacks that begin with such a call.
  var stacks: [Int: FoldedStacks] = [:]
  var durations: [Int: UInt64] = [:]
}
