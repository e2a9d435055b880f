import CallTracing
import CommandOptionsAndResults

/// The Swift functions whose calls were counted, and how often they were called.
enum SwiftCallTable {
  /// The functions, those that were called most often first, unless they are sorted by name.
  static func rows(
    _ calls: [TracedName: UInt64], by order: TableOrder
  ) -> [(name: TracedName, count: UInt64)] {
    calls.map { (name: $0.key, count: $0.value) }.sorted { first, second in
      order != .name && first.count != second.count
        ? first.count > second.count : first.name.title < second.name.title
    }
  }

  /// The table; empty if there were no calls.
  static func text(
    _ calls: [TracedName: UInt64], by order: TableOrder, _ style: TextStyle
  ) -> String {
    guard !calls.isEmpty else { return "" }
    let rows = rows(calls, by: order)
    var table = TextTable(headings: ["calls", "Swift function"])
    for (row, name) in zip(rows, TracedName.texts(of: rows.map(\.name))) {
      table.append(["\(row.count)", name])
    }
    return table.text(style: style)
  }
}
