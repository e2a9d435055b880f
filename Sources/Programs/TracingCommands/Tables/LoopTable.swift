internal import BlockRuntimeThreads
import CallTracing
import CommandOptionsAndResults

/// The event loops of a program: how long their ticks took, from one wait to the next, and what ran
/// in the longest.
final class LoopTable: TraceSink {
  /// The time of a thread between two waits.
  private struct Tick {
    let loop: String
    let duration: UInt64
    /// The traced calls that took longest, with their times.
    let calls: [(title: String, duration: UInt64)]
  }

  private struct Loop {
    let name: String
    var ticks = TraceHistogram()
    /// When its last wait ended.
    var begin: UInt64
    /// The calls since, by their depths.
    var calls: [Int: [String: UInt64]] = [:]
  }

  private struct State {
    var loops: [TracedThread: Loop] = [:]
    var longest: [Tick] = []
  }

  private static let rowLimit = 5
  private static let callLimit = 3

  /// Programs may have any number of threads, and calls of any number of functions in a tick.
  private static let loopLimit = 1 << 12
  private static let nameLimit = 64

  private let state = Locked(State())

  func receive(_ records: [TraceRecord]) {
    state.withLock { state in
      for record in records { Self.add(record, to: &state) }
    }
  }

  /// Records come in the order of their ends on a thread.
  private static func add(_ record: TraceRecord, to state: inout State) {
    let thread = TracedThread(record)
    guard record.kind == .wait, LoopWaits.names.contains(record.subject.title) else {
      guard record.hasStarted, let calls = state.loops[thread]?.calls[record.depth] else {
        if state.loops[thread] != nil {
          state.loops[thread]?.calls[record.depth] = [title(record): record.durationNanoseconds]
        }
        return
      }
      let title = title(record)
      guard calls[title] != nil || calls.count < nameLimit else { return }
      state.loops[thread]?.calls[record.depth]?[title, default: 0] &+= record.durationNanoseconds
      return
    }
    let end = record.startNanoseconds &+ record.durationNanoseconds
    guard var loop = state.loops[thread] else {
      guard state.loops.count < loopLimit else { return }
      let name = record.threadName.map { "\($0), " } ?? ""
      state.loops[thread] = Loop(name: "\(name)thread \(record.thread)", begin: end)
      return
    }
    let duration = record.startNanoseconds > loop.begin ? record.startNanoseconds - loop.begin : 0
    loop.ticks.add(duration)
    // Calls of the same depth stand beside the wait; deeper ones are inside of them.
    let calls = loop.calls[record.depth, default: [:]].sorted {
      ($1.value, $0.key) < ($0.value, $1.key)
    }
    let tick = Tick(
      loop: loop.name, duration: duration,
      calls: calls.prefix(callLimit).map { (title: $0.key, duration: $0.value) })
    (loop.begin, loop.calls) = (end, [:])
    state.loops[thread] = loop
    let place = state.longest.firstIndex { $0.duration < duration } ?? state.longest.count
    guard place < rowLimit else { return }
    state.longest.insert(tick, at: place)
    if state.longest.count > rowLimit { state.longest.removeLast() }
  }

  private static func title(_ record: TraceRecord) -> String { TracedName(record.subject).short }

  /// The tables; that no loop was seen, if so.
  func text(_ style: TextStyle) -> String {
    let state = state.withLock { $0 }
    let loops = state.loops.values.filter { $0.ticks.count > 0 }
      .sorted { ($1.ticks.total, $0.name) < ($0.ticks.total, $1.name) }
    guard !loops.isEmpty else { return "no event loop was seen\n" }
    var table = TextTable(headings: ["ticks", "total ms", "p50 µs", "p99 µs", "max µs", "loop"])
    for loop in loops {
      table.append(
        ["\(loop.ticks.count)", TableCells.milliseconds(loop.ticks.total)]
          + TableCells.waits(loop.ticks) + [loop.name])
    }
    var longest = TextTable(headings: ["longest ticks", "loop", "what ran"])
    for tick in state.longest {
      let calls = tick.calls.map { "\($0.title) (\(String(nanoseconds: $0.duration)))" }
      longest.append([
        String(nanoseconds: tick.duration), tick.loop,
        calls.isEmpty ? "nothing that is traced" : calls.joined(separator: ", "),
      ])
    }
    return table.text(style: style) + "\n" + longest.text(style: style)
  }
}
