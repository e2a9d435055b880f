import CommandOptionsAndResults
import TypeEncodings

extension TypeDescription {
  /// The columns that describe one type in a table.
  static let headings = ["part", "kind", "offset", "size", "align", "encoding", "details"]

  /// The type as text: a table with its parts indented, and the reasons for what is unknown.
  func report(style: TextStyle) -> String {
    var table = TextTable(headings: Self.headings)
    addRows(to: &table, label: label(or: "type"))
    var notes: [String] = []
    addNotes(to: &notes, label: nil)
    return style.strong(TextStyle.visible(encoding.description)) + "\n"
      + table.text(style: style) + Self.text(ofNotes: notes, style)
  }

  /// Notes as lines under a table.
  static func text(ofNotes notes: [String], _ style: TextStyle) -> String {
    notes.map { style.faint("note: ") + TextStyle.visible($0) + "\n" }.joined()
  }

  /// Adds a row for the type and, indented, one for each of its parts.
  func addRows(to table: inout TextTable, label: String, offset: Int? = nil, depth: Int = 0) {
    let unknown = encoding.kind == .void ? "" : "?"
    table.append([
      String(repeating: "  ", count: min(depth, Self.indentationLimit)) + label,
      encoding.kind.rawValue, offset.map(String.init) ?? "",
      extent.map { String($0.size) } ?? unknown,
      extent.map { String($0.alignment) } ?? unknown, encoding.description,
      details,
    ])
    switch contents {
    case .fields(let fields):
      for (index, field) in fields.enumerated() {
        field.type.addRows(
          to: &table, label: field.name ?? field.type.label(or: "field \(index)"),
          offset: field.offset, depth: depth + 1)
      }
    case .elements(_, let element):
      element.addRows(to: &table, label: "each element", depth: depth + 1)
    case .pointee(let pointee?):
      pointee.addRows(to: &table, label: pointee.label(or: "pointee"), depth: depth + 1)
    case .nothing, .pointee(nil), .bits: break
    }
  }

  /// Collects the reasons for missing layouts, except those of pointees, which need none.
  func addNotes(to notes: inout [String], label: String?) {
    if let note, notes.count < Self.noteLimit, !notes.contains(where: { $0.hasSuffix(note) }) {
      let isLabelled = label.map { note.hasPrefix($0) } ?? true
      notes.append(isLabelled ? note : "\(label ?? ""): \(note)")
    }
    switch contents {
    case .fields(let fields):
      // The note of a bit-field without declared type is already that of the record.
      for (index, field) in fields.enumerated() where field.type.encoding.kind != .bitField {
        field.type.addNotes(to: &notes, label: field.name ?? "field \(index)")
      }
    case .elements(_, let element): element.addNotes(to: &notes, label: "element")
    case .nothing, .pointee, .bits: break
    }
  }

  private static let indentationLimit = 12
  private static let noteLimit = 8

  /// The record's name, or another label.
  private func label(or other: String) -> String { recordName ?? other }

  /// The details that the other columns do not show.
  private var details: String {
    switch contents {
    case .bits(let offset, let width):
      width.of("bit") + (offset.map { " from bit \($0)" } ?? "")
    case .elements(let count, _): count.of("element")
    case .nothing, .fields, .pointee: ""
    }
  }
}
