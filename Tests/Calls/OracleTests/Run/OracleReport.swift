/// What one run of an oracle found, printed at its end.
struct OracleReport {
  private var differences: [String] = []
  private var differenceCount = 0
  private var refusals: [String: Int] = [:]
  private var refusalExamples: [String: String] = [:]

  /// How many differences are told in full.
  private static let toldDifferences = 12

  var isClean: Bool { differenceCount == 0 }

  mutating func addDifference(_ text: @autoclosure () -> String) {
    differenceCount += 1
    if differences.count < Self.toldDifferences { differences.append(text()) }
  }

  /// Counts a refusal by its reason, and keeps one example.
  mutating func addRefusal(_ reason: String, of example: String) {
    refusals[reason, default: 0] += 1
    if refusalExamples[reason].map({ $0.count > example.count }) ?? true {
      refusalExamples[reason] = example
    }
  }

  /// The differences, and how to see them again.
  var failure: String {
    "\(differenceCount) differences; the first:\n" + differences.joined(separator: "\n")
  }

  /// Prints the figures.
  func print(_ headline: String) {
    var lines = ["\(headline), \(differenceCount) differences"]
    for (reason, count) in refusals.sorted(by: { $0.value > $1.value }) {
      lines.append("  refused \(count): \(reason); for example \(refusalExamples[reason] ?? "")")
    }
    Swift.print(lines.joined(separator: "\n"))
  }
}
