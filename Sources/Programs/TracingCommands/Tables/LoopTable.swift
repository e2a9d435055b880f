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
    /// The calls since, by their depths, with their times.
    var calls: [Int: [String: UInt64]] = [:]

    /// Adds a call that began in the tick.
    mutating func add(_ record: TraceRecord) {
      guard record.hasStarted, record.startNanoseconds >= begin, record.depth < depthLimit else {
        return
      }
      let title = TracedName(record.subject).short
      let (depth, duration) = (record.depth, record.durationNanoseconds)
      guard let present = calls[depth], present[title] == nil, present.count >= nameLimit else {
        calls[depth, default: [:]][title, default: 0] &+= duration
        return
      }
      // The longest stay.
      guard let least = present.min(by: { $0.value < $1.value }), least.value < duration else {
        return
      }
      calls[depth]?[least.key] = nil
      calls[depth]?[title] = duration
    }

    /// Ends the tick, and begins the next one.
    mutating func end(at time: UInt64, next: UInt64) -> Tick {
      let duration = time > begin ? time - begin : 0
      ticks.add(duration)
      // The outermost calls: others are inside of them.
      let outermost = calls.min { $0.key < $1.key }?.value ?? [:]
      let longest = outermost.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
      (begin, calls) = (next, [:])
      return Tick(
        loop: name, duration: duration,
        calls: longest.prefix(callLimit).map { (title: $0.key, duration: $0.value) })
    }
  }

  private struct State {
    var loops = RecentValues<TracedThread, Loop>(limit: loopLimit)
    var longest = Longest<Tick>(limit: rowLimit) { $0.duration }

    /// Records come in the order of their ends on a thread.
    mutating func add(_ record: TraceRecord) {
      let thread = TracedThread(record)
      guard LoopWaits.names.contains(record.subject.title) else {
        return loops.update(thread) { $0?.add(record) }
      }
      let end = record.endNanoseconds
      let name = record.threadName.map { "\($0), " } ?? ""
      let tick = loops.update(thread) { loop -> Tick? in
        if loop == nil {
          loop = Loop(name: "\(name)thread \(record.thread)", begin: end)
          return nil
        }
        return loop?.end(at: record.startNanoseconds, next: end)
      }
      loops.trim()
      if let tick { longest.add(tick) }
    }
  }

  private static let rowLimit = 5
  private static let loopRowLimit = 20
  private static let callLimit = 3

  /// Programs may have any number of threads, and calls of any number of functions in a tick.
  private static let loopLimit = 1 << 12
  private static let nameLimit = 64
  private static let depthLimit = 64

  private let state = Locked(State())

  func receive(_ records: [TraceRecord]) {
    state.withLock { for record in records { $0.add(record) } }
  }

  /// The tables; that no loop was seen, if so.
  func text(_ style: TextStyle) -> String {
    let state = state.withLock { $0 }
    let loops = state.loops.all.map(\.value).filter { $0.ticks.count > 0 }
      .sorted { ($1.ticks.total, $0.name) < ($0.ticks.total, $1.name) }
    guard !loops.isEmpty else { return "no event loop was seen\n" }
    var table = TextTable(headings: ["ticks", "total ms", "p50 µs", "p99 µs", "max µs", "loop"])
    for loop in loops.prefix(Self.loopRowLimit) {
      table.append(
        ["\(loop.ticks.count)", TableCells.milliseconds(loop.ticks.total)]
          + TableCells.waits(loop.ticks) + [loop.name])
    }
    var longest = TextTable(headings: ["longest ticks", "loop", "what ran"])
    for tick in state.longest.all {
      let calls = tick.calls.map { "\($0.title) (\(String(nanoseconds: $0.duration)))" }
      longest.append([
        String(nanoseconds: tick.duration), tick.loop,
        calls.isEmpty ? "nothing that is traced" : calls.joined(separator: ", "),
      ])
    }
    let rest = loops.count - Self.loopRowLimit
    return table.text(style: style) + (rest > 0 ? "and \(rest) more\n\n" : "\n")
      + longest.text(style: style)
  }
}
