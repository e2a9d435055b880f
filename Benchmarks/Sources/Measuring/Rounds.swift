/// How long and how often everything is measured.
package struct Rounds {
  /// How many series each row gets.
  package var count: Int

  /// How long one series takes, about.
  package var nanoseconds: Double

  /// Describes the rounds of a run.
  package init(count: Int, nanoseconds: Double) {
    self.count = count
    self.nanoseconds = nanoseconds
  }

  /// Measures rows interleaved, one series of each a round, so that a disturbance hits all alike.
  ///
  /// - Parameters:
  ///   - rows: What to measure.
  ///   - progress: Receives what is being done.
  /// - Returns: The medians, in the order of the rows.
  /// - Throws: `WrongResult`, and what the rows throw.
  package func measure(
    _ rows: [Row], progress: (String) -> Void
  ) throws -> [Measurement] {
    var all = try rows.map { row in
      progress("preparing \(row.name)")
      return try Series(row)
    }
    for index in all.indices {
      progress("calibrating \(all[index].row.name)")
      try all[index].calibrate(nanoseconds: nanoseconds)
    }
    for round in 0..<count {
      progress("round \(round + 1) of \(count)")
      for index in all.indices { try all[index].measure() }
    }
    return all.map { series in
      Measurement(
        series.row.name, baseline: series.row.baseline, nanoseconds: series.nanoseconds,
        fastest: series.fastest)
    }
  }
}
