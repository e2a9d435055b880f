import BlockRuntime
import CommandOptionsAndResults

/// The outcome of a completed run of `hook-demo delay`, and whether it is as planned.
struct DelaySummary {
  let run: DelayRun.Snapshot

  /// How often the blocks ran, were cancelled, and so on.
  private func count(_ kind: DelayEvent.Kind) -> Int { run.events.count { $0.kind == kind } }

  /// The least, the median, the 99th percentile and the greatest of the latenesses of the blocks
  /// that were not hurried.
  private var latenesses: [Duration?] {
    let sorted = run.events.filter { $0.kind == .ran }.compactMap(\.lateness)
      .filter { $0 >= .zero }.sorted()
    return [0, 50, 99, 100].map { percent in
      sorted.isEmpty ? nil : sorted[max((sorted.count * percent + 99) / 100 - 1, 0)]
    }
  }

  /// Deviations from the plan, as text.
  var faults: [String] {
    let ofBlocks = run.blocks.compactMap { block in
      fault(of: block).map { "\(DelayEvent.name(of: block.number)) \($0)" }
    }
    return ofBlocks + (tickerFault.map { ["the ticker \($0)"] } ?? [])
  }

  private var tickerFault: String? {
    let kinds = run.events.filter { $0.block == 0 }.map(\.kind)
    guard run.ticker?.state == .cancelled, kinds.count(where: { $0 == .ended }) == 1 else {
      return "did not end with its owner"
    }
    return kinds.last == .ended ? nil : "ticked after its owner had died"
  }

  private func fault(of block: DelayRun.Planned) -> String? {
    guard let end = block.ends.first else { return "neither ran nor was cancelled" }
    guard block.ends.count == 1 else { return "ended \(block.ends.count) times" }
    if block.fate == .cancelled {
      let isRight = end.kind == .cancelled && block.token?.state == .cancelled
      return isRight ? nil : "was to be cancelled, and ran"
    }
    guard end.kind == .ran, block.token?.state == .finished else { return "did not run" }
    return end.at < block.due && block.fate != .hurried ? "ran before its time" : nil
  }

  /// A table and the outcome, as text.
  func text(_ style: TextStyle) -> String {
    var table = TextTable(headings: [
      "ran", "cancelled", "ticks", "late: min", "median", "99th", "max",
    ])
    table.append(
      [Kind.ran, .cancelled, .ticked].map { "\(count($0))" }
        + latenesses.map { $0?.shortText ?? "" })
    return "\n" + table.text(style: style)
      + style.marked(faults, or: "every block ran once, or was cancelled and did not run")
  }

  private typealias Kind = DelayEvent.Kind

  /// The whole run as a JSON document.
  var json: JSONValue {
    let counts: KeyValuePairs<String, Kind> = [
      "ran": .ran, "cancelled": .cancelled, "moved": .moved, "ticks": .ticked,
    ]
    let latenesses = zip(["min", "median", "p99", "max"], latenesses).map {
      JSONValue.Member($0, $1?.microseconds ?? .null)
    }
    let summary: [JSONValue.Member] =
      [("blocks", .integer(run.blocks.count))] + counts.map { ($0, .integer(count($1))) }
      + [
        ("lateness_us", .object(latenesses)), ("faults", .array(faults.map(JSONValue.string))),
      ]
    return .object([
      ("events", .array(run.events.map(\.json))), ("summary", .object(summary)),
      ("ok", .bool(faults.isEmpty)),
    ])
  }
}
