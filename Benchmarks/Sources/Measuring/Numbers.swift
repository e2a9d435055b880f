extension Double {
  /// Three significant digits, or all before the point.
  package var significant: String {
    switch magnitude {
    case 100...: Int(rounded()).grouped
    case 10..<100: fixed(1)
    default: fixed(2)
    }
  }

  /// Without a fraction that says nothing.
  package var shortest: String { self == rounded() ? Int(self).grouped : "\(self)" }

  /// With so many decimals.
  package func fixed(_ decimals: Int) -> String {
    let scale = (0..<decimals).reduce(1) { power, _ in power * 10 }
    let scaled = Int((magnitude * Double(scale)).rounded())
    let fraction = String(scaled % scale)
    let zeros = String(repeating: "0", count: max(0, decimals - fraction.count))
    return (self < 0 ? "-" : "") + "\(scaled / scale)"
      + (decimals > 0 ? "." + zeros + fraction : "")
  }
}

extension Int {
  /// With commas between the thousands.
  package var grouped: String {
    let digits = Array(String(magnitude))
    let groups = stride(from: digits.count, to: 0, by: -3).map { end in
      String(digits[Swift.max(0, end - 3)..<end])
    }
    return (self < 0 ? "-" : "") + groups.reversed().joined(separator: ",")
  }
}
