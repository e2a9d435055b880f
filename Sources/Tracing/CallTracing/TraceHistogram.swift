/// Counts durations in buckets whose width grows with the duration.
///
/// Each power of two has 32 buckets: below 64 ns a bucket is one nanosecond, above it is at most a
/// 32nd (3.2 %) of its durations wide. A histogram up to a second takes about 7 KiB.
public struct TraceHistogram: Sendable {
  private static let bits = 5
  private var counts: [UInt64] = []

  /// How many durations were added.
  public private(set) var count: UInt64 = 0

  /// The sum of the durations, at most the highest number.
  public private(set) var total: UInt64 = 0

  /// The shortest duration, nil if there are none.
  public private(set) var minimum: UInt64?

  /// The longest duration, nil if there are none.
  public private(set) var maximum: UInt64?

  /// Creates an empty histogram.
  public init() {}

  /// Adds a duration in nanoseconds.
  public mutating func add(_ nanoseconds: UInt64) {
    let bucket = Self.bucket(of: nanoseconds)
    if bucket >= counts.count {
      counts += repeatElement(0, count: bucket + 1 - counts.count)
    }
    counts[bucket] += 1
    count += 1
    total.addClamped(nanoseconds)
    minimum = min(minimum ?? nanoseconds, nanoseconds)
    maximum = max(maximum ?? nanoseconds, nanoseconds)
  }

  /// The duration that a percentage of all durations do not exceed.
  ///
  /// The result is never less than the exact one, and at most a 32nd (3.2 %) above it.
  ///
  /// - Parameter percent: From 0, for the shortest, to 100, for the longest.
  /// - Returns: Nanoseconds; nil if there are no durations or `percent` is out of range.
  public func percentile(_ percent: Double) -> UInt64? {
    guard count > 0, let maximum, (0...100).contains(percent) else { return nil }
    let rank = max(1, UInt64((percent / 100 * Double(count)).rounded(.up)))
    var seen: UInt64 = 0
    for (bucket, count) in counts.enumerated() {
      seen += count
      if seen >= rank { return min(Self.highest(in: bucket), maximum) }
    }
    return maximum
  }

  /// The buckets that hold durations: the highest duration of each, and the number of durations.
  public var buckets: [(upperBound: UInt64, count: UInt64)] {
    counts.indices.filter { counts[$0] > 0 }.map { (Self.highest(in: $0), counts[$0]) }
  }

  private static func bucket(of value: UInt64) -> Int {
    let exponent = UInt64.bitWidth - 1 - value.leadingZeroBitCount
    guard exponent > bits else { return Int(value) }
    let shift = exponent - bits
    return shift << bits + Int(value >> UInt64(shift))
  }

  private static func highest(in bucket: Int) -> UInt64 {
    guard bucket >= 2 << bits else { return UInt64(bucket) }
    let shift = UInt64(bucket >> bits - 1)
    let lowest = UInt64(bucket) - shift << UInt64(bits)
    return lowest << shift | (1 << shift - 1)
  }
}
