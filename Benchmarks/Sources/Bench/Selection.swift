/// The names of the rows that a run measures.
struct Selection {
  private let names: Set<String>

  /// Selects rows, and what they are compared with.
  ///
  /// - Parameters:
  ///   - filter: A part of the names; nil for all.
  ///   - names: The names of all rows.
  ///   - references: The rows that a row is compared with.
  init(_ filter: String?, among names: [String], references: (String) -> [String]) {
    var selected = Set(names.filter { filter.map($0.contains) ?? true })
    var pending = Array(selected)
    while let name = pending.popLast() {
      for reference in references(name) where selected.insert(reference).inserted {
        pending.append(reference)
      }
    }
    self.names = selected
  }

  /// Whether nothing is selected.
  var isEmpty: Bool { names.isEmpty }

  /// Whether a row is to be measured.
  func includes(_ name: String) -> Bool { names.contains(name) }
}
