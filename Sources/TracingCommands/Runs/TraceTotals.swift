import BlockHooks
internal import BlockRuntimeThreads
import CallTracing
import CommandConventions
import Synchronization

/// Adds up the durations of calls by subject, over all processes.
final class TraceTotals: TraceSink {
  private let durations = Locked<[TracedName: TraceHistogram]>([:])

  func receive(_ records: [TraceRecord]) {
    durations.withLock { durations in
      for record in records {
        durations[TracedName(record.subject), default: TraceHistogram()]
          .add(record.durationNanoseconds)
      }
    }
  }

  /// A table, sorted by total duration, longest first.
  func table(_ style: TextStyle) -> String {
    let sorted = durations.withLock { $0 }.sorted { first, second in
      (second.value.total, first.key.title) < (first.value.total, second.key.title)
    }
    var table = TextTable(headings: ["calls", "total ms", "mean µs", "p99 µs", "max µs", "what"])
    let names = Dictionary(grouping: sorted.map(\.key), by: \.short)
    for (subject, durations) in sorted {
      // If several subjects have one short name, their titles show how their types differ.
      let isShort = names[subject.short]?.count == 1
      let mean = durations.count > 0 ? durations.total / durations.count : 0
      table.append([
        "\(durations.count)", Self.decimal(durations.total, 1_000_000), Self.decimal(mean, 1000),
        Self.decimal(durations.percentile(99) ?? 0, 1000),
        Self.decimal(durations.maximum ?? 0, 1000), isShort ? subject.short : subject.title,
      ])
    }
    return sorted.isEmpty ? "" : table.text(style: style)
  }

  /// Nanoseconds in another unit, with three decimals.
  private static func decimal(_ nanoseconds: UInt64, _ unit: UInt64) -> String {
    let thousandths = nanoseconds / (unit / 1000)
    let rest = String(thousandths % 1000)
    return "\(thousandths / 1000)." + String(repeating: "0", count: 3 - rest.count) + rest
  }
}
