package import CallTracing

/// A JSON document; its objects preserve the order of their members.
package indirect enum JSONValue: Sendable {
  case null
  case bool(Bool)
  case integer(Int)
  /// A number as text, for numbers that no Swift type represents: `2.0`, `1e400`, 128 bits.
  case number(String)
  case string(String)
  case array([JSONValue])
  case object([Member])

  /// A name and its value.
  package typealias Member = (name: String, value: JSONValue)

  /// A number, or null.
  package static func optional(_ number: Int?) -> JSONValue {
    number.map(JSONValue.integer) ?? .null
  }

  /// A text, or null.
  package static func optional(_ text: String?) -> JSONValue { text.map(JSONValue.string) ?? .null }

  /// The document on one line, in UTF-8.
  package var text: String {
    var text = TraceText()
    append(to: &text)
    return String(decoding: text.bytes, as: UTF8.self)
  }
}

extension JSONValue: TraceJSON {
  package func append(to text: inout TraceText) {
    switch self {
    case .null: text.append("null")
    case .bool(let value): value.append(to: &text)
    case .integer(let value): value.append(to: &text)
    case .number(let digits): text.append(digits)
    case .string(let value): value.append(to: &text)
    case .array(let elements): elements.append(to: &text)
    case .object(let members):
      text.append { text in
        for (name, value) in members { text.append(name, value) }
      }
    }
  }
}
