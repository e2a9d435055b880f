/// A bound on a row's time, relative to another row of the same run, on its instructions, or on its
/// bytes.
package struct Target: Sendable {
  /// The kinds of bound.
  package enum Bound: Sendable {
    /// At most so many times as long as the other row.
    case atMost(Double, times: String)
    /// At least so many times faster than the other row.
    case faster(Double, than: String)
    /// At most so many instructions.
    case instructions(Double)
    /// At most so many bytes.
    case bytes(Double)
  }

  /// The row that is bound.
  package let row: String

  /// The bound.
  package let bound: Bound

  /// Sets a target.
  package init(_ row: String, _ bound: Bound) {
    self.row = row
    self.bound = bound
  }

  /// The row that the target compares with; the row itself where it is bound by a number.
  package var reference: String {
    switch bound {
    case .atMost(_, let reference), .faster(_, let reference): reference
    case .instructions, .bytes: row
    }
  }

  /// Whether a run meets the target; nil if one of the rows was not measured.
  package func isMet(in report: Report) -> Bool? {
    switch bound {
    case .atMost(let factor, let reference):
      report.ratio(of: row, to: reference).map { $0 <= factor }
    case .faster(let factor, let reference):
      report.ratio(of: reference, to: row).map { $0 >= factor }
    case .instructions(let count):
      report.instructions(of: row).map { $0 <= count }
    case .bytes(let count):
      report.bytes(of: row).map { $0 <= count }
    }
  }

  /// The verdict and the bound, such as `pass ≤ 2 × call.direct`; nil if it cannot be judged.
  package func verdict(in report: Report) -> String? {
    isMet(in: report).map { "\($0 ? "pass" : "miss") \(text)" }
  }

  private var text: String {
    switch bound {
    case .atMost(let factor, let reference): "≤ \(factor.shortest) × \(reference)"
    case .faster(let factor, let reference): "≥ \(factor.shortest) × faster than \(reference)"
    case .instructions(let count): "≤ \(count.shortest) instructions"
    case .bytes(let count): "≤ \(count.shortest) B"
    }
  }
}
