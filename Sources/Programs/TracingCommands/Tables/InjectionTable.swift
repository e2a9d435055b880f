internal import BlockRuntimeThreads
import CallTracing
internal import CodeSymbols
import CommandOptionsAndResults

/// Counts the faults that were injected: which, into calls of which function, and by whom these
/// were made.
final class InjectionTable: TraceSink {
  private struct Row: Hashable {
    let fault: String
    var function = "a call that had not ended"
    var image = ""
    var caller = ""
  }

  /// How often a fault was injected, and into which calls.
  private struct Count {
    var number = 0
    var place = CommonValue<CodePlace>()

    mutating func add(_ place: CodePlace?) {
      number += 1
      self.place.add(place)
    }
  }

  private struct State {
    var counts: [Row: Count] = [:]
    /// The faults in calls of each thread that have not ended.
    var open: [TracedThread: [(depth: Int, fault: String)]] = [:]

    /// A fault is recorded within the call that gets it, and so before that.
    mutating func add(_ record: TraceRecord) {
      let thread = TracedThread(record)
      let title = record.subject.title
      guard !title.hasPrefix(InjectedFault.prefix) else {
        let fault = String(title.dropFirst(InjectedFault.prefix.count))
        return open[thread, default: []].append((record.depth, fault))
      }
      guard let faults = open[thread], faults.contains(where: { $0.depth > record.depth })
      else { return }
      for (depth, fault) in faults where depth == record.depth + 1 {
        let caller = record.callers.first
        let row = Row(
          fault: fault, function: record.subject.title,
          image: caller?.image?.fileName ?? "",
          caller: caller?.shortName ?? caller?.name ?? "")
        counts[row, default: Count()].add(caller?.place)
      }
      open[thread] = faults.filter { $0.depth <= record.depth }
    }
  }

  private let state = Locked(State())

  func receive(_ records: [TraceRecord]) {
    state.withLock { for record in records { $0.add(record) } }
  }

  /// The table; that none was injected, if so.
  func text(_ locations: CodeLocations, _ style: TextStyle) -> String {
    var counts = state.withLock { $0.counts }
    for fault in state.withLock({ $0.open.values.flatMap { $0.map(\.fault) } }) {
      counts[Row(fault: fault), default: Count()].add(nil)
    }
    guard !counts.isEmpty else { return "no fault was injected\n" }
    var table = TextTable(headings: ["count", "injected", "into", "called by", "in"])
    let rows = counts.sorted {
      ($1.value.number, $0.key.caller) < ($0.value.number, $1.key.caller)
    }
    for (row, count) in rows {
      let caller = row.caller + locations.suffix(count.place.value)
      table.append(["\(count.number)", row.fault, row.function, caller, row.image])
    }
    return table.text(style: style)
  }
}
