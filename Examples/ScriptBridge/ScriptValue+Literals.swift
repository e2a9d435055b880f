extension ScriptValue: ExpressibleByNilLiteral {
  /// Null.
  public init(nilLiteral: ()) { self = .null }
}

extension ScriptValue: ExpressibleByBooleanLiteral {
  /// A truth value.
  public init(booleanLiteral value: Bool) { self = .bool(value) }
}

extension ScriptValue: ExpressibleByIntegerLiteral {
  /// A number.
  public init(integerLiteral value: Int) { self = .number(Double(value)) }
}

extension ScriptValue: ExpressibleByFloatLiteral {
  /// A number.
  public init(floatLiteral value: Double) { self = .number(value) }
}

extension ScriptValue: ExpressibleByStringLiteral {
  /// A text.
  public init(stringLiteral value: String) { self = .string(value) }
}

extension ScriptValue: ExpressibleByArrayLiteral {
  /// An array.
  public init(arrayLiteral elements: ScriptValue...) { self = .array(elements) }
}

extension ScriptValue: ExpressibleByDictionaryLiteral {
  /// An object; of properties of one name the last counts.
  public init(dictionaryLiteral elements: (String, ScriptValue)...) {
    self = .object(Dictionary(elements) { $1 })
  }
}

extension ScriptValue: CustomStringConvertible {
  /// The value as a script would write it.
  public var description: String {
    switch self {
    case .null: "null"
    case .bool(let value): "\(value)"
    case .number(let value): Int(exactly: value).map { "\($0)" } ?? "\(value)"
    case .string(let value): value.debugDescription
    case .array(let values): "[\(values.map(\.description).joined(separator: ", "))]"
    case .object(let properties):
      "{\(properties.sorted { $0.key < $1.key }.map { "\($0): \($1)" }.joined(separator: ", "))}"
    }
  }
}
