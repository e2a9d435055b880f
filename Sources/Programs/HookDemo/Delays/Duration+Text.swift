import CallTracing
import CommandOptionsAndResults

/// The formats in which the command line writes durations.
extension Duration {
  /// The duration in nanoseconds, clamped to the range of `Int`.
  var nanoseconds: Int { Int(clamping: attoseconds / 1_000_000_000) }

  /// `0.250 s`.
  var secondsText: String {
    String(thousandths: (nanoseconds + (nanoseconds < 0 ? -500_000 : 500_000)) / 1_000_000) + " s"
  }

  /// `31 µs`, `12 ms` or `1.250 s`.
  var shortText: String {
    switch nanoseconds.magnitude {
    case ..<10_000_000: "\(nanoseconds / 1000) µs"
    case ..<1_000_000_000: "\(nanoseconds / 1_000_000) ms"
    default: secondsText
    }
  }

  /// The milliseconds as a number with three decimals.
  var milliseconds: JSONValue { .number(String(thousandths: nanoseconds / 1000)) }

  /// The microseconds as a number with three decimals.
  var microseconds: JSONValue { .number(String(thousandths: nanoseconds)) }
}
