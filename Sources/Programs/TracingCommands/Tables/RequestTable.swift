internal import BlockRuntimeThreads
import CallTracing
import CommandOptionsAndResults
import Glibc

/// The tasks whose names match patterns, such as the requests of a server: how long they took by
/// name, and where the time of the slowest went.
final class RequestTable: TraceSink {
  private typealias Key = TracedTask.Key

  private struct State {
    /// A child may end before its parent's first part does, so all tasks are kept.
    var tasks = RecentValues<Key, RequestTotals>(limit: 1 << 17)
    var hasForgotten = false
  }

  private static let slowestLimit = 10

  private let patterns: [String]
  private let wallClockAtZero: UInt64
  private let state = Locked(State())

  /// Creates a table.
  ///
  /// - Parameters:
  ///   - patterns: Patterns of the shell for the names of tasks.
  ///   - wallClockAtZero: When the clock of the records was zero, in nanoseconds since 1970.
  init(_ patterns: [String], wallClockAtZero: UInt64) {
    (self.patterns, self.wallClockAtZero) = (patterns, wallClockAtZero)
  }

  func receive(_ records: [TraceRecord]) {
    state.withLock { state in
      for record in records where record.kind == .call {
        guard let task = record.isPartOfTask ? record.task : record.submission?.task else {
          continue
        }
        state.tasks.update(Key(process: record.process, number: task.number)) { totals in
          if totals == nil { totals = RequestTotals(task, process: record.process) }
          if record.isPartOfTask { totals?.add(record) } else { totals?.add(sent: record) }
        }
        if !state.tasks.trim().isEmpty { state.hasForgotten = true }
      }
    }
  }

  /// The tables; that there was no such task, if so.
  func text(_ style: TextStyle) -> String {
    let (tasks, hasForgotten) = state.withLock { ($0.tasks.all.map(\.value), $0.hasForgotten) }
    let requests = tasks.filter { isRequest($0.task) && $0.begin != .max }
    guard !requests.isEmpty else {
      return "no task has a name like \(patterns.joined(separator: ", "))\n"
    }
    let note = hasForgotten ? "of the last \(tasks.count) tasks\n" : ""
    return byName(requests, style) + "\n" + slowest(requests, of: tasks, style) + note
  }

  private func isRequest(_ task: TracedTask) -> Bool {
    guard let name = task.name else { return false }
    // SAFETY: both texts are null-terminated for the call.
    return patterns.contains { unsafe fnmatch($0, name, 0) == 0 }
  }

  private func byName(_ requests: [RequestTotals], _ style: TextStyle) -> String {
    var rows: [String: TraceHistogram] = [:]
    for request in requests {
      rows[request.task.name ?? "", default: TraceHistogram()].add(request.duration)
    }
    var table = TextTable(headings: ["tasks", "p50 ms", "p90 ms", "p99 ms", "max ms", "task"])
    for (name, times) in rows.sorted(by: { ($1.value.total, $0.key) < ($0.value.total, $1.key) }) {
      let shares = [50, 90, 99].map { times.percentile($0) } + [times.maximum]
      table.append(
        ["\(times.count)"] + shares.map { TableCells.milliseconds($0 ?? 0) } + [name])
    }
    return table.text(style: style)
  }

  private func slowest(
    _ requests: [RequestTotals], of tasks: [RequestTotals], _ style: TextStyle
  ) -> String {
    let children = Dictionary(
      grouping: tasks, by: { Key(process: $0.process, number: $0.task.parent ?? 0) })
    var table = TextTable(headings: [
      "took ms", "at", "ran", "waited for thread", "actor", "continuation", "tasks", "not seen",
      "children", "they ran", "blocks", "they ran", "slowest tasks",
    ])
    let slowest = requests.sorted { ($1.duration, $0.begin) < ($0.duration, $1.begin) }
    for request in slowest.prefix(Self.slowestLimit) {
      let inner = descendants(of: request, children)
      let sent = ([request] + inner).reduce(into: (count: 0, ran: UInt64(0))) {
        $0.count += $1.sent.count
        $0.ran &+= $1.sent.ran
      }
      func suspended(_ reasons: TaskSuspension...) -> String {
        let time = reasons.reduce(0) { $0 &+ (request.suspensions.all[$1] ?? 0) }
        return time == 0 ? "" : TableCells.milliseconds(time)
      }
      table.append([
        TableCells.milliseconds(request.duration), clock(request.begin),
        TableCells.milliseconds(request.ran), TableCells.milliseconds(request.waited),
        suspended(.executor), suspended(.continuation), suspended(.task, .group),
        suspended(.suspended, .left, .replaced), TableCells.countIfAny(inner.count),
        inner.isEmpty ? "" : TableCells.milliseconds(inner.reduce(0) { $0 &+ $1.ran }),
        TableCells.countIfAny(sent.count), sent.count == 0 ? "" : TableCells.milliseconds(sent.ran),
        "\(request.task)",
      ])
    }
    return table.text(style: style)
  }

  private func descendants(
    of request: RequestTotals, _ children: [Key: [RequestTotals]]
  ) -> [RequestTotals] {
    var (all, next) = ([RequestTotals](), 0)
    var seen: Set = [Key(process: request.process, number: request.task.number)]
    var parents = Array(seen)
    while next < parents.count {
      // A damaged stream may have a cycle.
      for child in children[parents[next]] ?? [] {
        let key = Key(process: child.process, number: child.task.number)
        guard seen.insert(key).inserted else { continue }
        all.append(child)
        parents.append(key)
      }
      next += 1
    }
    return all
  }

  /// The time of the day, for comparison with lines of a log.
  private func clock(_ nanoseconds: UInt64) -> String {
    let time = wallClockAtZero &+ nanoseconds
    var seconds = time_t(clamping: time / 1_000_000_000)
    var parts = unsafe tm()
    // SAFETY: both are variables of this call.
    guard unsafe localtime_r(&seconds, &parts) != nil else { return "" }
    let thousandths = String(1_000 + time / 1_000_000 % 1_000).dropFirst()
    let words = unsafe [parts.tm_hour, parts.tm_min, parts.tm_sec].map {
      String(100 + $0).dropFirst()
    }
    return words.joined(separator: ":") + ".\(thousandths)"
  }
}
