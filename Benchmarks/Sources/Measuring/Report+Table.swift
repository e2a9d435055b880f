extension Report {
  /// The results as a table for people.
  ///
  /// - Parameters:
  ///   - twins: For rows that libffi does too, the name of libffi's row.
  ///   - targets: The bounds to judge by.
  /// - Returns: The table's lines.
  package func table(twins: [String: String], targets: [Target]) -> String {
    let headings = ["row", "ns", "ratio", "instructions", "vs libffi", "target"]
    let lines = measurements.map { measurement in
      if let absence = measurement.absence {
        return [measurement.name, "absent", "", "", "", absence]
      }
      let faster = twins[measurement.name].flatMap { ratio(of: $0, to: measurement.name) }
      let verdicts = targets.filter { $0.row == measurement.name }.compactMap { target in
        target.verdict(in: self)
      }
      return [
        measurement.name,
        measurement.nanoseconds.map { measurement.unsteadiness + $0.significant }
          ?? measurement.bytes.map { "\($0.significant) B" } ?? "",
        ratio(of: measurement.name, to: measurement.baseline)?.significant ?? "",
        measurement.instructions?.significant ?? "",
        faster.map { "\($0.significant) ×" } ?? "",
        verdicts.joined(separator: ", "),
      ]
    }
    let isSteady = measurements.allSatisfy { $0.unsteadiness.isEmpty }
    return Self.aligned([headings] + lines)
      + (isSteady ? "" : "~ Series of this row differ by more than a third: other runs may too.\n")
  }

  /// Aligns the first and last column to the left, the numbers between them to the right.
  private static func aligned(_ lines: [[String]]) -> String {
    let columns = lines.first?.indices ?? 0..<0
    let widths = columns.map { column in lines.map { $0[column].count }.max() ?? 0 }
    return lines.map { line in
      var text = zip(line, widths).enumerated().map { column, cell in
        let padding = String(repeating: " ", count: cell.1 - cell.0.count)
        let isText = column == columns.lowerBound || column == columns.upperBound - 1
        return isText ? cell.0 + padding : padding + cell.0
      }.joined(separator: "  ")
      while text.last == " " { text.removeLast() }
      return text + "\n"
    }.joined()
  }
}
