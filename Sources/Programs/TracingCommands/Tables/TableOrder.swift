import CallTracing

/// The column by which the tables are sorted.
enum TableOrder: String, CaseIterable {
  case total, own, longest, calls, wait, name

  /// Rows, those with the highest number in the column first.
  func sorted<Key, Totals: RankedTotals>(
    _ rows: [(key: Key, value: Totals)], by name: (Key) -> String
  ) -> [(key: Key, value: Totals)] {
    rows.sorted { first, second in
      if self != .name {
        let (left, right) = (first.value.number(for: self), second.value.number(for: self))
        if left != right { return left > right }
      }
      return name(first.key) < name(second.key)
    }
  }
}

/// Totals by which rows can be sorted.
protocol RankedTotals {
  /// The number in a column.
  func number(for order: TableOrder) -> UInt64
}

/// The cells of the tables.
enum TableCells {
  /// Who made a call, behind its name; empty if that is not known.
  static func caller(_ record: TraceRecord, _ locations: CodeLocations) -> String {
    let chain = locations.chain(record.callers)
    return chain.isEmpty ? "" : ", called by \(chain)"
  }

  /// Nanoseconds as milliseconds, with three decimals.
  static func milliseconds(_ nanoseconds: UInt64) -> String {
    String(thousandths: nanoseconds / 1000)
  }

  /// Nanoseconds as seconds, with three decimals.
  static func seconds(_ nanoseconds: UInt64) -> String {
    String(thousandths: nanoseconds / 1_000_000)
  }

  /// How often in a second something happens, with one decimal.
  static func rate(_ count: UInt64, in nanoseconds: UInt64) -> String {
    let tenths = (Double(count) / Double(max(nanoseconds, 1)) * 1e10).rounded()
    let whole = Int(min(tenths, 1e15))
    return "\(whole / 10).\(whole % 10)"
  }

  /// Nanoseconds as microseconds, with three decimals; empty for none.
  static func microseconds(_ nanoseconds: UInt64?) -> String {
    nanoseconds.map { String(thousandths: $0) } ?? ""
  }

  /// The 50th and the 99th percentile and the maximum.
  static func waits(_ waits: TraceHistogram) -> [String] {
    [waits.percentile(50), waits.percentile(99), waits.maximum].map(microseconds)
  }

  /// A count; empty if it is not known.
  static func count(_ count: Int?) -> String { count.map { "\($0)" } ?? "" }

  /// A count; empty for none.
  static func countIfAny(_ count: Int) -> String { count == 0 ? "" : "\(count)" }
}

extension CallTotals: RankedTotals {
  func number(for order: TableOrder) -> UInt64 {
    switch order {
    case .total, .name: durations.total
    case .own: own
    case .longest: durations.maximum ?? 0
    case .calls: durations.count
    case .wait: waits.maximum ?? 0
    }
  }
}

extension TaskTotals: RankedTotals {
  func number(for order: TableOrder) -> UInt64 {
    switch order {
    case .total, .own, .name: parts.total
    case .longest: parts.maximum ?? 0
    case .calls: UInt64(count)
    case .wait: waits.maximum ?? 0
    }
  }
}
