internal import Foundation

/// What can be said on both sides of the bridge: the values of JSON.
public enum ScriptValue: Equatable, Sendable {
  /// `null`, which is Swift's nil; `undefined` becomes null too.
  case null
  /// A truth value.
  case bool(Bool)
  /// A number; scripts have no other numbers than doubles.
  case number(Double)
  /// A text of any characters.
  case string(String)
  /// An array.
  case array([ScriptValue])
  /// An object with its properties.
  case object([String: ScriptValue])
}

extension ScriptValue {
  /// How deep arrays and objects may lie in each other.
  private static let depthLimit = 256

  /// The value as JSON in ASCII, which no encoding of the engine's texts can change.
  ///
  /// - Throws: `invalidValue` for numbers that are not finite, and beyond 256 levels.
  func json() throws(ScriptBridgeError) -> String {
    var text = ""
    try write(to: &text, depth: 0)
    return text
  }

  private func write(to text: inout String, depth: Int) throws(ScriptBridgeError) {
    guard depth < Self.depthLimit else {
      throw ScriptBridgeError(.invalidValue, "the value has more than \(Self.depthLimit) levels")
    }
    switch self {
    case .null: text += "null"
    case .bool(let value): text += "\(value)"
    case .number(let value):
      guard value.isFinite else { throw ScriptBridgeError(.invalidValue, "\(value) is no JSON") }
      text += "\(value)"
    case .string(let value): text += Self.quoted(value)
    case .array(let values):
      text += "["
      for (index, value) in values.enumerated() {
        if index > 0 { text += "," }
        try value.write(to: &text, depth: depth + 1)
      }
      text += "]"
    case .object(let properties):
      text += "{"
      for (index, property) in properties.sorted(by: { $0.key < $1.key }).enumerated() {
        if index > 0 { text += "," }
        text += Self.quoted(property.key) + ":"
        try property.value.write(to: &text, depth: depth + 1)
      }
      text += "}"
    }
  }

  /// A text as JSON, in ASCII.
  static func quoted(_ string: String) -> String {
    var text = "\""
    for unit in string.utf16 {
      switch unit {
      case 0x20, 0x21, 0x23...0x5B, 0x5D...0x7E:
        text.unicodeScalars.append(Unicode.Scalar(UInt8(unit)))
      default:
        let digits = String(unit, radix: 16)
        text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      }
    }
    return text + "\""
  }

  /// Reads JSON.
  ///
  /// - Throws: `invalidValue`, also for half a character: a surrogate without its other half.
  init(json: String) throws(ScriptBridgeError) {
    do {
      self = try JSONDecoder().decode(ScriptValue.self, from: Data(json.utf8))
    } catch {
      throw ScriptBridgeError(.invalidValue, "Swift cannot read \(json.prefix(80)): \(error)")
    }
  }
}

extension ScriptValue: Decodable {
  /// Reads a value of any kind.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if container.decodeNil() {
      self = .null
    } else if let value = try? container.decode(Bool.self) {
      self = .bool(value)
    } else if let value = try? container.decode(Double.self) {
      self = .number(value)
    } else if let value = try? container.decode(String.self) {
      self = .string(value)
    } else if let values = try? container.decode([ScriptValue].self) {
      self = .array(values)
    } else {
      self = .object(try container.decode([String: ScriptValue].self))
    }
  }
}
