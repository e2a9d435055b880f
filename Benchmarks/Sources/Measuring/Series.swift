private import Glibc

/// A prepared row with the times of its series.
package struct Series {
  /// What is measured.
  package let row: Row

  private let operation: Row.Operation
  private var iterations = 1
  private var times: [Double] = []

  /// Prepares a row.
  package init(_ row: Row) throws {
    self.row = row
    operation = try row.prepare()
  }

  /// Finds how many operations take about so long, unless the row says how many there are.
  package mutating func calibrate(nanoseconds: Double) throws {
    // The first operations are slower than all others.
    _ = try time(min(100, row.maximumIterations))
    if let fixed = row.fixedIterations {
      iterations = fixed
      return
    }
    while iterations < row.maximumIterations {
      let elapsed = try time(iterations)
      if elapsed > nanoseconds / 4 {
        let wanted = Double(iterations) * nanoseconds / elapsed
        iterations = min(row.maximumIterations, max(1, Int(wanted)))
        return
      }
      iterations = min(row.maximumIterations, iterations * 4)
    }
  }

  /// Measures one series, after a few operations that are not measured.
  package mutating func measure() throws {
    _ = try time(max(1, iterations / 20))
    times.append(try time(iterations) / Double(iterations))
  }

  /// Runs the operation so many times and checks the results.
  package func run(_ iterations: Int) throws { _ = try time(iterations) }

  /// The median of the series measured, in nanoseconds per operation.
  package var nanoseconds: Double? { median(times) }

  /// The shortest time measured, in nanoseconds per operation.
  package var fastest: Double? { times.min() }

  private func time(_ iterations: Int) throws -> Double {
    let end = try row.begin()
    let start = monotonicNanoseconds()
    let sum = try operation(iterations)
    let elapsed = monotonicNanoseconds() - start
    try end()
    guard sum == row.expected(iterations) else { throw WrongResult(row, iterations, sum) }
    return Double(elapsed)
  }
}

/// The middle of the values, or the mean of the two middle ones; nil if there are none.
package func median(_ values: [Double]) -> Double? {
  guard !values.isEmpty else { return nil }
  let sorted = values.sorted()
  let middle = sorted.count / 2
  return sorted.count.isMultiple(of: 2) ? (sorted[middle - 1] + sorted[middle]) / 2 : sorted[middle]
}

private func monotonicNanoseconds() -> Int {
  var now = timespec()
  // SAFETY: the clock writes to a local variable.
  unsafe clock_gettime(CLOCK_MONOTONIC, &now)
  return now.tv_sec * 1_000_000_000 + now.tv_nsec
}
