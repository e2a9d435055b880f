import Glibc

/// Whether the times of one trace are longer than those of another, by their ranks: the test of
/// Mann and Whitney, which assumes nothing of how they are distributed.
///
/// Specification: <https://doi.org/10.1214/aoms/1177730491>, with the normal approximation, and the
/// variance less where values are equal.
struct RankSum {
  /// The probability that times of one distribution differ so much, or more, by chance.
  let probability: Double

  /// Compares times, which must be sorted.
  init(_ first: [UInt64], _ second: [UInt64]) {
    let (n, m) = (Double(first.count), Double(second.count))
    var (i, j) = (0, 0)
    var (rank, sum, ties) = (0.0, 0.0, 0.0)
    while i < first.count || j < second.count {
      let value = min(i < first.count ? first[i] : .max, j < second.count ? second[j] : .max)
      let (start, other) = (i, j)
      while i < first.count, first[i] == value { i += 1 }
      while j < second.count, second[j] == value { j += 1 }
      let count = Double(i - start + j - other)
      // Equal values share the mean of their ranks.
      sum += Double(i - start) * (rank + (count + 1) / 2)
      rank += count
      ties += count * (count * count - 1)
    }
    let mean = n * (n + m + 1) / 2
    let variance = n * m / 12 * (n + m + 1 - ties / max((n + m) * (n + m - 1), 1))
    guard n > 0, m > 0, variance > 0 else {
      probability = 1
      return
    }
    let distance = max(abs(sum - mean) - 0.5, 0) / variance.squareRoot()
    probability = erfc(distance / 2.0.squareRoot())
  }
}
