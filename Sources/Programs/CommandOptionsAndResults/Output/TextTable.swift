/// A table with aligned columns for people to read.
package struct TextTable {
  package let headings: [String]

  /// The rows; each has as many cells as there are headings.
  package private(set) var rows: [[String]] = []

  /// The most characters that a terminal shows of a cell, except in the last column.
  private static let cellLimit = 64

  package init(headings: [String]) { self.headings = headings }

  package mutating func append(_ row: [String]) { rows.append(row.map(TextStyle.visible)) }

  /// The table's lines, each with its end of line.
  ///
  /// Columns that are empty are left out.
  package func text(style: TextStyle) -> String {
    let columns = headings.indices.filter { column in
      column == 0 || rows.contains { !$0[column].isEmpty }
    }
    var lines = ([headings] + rows).map { line in columns.map { line[$0] } }
    if style.isForTerminal {
      for column in columns.indices.dropLast() {
        for (index, cell) in Self.cut(lines.map { $0[column] }).enumerated() {
          lines[index][column] = cell
        }
      }
    }
    let widths = columns.indices.map { column in lines.map { $0[column].count }.max() ?? 0 }
    return lines.enumerated().map { index, line in
      var text = ""
      for (cell, width) in zip(line, widths) {
        text += cell + String(repeating: " ", count: width - cell.count + 2)
      }
      while text.last == " " { text.removeLast() }
      return (index == 0 ? style.faint(text) : text) + "\n"
    }.joined()
  }

  /// Cuts long cells in the middle, unless they would then look like others.
  private static func cut(_ cells: [String]) -> [String] {
    let short = cells.map { cell in
      cell.count > cellLimit
        ? cell.prefix(cellLimit / 2) + "…" + cell.suffix(cellLimit - cellLimit / 2 - 1) : cell
    }
    let known = Dictionary(zip(short, cells), uniquingKeysWith: { $0 == $1 ? $0 : "" })
    return zip(short, cells).map { known[$0] == $1 ? $0 : $1 }
  }
}
