import CallTracing
import CommandOptionsAndResults

/// The actors for which tasks waited longest: how long tasks ran on each, and how long others
/// waited.
enum ActorTable {
  private static let rowLimit = 20

  /// The table; empty if no task ran on an actor.
  ///
  /// - Parameters:
  ///   - loads: The actors of all processes.
  ///   - style: The style of the text.
  ///   - share: The share of the trace that a time is, in per cent.
  /// - Returns: The table, and how many other actors there are.
  static func text(
    _ loads: ActorLoads, _ style: TextStyle, share: (UInt64) -> Int
  ) -> String {
    let busy = loads.longest.filter { $0.load.runs.count > 0 || $0.load.waits.count > 0 }
    guard !busy.isEmpty else { return "" }
    var table = TextTable(headings: [
      "ran", "total ms", "busy %", "max µs", "waited", "wait mean µs", "wait max µs", "deepest",
      "actor",
    ])
    for (actor, load) in busy.sorted(by: { $1.load < $0.load }).prefix(rowLimit) {
      let (runs, waits) = (load.runs, load.waits)
      let mean = waits.count == 0 ? nil : waits.total / UInt64(waits.count)
      table.append([
        "\(runs.count)", TableCells.milliseconds(runs.total), "\(share(runs.total))",
        TableCells.microseconds(runs.longest), TableCells.countIfAny(waits.count),
        TableCells.microseconds(mean),
        TableCells.microseconds(waits.count == 0 ? nil : waits.longest),
        TableCells.countIfAny(load.deepest), "\(actor)",
      ])
    }
    let others = max(busy.count - rowLimit, 0) + loads.otherCount
    return table.text(style: style) + (others > 0 ? "and \(others.of("other actor"))\n" : "")
  }

  /// A sentence on the actor on which tasks ran longest, if that was half of the trace or more, and
  /// others waited; empty without one.
  static func busiest(_ loads: ActorLoads, share: (UInt64) -> Int) -> String {
    guard let (actor, load) = loads.longest.max(by: { $0.load.runs.total < $1.load.runs.total }),
      (50...100).contains(share(load.runs.total)), load.deepest > 0
    else { return "" }
    return "\(actor) was busy for \(share(load.runs.total)) % of the trace; up to "
      + "\(load.deepest.of("task")) waited\n"
  }
}
