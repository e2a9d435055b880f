/// The instructions of the rows' operations as they were accepted, with the versions they belong to.
///
/// As a text it is a line `name: version` for each version and a line `row count` for each row; lines that
/// begin with `#` are for readers.
package struct AcceptedCounts: Equatable {
  /// How much a count may be above what was accepted, as a part of it.
  package static let tolerance = 0.03

  /// What the counts depend on besides the library, such as `glibc` to `2.36`.
  package var versions: [String: String] = [:]

  /// The counts, by the rows' names.
  package var counts: [String: Double] = [:]

  /// Collects counts.
  package init(versions: [String: String], counts: [String: Double]) {
    self.versions = versions
    self.counts = counts
  }

  /// Reads the text form; lines that are neither kind are passed over.
  package init(_ text: String) {
    for line in text.split(separator: "\n") where !line.hasPrefix("#") {
      if let colon = line.firstIndex(of: ":") {
        versions[String(line[..<colon])] = String(
          line[line.index(after: colon)...].drop { $0 == " " })
      } else if let space = line.lastIndex(of: " "),
        let count = Double(line[line.index(after: space)...])
      {
        counts[String(line[..<space])] = count
      }
    }
  }

  /// The text form, sorted by names.
  package var text: String {
    let head =
      "# Instructions an operation, by callgrind. Scripts/bench --accept writes this file.\n"
    let versions = versions.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)\n" }
    let counts = counts.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value.fixed(1))\n" }
    return head + versions.joined() + counts.joined()
  }

  /// Takes over the versions, and the counts of rows that were counted now.
  package mutating func accept(_ other: AcceptedCounts) {
    if versions != other.versions { counts = [:] }
    versions = other.versions
    counts.merge(other.counts) { _, new in new }
  }

  /// What there is to say of counts beside the accepted ones.
  ///
  /// - Parameter counted: What was counted now.
  /// - Returns: A line for each row with more instructions than are tolerated, and whether that is a
  ///   failure: it is none where the versions differ.
  package func compare(_ counted: AcceptedCounts) -> (lines: [String], isFailure: Bool) {
    let changed = Set(versions.keys).union(counted.versions.keys).sorted()
      .filter { versions[$0] != counted.versions[$0] }
    let grown = counted.counts.sorted { $0.key < $1.key }.compactMap { name, count in
      guard let accepted = counts[name], count > accepted * (1 + Self.tolerance) else {
        return nil as String?
      }
      return "\(name): \(count.fixed(1)) instructions, accepted are \(accepted.fixed(1))"
    }
    guard !changed.isEmpty else { return (grown, !grown.isEmpty) }
    let differences = changed.map { name in
      "\(name): \(counted.versions[name] ?? "none"), accepted with \(versions[name] ?? "none")"
    }
    return (grown.isEmpty ? [] : differences + grown, false)
  }
}
