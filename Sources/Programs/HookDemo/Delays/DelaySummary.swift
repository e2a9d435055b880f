import BlockRuntime
import CommandOptionsAndResults

/// The outcome of a run of `hook-demo delay`, and whether it is as planned.
struct DelaySummary: Sendable {
  private let records: [DelayRun.Record]
  private let events: [DelayEvent]
  private let ticks: Int

  /// The latenesses of the blocks that were not hurried, in ascending order.
  private let latenesses: [Duration]

  /// Deviations from the plan, as text.
  let faults: [String]

  /// Sums up a completed run.
  init(_ snapshot: DelayRun.Snapshot) {
    records = snapshot.records
    events = snapshot.events
    ticks = snapshot.ticks
    latenesses = events.filter { $0.kind == .ran }.compactMap(\.lateness)
      .filter { $0 >= .zero }.sorted()
    faults = Self.faults(snapshot)
  }

  /// Whether exactly the blocks ran that were planned to run.
  var isOK: Bool { faults.isEmpty }

  private func count(_ kind: DelayEvent.Kind) -> Int { events.count { $0.kind == kind } }

  /// A percentile of the latenesses.
  private func lateness(_ percent: Int) -> Duration? {
    latenesses.isEmpty ? nil : latenesses[(latenesses.count * percent + 99) / 100 - 1]
  }

  // MARK: Checks

  private static func faults(_ snapshot: DelayRun.Snapshot) -> [String] {
    var ends = [Int](repeating: 0, count: snapshot.records.count + 1)
    for event in snapshot.events where event.kind == .ran || event.kind == .cancelled {
      ends[event.block] += 1
    }
    return snapshot.records.compactMap { fault($0, ends: ends[$0.item.number]) }
      + tickerFaults(snapshot)
  }

  private static func fault(_ record: DelayRun.Record, ends: Int) -> String? {
    let name = DelayEvent.name(of: record.item.number)
    guard let end = record.end, let token = record.token else {
      return "\(name) neither ran nor was cancelled"
    }
    guard ends == 1 else { return "\(name) ended \(ends) times" }
    switch record.item.fate {
    case .cancelled:
      return end.kind == .cancelled && token.state == .cancelled
        ? nil : "\(name) was to be cancelled, and ran"
    case .runs, .moved:
      guard end.kind == .ran, token.state == .finished else { return "\(name) did not run" }
      return end.at < record.due ? "\(name) ran before its time" : nil
    case .hurried:
      return end.kind == .ran && token.state == .finished ? nil : "\(name) did not run"
    }
  }

  private static func tickerFaults(_ snapshot: DelayRun.Snapshot) -> [String] {
    let ticker = snapshot.events.filter { $0.block == 0 }
    guard snapshot.ticker?.state == .cancelled, ticker.count(where: { $0.kind == .ended }) == 1
    else { return ["the ticker did not end with its owner"] }
    return ticker.last?.kind == .ended ? [] : ["the ticker ticked after its owner had died"]
  }

  // MARK: Output

  /// A table and the outcome, as text.
  func text(_ style: TextStyle) -> String {
    var table = TextTable(headings: [
      "ran", "cancelled", "ticks", "late: min", "median", "99th", "max",
    ])
    table.append(
      ["\(count(.ran))", "\(count(.cancelled))", "\(ticks)"]
        + [latenesses.first, lateness(50), lateness(99), latenesses.last].map {
          $0?.shortText ?? ""
        })
    let outcome =
      isOK
      ? ["\(style.good("✓")) every block ran once, or was cancelled and did not run"]
      : faults.map { "\(style.bad("✗")) \($0)" }
    return "\n" + table.text(style: style) + outcome.map { $0 + "\n" }.joined()
  }

  /// The whole run as a JSON document.
  var json: JSONValue {
    let values = [
      ("min", latenesses.first), ("median", lateness(50)), ("p99", lateness(99)),
      ("max", latenesses.last),
    ]
    return .object([
      ("events", .array(events.map(\.json))),
      (
        "summary",
        .object([
          ("blocks", .integer(records.count)), ("ran", .integer(count(.ran))),
          ("cancelled", .integer(count(.cancelled))), ("moved", .integer(count(.moved))),
          ("ticks", .integer(ticks)),
          ("lateness_us", .object(values.map { ($0, $1?.microseconds ?? .null) })),
          ("faults", .array(faults.map(JSONValue.string))),
        ])
      ), ("ok", .bool(isOK)),
    ])
  }
}
