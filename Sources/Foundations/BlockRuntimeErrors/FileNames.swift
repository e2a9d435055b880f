// Paths in messages and tables, as a person would shorten them.
extension String {
  /// The last component of a path; all of the text if it has none.
  package var fileName: String { split(separator: "/").last.map(String.init) ?? self }
}
