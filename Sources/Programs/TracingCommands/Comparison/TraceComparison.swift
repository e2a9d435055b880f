internal import BlockRuntimeErrors
import CallTracing
import CommandOptionsAndResults

/// What differs between two traces.
struct TraceComparison {
  /// The times of one name, before and after.
  struct Row {
    let title: String
    /// Whether the times are those that blocks waited.
    let isWait: Bool
    let before: [UInt64]
    let after: [UInt64]

    /// How many times as long the median is; nil if it was zero.
    var factor: Double? {
      let old = before.percentile(50)
      return old == 0 ? nil : Double(after.percentile(50)) / Double(old)
    }

    /// How much more time all calls took, by the means, as many as there were after.
    var added: Double {
      (after.mean - before.mean) * Double(after.count)
    }
  }

  /// The rows whose counts make their difference significant, those that cost most first.
  private(set) var changed: [Row] = []

  /// How many names were compared, and how many of them show no such difference.
  private(set) var comparedCount = 0

  /// The names of calls in one trace only, with their counts.
  private(set) var gone: [(title: String, count: Int)] = []
  private(set) var new: [(title: String, count: Int)] = []

  /// How probable it may be that any of the rows shows a difference by chance.
  private static let doubt = 0.01

  init(_ before: CallTimes, _ after: CallTimes) {
    var rows: [Row] = []
    for (key, old) in before.all {
      guard let now = after.all[key] else {
        gone.append((old.title, old.durations.count))
        continue
      }
      rows.append(
        Row(title: now.title, isWait: false, before: old.durations, after: now.durations))
      guard !old.waits.isEmpty, !now.waits.isEmpty else { continue }
      rows.append(Row(title: now.title, isWait: true, before: old.waits, after: now.waits))
    }
    for (key, now) in after.all where before.all[key] == nil {
      new.append((now.title, now.durations.count))
    }
    gone.sort { ($1.count, $0.title) < ($0.count, $1.title) }
    new.sort { ($1.count, $0.title) < ($0.count, $1.title) }
    comparedCount = rows.count
    // The more rows, the more of them differ by chance.
    let most = Self.doubt / Double(max(rows.count, 1))
    changed = rows.filter { RankSum($0.before, $0.after).probability < most }
      .sorted { ($1.added, $0.title) < ($0.added, $1.title) }
  }

  /// The comparison as tables.
  func text(_ style: TextStyle) -> String {
    var text = ""
    if !changed.isEmpty {
      var table = TextTable(headings: [
        "calls", "median", "p99", "change", "in all", "", "what changed",
      ])
      for row in changed {
        table.append([
          Self.pair("\(row.before.count)", "\(row.after.count)"),
          Self.pair(row, 50), Self.pair(row, 99), Self.change(row), Self.added(row),
          row.isWait ? "waited" : "ran", row.title,
        ])
      }
      text += table.text(style: style) + "\n"
    }
    for (words, names) in [("only before", gone), ("only after", new)] where !names.isEmpty {
      let list = names.prefix(10).map { "\(TextStyle.visible($0.title)) (\($0.count))" }
        .joined(separator: ", ")
      text += "\(words): \(list)\(names.count > 10 ? " and \(names.count - 10) more" : "")\n"
    }
    let rest = comparedCount - changed.count
    return text
      + "\(rest) of \(comparedCount.of("time")) show no difference that their counts make "
      + "significant\n"
  }

  /// The comparison as a document.
  var json: JSONValue {
    func times(_ times: [UInt64]) -> JSONValue {
      .object([
        ("count", .integer(times.count)), ("p50", .number("\(times.percentile(50))")),
        ("p99", .number("\(times.percentile(99))")),
        ("mean", .number("\(UInt64(clamping: Int128(times.mean)))")),
      ])
    }
    func names(_ names: [(title: String, count: Int)]) -> JSONValue {
      .array(
        names.map { .object([("name", .string($0.title)), ("count", .integer($0.count))]) })
    }
    return .object([
      (
        "changed",
        .array(
          changed.map {
            .object([
              ("name", .string($0.title)), ("measure", .string($0.isWait ? "waited" : "ran")),
              ("before", times($0.before)), ("after", times($0.after)),
            ])
          })
      ),
      ("compared", .integer(comparedCount)), ("onlyBefore", names(gone)), ("onlyAfter", names(new)),
    ])
  }

  private static func pair(_ before: String, _ after: String) -> String { "\(before) → \(after)" }

  private static func pair(_ row: Row, _ share: Int) -> String {
    pair(
      String(nanoseconds: row.before.percentile(share)),
      String(nanoseconds: row.after.percentile(share)))
  }

  private static func change(_ row: Row) -> String {
    guard let factor = row.factor else { return "" }
    if factor >= 2 { return "× \((min(factor, 1e12) * 10).rounded() / 10)" }
    let percent = Int(((factor - 1) * 100).rounded())
    return percent > 0 ? "+\(percent) %" : "\(percent) %"
  }

  private static func added(_ row: Row) -> String {
    let time = UInt64(min(abs(row.added), 1e18))
    return (row.added < 0 ? "-" : "+") + String(nanoseconds: time)
  }
}

extension [UInt64] {
  /// The value of a sorted list that a share of the others does not exceed; 0 of an empty list.
  fileprivate func percentile(_ share: Int) -> UInt64 {
    isEmpty ? 0 : self[Swift.min(count * share / 100, count - 1)]
  }

  fileprivate var mean: Double { reduce(0) { $0 + Double($1) } / Double(Swift.max(count, 1)) }
}
