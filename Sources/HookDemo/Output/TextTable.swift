/// A table with aligned columns for people to read.
struct TextTable {
  /// The columns' headings.
  let headings: [String]

  /// The cells, row by row; each row has as many as there are headings.
  private(set) var rows: [[String]] = []

  /// The longest text that a cell shows.
  private static let cellLimit = 64

  /// Begins a table.
  init(headings: [String]) { self.headings = headings }

  /// Adds a row.
  mutating func append(_ row: [String]) { rows.append(row.map(Self.shown)) }

  /// The table's lines, each with its end of line.
  ///
  /// Columns that are empty are left out.
  func text(style: TextStyle) -> String {
    let columns = headings.indices.filter { column in
      column == 0 || rows.contains { !$0[column].isEmpty }
    }
    let widths = columns.map { column in
      rows.map { $0[column].count }.reduce(headings[column].count, max)
    }
    let lines = [headings] + rows
    return lines.enumerated().map { index, line in
      var text = ""
      for (column, width) in zip(columns, widths) {
        let cell = line[column]
        text += cell + String(repeating: " ", count: width - cell.count + 2)
      }
      while text.last == " " { text.removeLast() }
      return (index == 0 ? style.faint(text) : text) + "\n"
    }.joined()
  }

  /// A cell's text, visible and not too long.
  private static func shown(_ text: String) -> String {
    let text = TextStyle.visible(text)
    return text.count > cellLimit ? text.prefix(cellLimit - 1) + "…" : text
  }
}
