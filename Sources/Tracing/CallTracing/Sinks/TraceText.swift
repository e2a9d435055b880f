internal import BlockRuntimeErrors

/// The bytes of an output while it is composed: text and numbers.
package struct TraceText {
  package internal(set) var bytes: [UInt8] = []

  package init() {}

  /// Removes the bytes but keeps their memory.
  mutating func clear() { bytes.removeAll(keepingCapacity: true) }

  package mutating func append(_ text: String) { bytes += text.utf8 }

  mutating func append(_ part: ArraySlice<UInt8>) { bytes += part }

  mutating func append(_ number: some FixedWidthInteger) { append(String(number)) }

  /// Appends text with spaces before it up to a width.
  mutating func append(_ text: String, width: Int) {
    bytes += repeatElement(UInt8(ascii: " "), count: max(width - text.count, 0))
    append(text)
  }

  /// Appends text with spaces for what controls terminals, so that it stays on one line.
  mutating func append(line text: String) {
    for scalar in text.unicodeScalars {
      if scalar.controlsTerminals {
        bytes.append(UInt8(ascii: " "))
      } else if scalar.isASCII {
        bytes.append(UInt8(truncatingIfNeeded: scalar.value))
      } else {
        bytes += String(scalar).utf8
      }
    }
  }
}

extension String {
  /// A number of thousandths, with three decimals.
  package init(thousandths number: some FixedWidthInteger) {
    let digits = String(number.magnitude % 1000)
    self = (number < 0 ? "-" : "") + "\(number.magnitude / 1000)."
    self += String(repeating: "0", count: 3 - digits.count) + digits
  }
}

extension String {
  /// A time in the unit that fits, with four digits: `60 ns`, `1.500 µs`, `105.1 ms`, `12.34 s`.
  ///
  /// Further digits are left out.
  package init(nanoseconds time: UInt64) {
    let units: [(name: String, nanoseconds: UInt64)] = [
      ("s", 1_000_000_000), ("ms", 1_000_000), ("µs", 1_000),
    ]
    guard let unit = units.first(where: { time >= $0.nanoseconds }) else {
      self = "\(time) ns"
      return
    }
    let whole = time / unit.nanoseconds
    let count = whole >= 1_000 ? 0 : whole >= 100 ? 1 : whole >= 10 ? 2 : 3
    let thousandths = String(1_000 + time % unit.nanoseconds * 1_000 / unit.nanoseconds)
    let decimals = thousandths.dropFirst().prefix(count)
    self = "\(whole)\(decimals.isEmpty ? "" : ".\(decimals)") \(unit.name)"
  }
}

extension TraceRecord.Outcome {
  /// The outcome's name in outputs: `returned`, `replaced`, `threw`, `unfinished`, `pending`,
  /// `cancelled` or `suspended`.
  package var name: String {
    if case .threw = self { "threw" } else { "\(self)" }
  }
}
