import CallTracing
import CommandOptionsAndResults

/// What has not finished: since when, why as far as that is known, and where it comes from; and the
/// deadlocks of queues.
enum UnfinishedTable {
  private static let rowLimit = 20

  static func text(
    _ rows: UnfinishedRows, _ locations: CodeLocations, _ style: TextStyle
  ) -> String {
    guard !rows.all.isEmpty else { return "" }
    var table = TextTable(headings: ["for ms", "count", "what has not finished", "why", "from"])
    for row in rows.all.prefix(rowLimit) {
      table.append([
        TableCells.milliseconds(row.nanoseconds), "\(row.count)", what(row, locations),
        why(row), from(row, locations),
      ])
    }
    let others = rows.all.dropFirst(rowLimit).reduce(0) { $0 + $1.count }
    return table.text(style: style) + (others > 0 ? "and \(others) more\n" : "")
      + rows.deadlocks.map { $0 + "\n" }.joined()
  }

  private static func what(_ row: UnfinishedRows.Row, _ locations: CodeLocations) -> String {
    let subject = row.record.subject
    let name = TracedName(subject).short + locations.suffix(subject.place)
    guard let task = row.record.task else { return name }
    return row.count == 1
      ? "\(name), \(task)" : [name, task.name].compactMap(\.self).joined(separator: ", ")
  }

  private static func why(_ row: UnfinishedRows.Row) -> String {
    let record = row.record
    if record.suspension != nil { return TaskWaitText.words(row) }
    if let lock = row.lock { return "waits for \(lock), which thread \(lock.owner) holds" }
    let queue = record.target.map(\.name) ?? ""
    let obstacle = record.obstacle.map { ", behind \($0.words())" } ?? ""
    switch record.state {
    case "waiting": return "waits" + (queue.isEmpty ? "" : " for \(queue)") + obstacle
    case "running":
      let actor = record.actor.map { ", actor \($0)" } ?? ""
      return "runs" + (queue.isEmpty ? "" : " on \(queue)") + actor
    default: return "not begun" + (queue.isEmpty ? "" : " on \(queue)") + obstacle
    }
  }

  private static func from(_ row: UnfinishedRows.Row, _ locations: CodeLocations) -> String {
    let record = row.record
    if let outer = row.outer {
      let name = TracedName(outer.subject).short
      let isCaller = record.callers.first?.shortName == name
      // The caller's line is that of the call.
      let place = isCaller ? record.callers.first?.place : outer.subject.place
      return "in \(name)\(locations.suffix(place))"
        + (isCaller ? "" : TableCells.caller(record, locations))
    }
    let source = locations.chain(record.sources)
    if source.isEmpty { return "" }
    let verb = record.isPartOfTask ? "created" : record.submission == nil ? "called" : "sent"
    return "\(verb) by \(source)"
  }
}
