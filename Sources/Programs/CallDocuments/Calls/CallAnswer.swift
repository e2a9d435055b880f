import CommandOptionsAndResults

/// The outcome of a call.
struct CallAnswer {
  /// The result; null if there is none.
  let result: JSONValue

  /// For each argument that was given as a buffer, the buffer's contents; null for other arguments.
  let outputs: [JSONValue]

  /// Whether there is no result.
  let isVoid: Bool

  /// Whether the result is one by which functions of C say that they failed, and why is in `errno`.
  let tellsOfError: Bool

  /// The name of the number that the function left in `errno`; nil if it left none.
  let errorName: String?

  var json: JSONValue {
    .object(
      [("result", result), ("outputs", .array(outputs))]
        + (errorName.map { [("errno", .string($0))] } ?? []))
  }

  /// The answer as text: a line for the result, and one for the contents of each buffer.
  var text: String {
    var lines: [String] = []
    let reason = tellsOfError ? errorName.map { " (\($0))" } ?? "" : ""
    if case .string(let text) = result {
      lines.append(TextStyle.visible(text) + reason)
    } else if !isVoid {
      lines.append(result.text + reason)
    }
    for (index, output) in outputs.enumerated() {
      if case .null = output { continue }
      lines.append("argument \(index): \(output.text)")
    }
    return lines.map { $0 + "\n" }.joined()
  }
}
