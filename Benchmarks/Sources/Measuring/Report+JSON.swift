extension Report {
  /// The results as an array of objects, one a line.
  package var json: String {
    let rows = measurements.map { measurement in
      var members = [
        "\"name\": \(Self.string(measurement.name))",
        "\"ns\": \(Self.number(measurement.nanoseconds, decimals: 3))",
        "\"instructions\": \(Self.number(measurement.instructions, decimals: 1))",
        "\"baseline\": \(Self.string(measurement.baseline))",
        "\"ratio\": \(Self.number(ratio(of: measurement.name, to: measurement.baseline), decimals: 3))",
      ]
      if let bytes = measurement.bytes {
        members.append("\"bytes\": \(Self.number(bytes, decimals: 1))")
      }
      if let absence = measurement.absence { members.append("\"absent\": \(Self.string(absence))") }
      return "  {\(members.joined(separator: ", "))}"
    }
    return "[\n\(rows.joined(separator: ",\n"))\n]\n"
  }

  private static func number(_ value: Double?, decimals: Int) -> String {
    value.map { $0.fixed(decimals) } ?? "null"
  }

  private static func string(_ text: String) -> String {
    var json = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"", "\\": json += "\\\(scalar)"
      case "\n": json += "\\n"
      case "\u{0}"..<" ":
        let digits = String(scalar.value, radix: 16)
        json += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: json.unicodeScalars.append(scalar)
      }
    }
    return json + "\""
  }
}
