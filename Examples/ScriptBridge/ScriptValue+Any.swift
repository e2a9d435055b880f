internal import BlockRuntime

extension ScriptValue {
  /// The value as one of Swift's: numbers are integers if they are exact, and null is nil.
  var any: Any {
    switch self {
    case .null: Any?.none as Any
    case .bool(let value): value
    case .number(let value): Int(exactly: value) ?? value
    case .string(let value): value
    case .array(let values): values.map(\.any)
    case .object(let properties): properties.mapValues(\.any)
    }
  }

  /// A value of Swift's.
  ///
  /// - Throws: `invalidValue` for what scripts have no value for: objects, blocks, integers that are
  ///   not exact as doubles.
  init(any value: Any?) throws(ScriptBridgeError) {
    switch value {
    case nil: self = .null
    case let value as Bool: self = .bool(value)
    case let value as String: self = .string(value)
    case let value as CValue: self = try ScriptValue(value: value)
    case let value as any BinaryInteger:
      guard let number = Double(exactly: value) else {
        throw ScriptBridgeError(.invalidValue, "\(value) is not exact as a script's number")
      }
      self = .number(number)
    case let value as any BinaryFloatingPoint: self = .number(Double(value))
    case let value as [Any?]:
      self = .array(
        try value.map { value throws(ScriptBridgeError) in try ScriptValue(any: value) })
    case let value as [String: Any?]:
      var properties: [String: ScriptValue] = [:]
      for (name, value) in value { properties[name] = try ScriptValue(any: value) }
      self = .object(properties)
    case let value?:
      throw ScriptBridgeError(.invalidValue, "scripts have no value for a \(type(of: value))")
    }
  }
}
