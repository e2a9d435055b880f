import CallTracing
import CommandOptionsAndResults

/// Blocks and functions: how often they were called, how long they ran, and how long they waited.
enum CallTable {
  static func text(
    _ rows: [(key: TracedName, value: CallTotals)], by order: TableOrder, lasting time: UInt64,
    _ style: TextStyle
  ) -> String {
    guard !rows.isEmpty else { return "" }
    var table = TextTable(headings: [
      "calls", "total ms", "own ms", "mean µs", "p99 µs", "max µs", "wait p50 µs", "wait p99 µs",
      "wait max µs", "per s", "not run", "what",
    ])
    let sorted = TableCells.sorted(rows, by: order, name: \.title) { $0.number(for: order) }
    for (name, (_, totals)) in zip(TracedName.texts(of: sorted.map(\.key)), sorted) {
      let durations = totals.durations
      let mean = durations.count > 0 ? durations.total / durations.count : 0
      var cells = [
        "\(durations.count)", TableCells.milliseconds(durations.total),
        TableCells.milliseconds(totals.own), TableCells.microseconds(mean),
        TableCells.microseconds(durations.percentile(99)),
        TableCells.microseconds(durations.maximum),
      ]
      cells += TableCells.waits(totals.waits)
      cells.append(TableCells.rate(durations.count, in: time))
      cells.append(TableCells.countIfAny(totals.unstarted))
      cells.append(name)
      table.append(cells)
    }
    return table.text(style: style)
  }
}

/// Queues: what they ran, and how long it waited.
enum QueueTable {
  static func text(
    _ rows: [(key: QueueKey, value: CallTotals)], _ loads: [String: QueueLoad],
    by order: TableOrder, lasting time: UInt64, _ style: TextStyle
  ) -> String {
    guard !rows.isEmpty else { return "" }
    var table = TextTable(headings: [
      "ran", "total ms", "max µs", "wait p50 µs", "wait p99 µs", "wait max µs", "deepest",
      "at once", "per s", "not run", "queue",
    ])
    let sorted = TableCells.sorted(rows, by: order, name: \.name) { $0.number(for: order) }
    for (queue, totals) in sorted {
      let load = loads[queue.name]
      let kind = queue.isSerial.map { $0 ? " (serial)" : " (concurrent)" } ?? ""
      var cells = [
        "\(totals.durations.count)", TableCells.milliseconds(totals.durations.total),
        TableCells.microseconds(totals.durations.maximum),
      ]
      cells += TableCells.waits(totals.waits)
      cells.append(TableCells.count(load?.deepest))
      cells.append(TableCells.count(load?.mostAtOnce))
      cells.append(TableCells.rate(totals.durations.count, in: time))
      cells.append(TableCells.countIfAny(totals.unstarted))
      cells.append((queue.name.isEmpty ? "(no label)" : queue.name) + kind)
      table.append(cells)
    }
    return table.text(style: style)
  }
}

/// Waits: the functions in which threads waited, for which queues, and who called them.
enum WaitTable {
  static func text(
    _ rows: [(key: WaitKey, value: CallTotals)], by order: TableOrder, _ style: TextStyle
  ) -> String {
    guard !rows.isEmpty else { return "" }
    var table = TextTable(headings: [
      "waits", "total ms", "p50 µs", "p99 µs", "max µs", "waited in",
    ])
    let sorted = TableCells.sorted(rows, by: order, name: \.function) { $0.number(for: order) }
    for (wait, totals) in sorted {
      var cells = ["\(totals.durations.count)", TableCells.milliseconds(totals.durations.total)]
      cells += TableCells.waits(totals.durations)
      let queue = wait.queue.isEmpty ? "" : " for \(wait.queue)"
      let caller = wait.caller.isEmpty ? "" : ", called by \(wait.caller)"
      cells.append(wait.function + queue + caller)
      table.append(cells)
    }
    return table.text(style: style)
  }
}

/// Swift tasks, by what they run: how long they ran, waited and were suspended.
enum TaskTable {
  static func text(
    _ rows: [(key: TracedName, value: TaskTotals)], by order: TableOrder, _ style: TextStyle
  ) -> String {
    guard !rows.isEmpty else { return "" }
    var table = TextTable(headings: [
      "tasks", "parts", "ran ms", "max µs", "wait p50 µs", "wait p99 µs", "wait max µs",
      "suspended ms", "mostly by", "task",
    ])
    let sorted = TableCells.sorted(rows, by: order, name: \.title) { $0.number(for: order) }
    for (name, (_, totals)) in zip(TracedName.texts(of: sorted.map(\.key)), sorted) {
      let reason = totals.suspensions.max { $0.value < $1.value }?.key
      var cells = [
        "\(totals.count)", "\(totals.parts.count)", TableCells.milliseconds(totals.parts.total),
        TableCells.microseconds(totals.parts.maximum),
      ]
      cells += TableCells.waits(totals.waits)
      cells.append(TableCells.milliseconds(totals.suspended))
      cells.append(reason?.words ?? "")
      cells.append(name)
      table.append(cells)
    }
    return table.text(style: style)
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
