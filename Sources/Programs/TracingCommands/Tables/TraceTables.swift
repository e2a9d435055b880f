import CallTracing
import CommandOptionsAndResults

/// The tables of a trace, as text; those without rows are empty.
struct TraceTables {
  /// The column by which they are sorted.
  let order: TableOrder

  /// How long the trace took, in nanoseconds.
  let time: UInt64

  let locations: CodeLocations

  let style: TextStyle

  /// Blocks and functions: how often they were called, how long they ran, and how long they waited.
  func calls(_ rows: [(key: TracedName, value: CallTotals)]) -> String {
    let names = names(rows.map(\.key))
    return table(
      rows, by: \.title,
      [
        "calls", "total ms", "own ms", "mean µs", "p99 µs", "max µs", "wait p50 µs", "wait p99 µs",
        "wait max µs", "per s", "not run", "what",
      ]
    ) { name, totals in
      let durations = totals.durations
      return [
        "\(durations.count)", TableCells.milliseconds(durations.total),
        TableCells.milliseconds(totals.own),
        TableCells.microseconds(durations.total / max(durations.count, 1)),
        TableCells.microseconds(durations.percentile(99)),
        TableCells.microseconds(durations.maximum),
      ] + TableCells.waits(totals.waits) + [
        TableCells.rate(durations.count, in: time), TableCells.countIfAny(totals.unstarted),
        names[name] ?? name.title,
      ]
    }
  }

  /// Queues: what they ran, and how long it waited.
  func queues(
    _ rows: [(key: QueueKey, value: CallTotals)], _ loads: [String: QueueLoad]
  ) -> String {
    table(
      rows, by: \.name,
      [
        "ran", "total ms", "busy %", "max µs", "wait p50 µs", "wait p99 µs", "wait max µs",
        "deepest", "at once", "per s", "not run", "queue",
      ]
    ) { queue, totals in
      let kind = queue.isSerial.map { $0 ? " (serial)" : " (concurrent)" } ?? ""
      return [
        "\(totals.durations.count)", TableCells.milliseconds(totals.durations.total),
        queue.isSerial == true ? "\(share(totals.durations.total))" : "",
        TableCells.microseconds(totals.durations.maximum),
      ] + TableCells.waits(totals.waits) + [
        TableCells.count(loads[queue.name]?.deepest),
        TableCells.count(loads[queue.name]?.mostAtOnce),
        TableCells.rate(totals.durations.count, in: time),
        TableCells.countIfAny(totals.unstarted),
        (queue.name.isEmpty ? "(no label)" : queue.name) + kind,
      ]
    }
  }

  /// A sentence on the serial queue that ran the most, if that was half of the trace or more; empty
  /// if none did.
  func busiest(
    _ rows: [(key: QueueKey, value: CallTotals)], _ loads: [String: QueueLoad]
  ) -> String {
    let serial = rows.filter { $0.key.isSerial == true }
    guard
      let (queue, totals) = serial.max(by: { $0.value.durations.total < $1.value.durations.total }),
      // More than all of it is that of several processes.
      (50...100).contains(share(totals.durations.total))
    else { return "" }
    let deepest = loads[queue.name]?.deepest ?? 0
    return "\(queue.name.isEmpty ? "(no label)" : queue.name) (serial) was busy for "
      + "\(share(totals.durations.total)) % of the trace"
      + (deepest > 1 ? "; up to \(deepest.of("block")) waited\n" : "\n")
  }

  /// The share of the trace that a time is, in per cent; more than 100 if it is that of several
  /// processes.
  func share(_ nanoseconds: UInt64) -> Int {
    Int(min(Double(nanoseconds) * 100 / Double(max(time, 1)), 1e6))
  }

  /// Waits: the functions in which threads waited, for which queues, and who called them.
  func waits(_ rows: [(key: WaitKey, value: CallTotals)]) -> String {
    table(
      rows, by: \.function, ["waits", "total ms", "p50 µs", "p99 µs", "max µs", "waited in"]
    ) { wait, totals in
      let queue = wait.queue.isEmpty ? "" : " for \(wait.queue)"
      let caller =
        wait.caller.isEmpty
        ? "" : ", called by \(wait.caller)\(locations.suffix(totals.place.value))"
      return ["\(totals.durations.count)", TableCells.milliseconds(totals.durations.total)]
        + TableCells.waits(totals.durations) + [wait.function + queue + caller]
    }
  }

  /// Swift tasks, by what they run: how long they ran, waited and were suspended.
  func tasks(_ rows: [(key: TracedName, value: TaskTotals)]) -> String {
    let names = names(rows.map(\.key))
    return table(
      rows, by: \.title,
      [
        "tasks", "parts", "ran ms", "max µs", "wait p50 µs", "wait p99 µs", "wait max µs",
        "suspended ms", "mostly by", "task",
      ]
    ) { name, totals in
      let reason = totals.suspensions.all.max { $0.value < $1.value }?.key
      return [
        "\(totals.count)", "\(totals.parts.count)", TableCells.milliseconds(totals.parts.total),
        TableCells.microseconds(totals.parts.maximum),
      ] + TableCells.waits(totals.waits) + [
        TableCells.milliseconds(totals.suspensions.total), reason?.words ?? "",
        ([names[name] ?? name.title] + totals.names.shown).joined(separator: ", "),
      ]
    }
  }

  private func table<Key, Totals: RankedTotals>(
    _ rows: [(key: Key, value: Totals)], by name: (Key) -> String, _ headings: [String],
    _ cells: (Key, Totals) -> [String]
  ) -> String {
    guard !rows.isEmpty else { return "" }
    var table = TextTable(headings: headings)
    for (key, totals) in order.sorted(rows, by: name) { table.append(cells(key, totals)) }
    return table.text(style: style)
  }

  /// The texts of names, which tell them apart, with files and lines.
  private func names(_ names: [TracedName]) -> [TracedName: String] {
    let texts = zip(names, TracedName.texts(of: names)).map { name, text in
      (name, text + locations.suffix(name.place))
    }
    return Dictionary(texts, uniquingKeysWith: { first, _ in first })
  }
}

extension TaskSuspension {
  /// The reason in words.
  var words: String {
    switch self {
    case .task: "a task"
    case .group: "a group"
    case .continuation: "a continuation"
    case .executor: "going elsewhere"
    case .suspended, .left, .replaced: "not seen"
    }
  }
}
