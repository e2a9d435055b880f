import CommandConventions

/// What a call came to.
struct CallAnswer {
  /// The result; null for none.
  let result: JSONValue

  /// By argument, the contents of the memory it points to; null for all that were given otherwise.
  let outputs: [JSONValue]

  /// Whether there is no result.
  let isVoid: Bool

  /// The answer as a JSON document.
  var json: JSONValue { .object([("result", result), ("outputs", .array(outputs))]) }

  /// The answer for a person: a line for the result, and one for each argument's new contents.
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
