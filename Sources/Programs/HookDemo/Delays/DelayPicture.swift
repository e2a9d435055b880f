import BlockRuntime
import CommandOptionsAndResults

/// The picture of `hook-demo delay` on a terminal: a line for each block, or a few lines for all.
struct DelayPicture {
  /// A text, and the function that colours it.
  private typealias Part = (text: String, style: (String) -> String)

  /// The size of the terminal; the picture leaves the last line and column free.
  let size: TerminalSize

  /// The style of the texts.
  let style: TextStyle

  /// The lines, at most as many as fit on the terminal; `whole` is the last due time, which a full
  /// bar stands for.
  func lines(_ snapshot: DelayRun.Snapshot, at time: Duration, of whole: Duration) -> [String] {
    let hasRoom = snapshot.records.count + 2 < size.rows
    let blocks =
      hasRoom
      ? snapshot.records.map { line(of: $0, at: time, whole: whole) }
      : totals(snapshot, at: time, of: whole)
    return Array((blocks + [tickerLine(snapshot)]).prefix(max(size.rows - 1, 1)))
  }

  private func line(
    of record: DelayRun.Record, at time: Duration, whole: Duration
  ) -> String {
    let name = DelayEvent.name(of: record.item.number)
    guard let end = record.end else {
      let rest = max(record.due - time, .zero)
      let isMoved = record.due != record.item.due
      return fitted([
        (column(name), style.strong), (bar(rest, of: whole), style.code),
        ("in \(rest.secondsText)\(isMoved ? ", moved" : "")", style.faint),
      ])
    }
    let remark: String
    if let lateness = end.lateness {
      remark = lateness < .zero ? "by runNow" : "\(lateness.shortText) late"
    } else {
      remark = "at \(end.at.secondsText)"
    }
    var outcome: Part = ("✗ cancelled ", style.bad)
    if end.kind == .ran { outcome = ("✓ ran ", style.good) }
    return fitted([
      (column(name), style.strong), (bar(.zero, of: whole), style.code),
      outcome, (remark, style.faint),
    ])
  }

  /// The totals of all blocks, used if there are too many for a line each.
  private func totals(
    _ snapshot: DelayRun.Snapshot, at time: Duration, of whole: Duration
  ) -> [String] {
    let ran = snapshot.records.count { $0.end?.kind == .ran }
    let cancelled = snapshot.records.count { $0.end?.kind == .cancelled }
    let rest = max(whole - time, .zero)
    return [
      fitted([
        (column("blocks"), style.strong), (bar(rest, of: whole), style.code),
        ("in \(rest.secondsText)", style.faint),
      ]),
      fitted([
        (column(""), style.strong),
        ("\(snapshot.records.count - ran - cancelled) pending, ", style.faint),
        ("\(ran) ran, ", style.good), ("\(cancelled) cancelled", style.bad),
      ]),
    ]
  }

  private func tickerLine(_ snapshot: DelayRun.Snapshot) -> String {
    let isOver = snapshot.ticker?.state == .cancelled
    return fitted([
      (column("ticker"), style.strong),
      (String(repeating: "•", count: min(snapshot.ticks, barWidth)) + " ", style.code),
      (isOver ? "ended with its owner" : "until its owner dies", style.faint),
    ])
  }

  private func column(_ text: String) -> String {
    text + String(repeating: " ", count: max(12 - text.count, 1))
  }

  private var barWidth: Int { min(max(size.columns - 44, 4), 40) }

  /// A bar that shrinks to nothing, in eighths of a column.
  private func bar(_ rest: Duration, of whole: Duration) -> String {
    let eighths = min(
      whole > .zero ? Int((rest / whole * Double(barWidth * 8)).rounded(.up)) : 0, barWidth * 8)
    let parts = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"]
    let filled = String(repeating: "█", count: eighths / 8) + parts[eighths % 8]
    return filled + String(repeating: " ", count: barWidth + 1 - filled.count)
  }

  /// A line of styled texts, cut before the last column.
  private func fitted(_ parts: [Part]) -> String {
    var room = max(size.columns - 1, 1)
    var line = ""
    for part in parts {
      let text = String(part.text.prefix(room))
      room -= text.count
      line += part.style(text)
    }
    return line
  }
}
