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

  /// The last due time, which a full bar stands for.
  let whole: Duration

  /// The lines, at most as many as fit on the terminal.
  func lines(_ run: DelayRun.Snapshot, at time: Duration) -> [String] {
    let hasRoom = run.blocks.count + 2 < size.rows
    let blocks = hasRoom ? run.blocks.map { line(of: $0, at: time) } : totals(run, at: time)
    return (blocks + [tickerLine(run)]).prefix(max(size.rows - 1, 1)).map(fitted)
  }

  private func line(of block: DelayRun.Planned, at time: Duration) -> [Part] {
    let name = DelayEvent.name(of: block.number)
    guard let end = block.end else {
      let isMoved = block.fate == .moved && block.due == whole
      return pending(name, block.due - time, isMoved ? ", moved" : "")
    }
    let remark = end.lateness.map { $0 < .zero ? "by runNow" : "\($0.shortText) late" }
    let outcome: Part =
      if end.kind == .ran { ("✓ ran ", style.good) } else { ("✗ cancelled ", style.bad) }
    return [
      (column(name), style.strong), (bar(.zero), style.code), outcome,
      (remark ?? "at \(end.at.secondsText)", style.faint),
    ]
  }

  /// A bar of the time that is left.
  private func pending(_ name: String, _ rest: Duration, _ remark: String = "") -> [Part] {
    let rest = max(rest, .zero)
    return [
      (column(name), style.strong), (bar(rest), style.code),
      ("in \(rest.secondsText)\(remark)", style.faint),
    ]
  }

  /// The totals of all blocks, used if there are too many for a line each.
  private func totals(_ run: DelayRun.Snapshot, at time: Duration) -> [[Part]] {
    let ran = run.blocks.count { $0.end?.kind == .ran }
    let cancelled = run.blocks.count { $0.end?.kind == .cancelled }
    return [
      pending("blocks", whole - time),
      [
        (column(""), style.strong),
        ("\(run.blocks.count - ran - cancelled) pending, ", style.faint),
        ("\(ran) ran, ", style.good), ("\(cancelled) cancelled", style.bad),
      ],
    ]
  }

  private func tickerLine(_ run: DelayRun.Snapshot) -> [Part] {
    let ticks = run.events.count { $0.kind == .ticked }
    let isOver = run.ticker?.state == .cancelled
    return [
      (column("ticker"), style.strong),
      (String(repeating: "•", count: min(ticks, barWidth)) + " ", style.code),
      (isOver ? "ended with its owner" : "until its owner dies", style.faint),
    ]
  }

  private func column(_ text: String) -> String {
    text + String(repeating: " ", count: max(12 - text.count, 1))
  }

  private var barWidth: Int { min(max(size.columns - 44, 4), 40) }

  /// A bar that shrinks to nothing, in eighths of a column.
  private func bar(_ rest: Duration) -> String {
    let eighths = min(Int((rest / whole * Double(barWidth * 8)).rounded(.up)), barWidth * 8)
    let parts = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"]
    let filled = String(repeating: "█", count: eighths / 8) + parts[eighths % 8]
    return filled + String(repeating: " ", count: barWidth + 1 - filled.count)
  }

  /// A line of styled texts, cut before the last column.
  private func fitted(_ parts: [Part]) -> String {
    var room = max(size.columns - 1, 1)
    return parts.map { part in
      let text = String(part.text.prefix(room))
      room -= text.count
      return part.style(text)
    }.joined()
  }
}
