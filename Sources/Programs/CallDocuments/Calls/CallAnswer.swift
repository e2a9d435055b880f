import CommandOptionsAndResults

/// The outcome of a call.
struct CallAnswer {
  /// The result; null if there is none.
  let result: JSONValue

  /// For each argument given as a buffer, the buffer's contents; null for the others.
  let outputs: [JSONValue]

  /// Whether there is no result.
  let isVoid: Bool

  /// The answer as a JSON document.
  var json: JSONValue { .object([("result", result), ("outputs", .array(outputs))]) }

  /// The answer as text: a line for the result, and one for the contents of each buffer.
  var text: String {
    var lines: [String] = []
    if case .string(let text) = result {
      lines.append(TextStyle.visible(text))
    } else if !isVoid {
      lines.append(result.text)
    }
    for (index, output) in outputs.enumerated() {
      if case .null = output { continue }
      lines.append("argument \(index): \(output.text)")
    }
    return lines.map { $0 + "\n" }.joined()
  }
}
