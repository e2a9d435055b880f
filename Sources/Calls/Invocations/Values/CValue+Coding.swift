extension CValue: Codable {
  private enum Key: String, CodingKey {
    case void, bool, integer, float, double, longDouble, complex, cString, bytes, pointer
    case object, `class`, block, structure, array, member, opaque
  }

  private enum MemberKey: String, CodingKey {
    case index, value
  }

  /// How many keys there may be outside of a value, two a level: decoding recurses, and hostile
  /// data must not overflow the stack of a thread of libdispatch, half a megabyte.
  private static let keyLimit = 128

  /// Encodes the value, under the name of its case.
  ///
  /// Numbers beyond 64 bits and floating-point numbers are texts, so that any coder keeps them
  /// exactly, but for the sign and the payload of a NaN. An opaque value keeps its text only.
  ///
  /// - Parameter encoder: The encoder.
  /// - Throws: `EncodingError.invalidValue` for an object, a class or a block, and what the encoder
  ///   throws.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    switch self {
    case .void: try container.encodeNil(forKey: .void)
    case .bool(let value): try container.encode(value, forKey: .bool)
    case .integer(let value):
      if let value = Int64(exactly: value) {
        try container.encode(value, forKey: .integer)
      } else {
        try container.encode("\(value)", forKey: .integer)
      }
    case .unsignedInteger(let value): try container.encode("\(value)", forKey: .integer)
    case .float(let value): try container.encode("\(value)", forKey: .float)
    case .double(let value): try container.encode("\(value)", forKey: .double)
    case .longDouble(let value): try container.encode("\(value)", forKey: .longDouble)
    case .complex(let real, let imaginary):
      try container.encode(["\(real)", "\(imaginary)"], forKey: .complex)
    case .cString(let text): try container.encode(text, forKey: .cString)
    case .bytes(let bytes): try container.encode(bytes, forKey: .bytes)
    case .pointer(let address): try container.encode(UInt64(address), forKey: .pointer)
    case .object(nil): try container.encodeNil(forKey: .object)
    case .class(nil): try container.encodeNil(forKey: .class)
    case .block(nil): try container.encodeNil(forKey: .block)
    case .structure(let members): try container.encode(members, forKey: .structure)
    case .array(let elements): try container.encode(elements, forKey: .array)
    case .member(let index, let value):
      var member = container.nestedContainer(keyedBy: MemberKey.self, forKey: .member)
      try member.encode(index, forKey: .index)
      try member.encode(value, forKey: .value)
    case .opaque(let value): try container.encode(value.text, forKey: .opaque)
    case .object, .class, .block:
      throw EncodingError.invalidValue(
        self,
        EncodingError.Context(
          codingPath: encoder.codingPath,
          debugDescription: "\(self) is a reference: it has no value outside of this process"))
    }
  }

  /// Decodes a value.
  ///
  /// - Parameter decoder: The decoder.
  /// - Throws: `DecodingError` where there is no such value, or values nest more than 64 levels
  ///   deep.
  public init(from decoder: any Decoder) throws {
    guard decoder.codingPath.count <= Self.keyLimit else {
      throw DecodingError.dataCorrupted(
        DecodingError.Context(
          codingPath: decoder.codingPath,
          debugDescription: "values nest at most \(Self.keyLimit / 2) levels deep"))
    }
    let container = try decoder.container(keyedBy: Key.self)
    guard let key = container.allKeys.first, container.allKeys.count == 1 else {
      throw DecodingError.dataCorrupted(
        DecodingError.Context(
          codingPath: decoder.codingPath, debugDescription: "a value has one key, its kind"))
    }
    func number<Number: LosslessStringConvertible>(
      _ text: String, _ type: Number.Type = Number.self
    ) throws -> Number {
      guard let number = Number(text) else {
        throw DecodingError.dataCorruptedError(
          forKey: key, in: container, debugDescription: "\"\(text)\" is no \(type)")
      }
      return number
    }
    switch key {
    case .void: self = .void
    case .bool: self = .bool(try container.decode(Bool.self, forKey: key))
    case .integer:
      if let value = try? container.decode(Int64.self, forKey: key) {
        self = .integer(Int128(value))
      } else {
        let text = try container.decode(String.self, forKey: key)
        self = try Int128(text).map { .integer($0) } ?? .unsignedInteger(number(text))
      }
    case .float: self = .float(try number(container.decode(String.self, forKey: key)))
    case .double: self = .double(try number(container.decode(String.self, forKey: key)))
    case .longDouble: self = .longDouble(try number(container.decode(String.self, forKey: key)))
    case .complex:
      let parts = try container.decode([String].self, forKey: key)
      guard parts.count == 2 else {
        throw DecodingError.dataCorruptedError(
          forKey: key, in: container, debugDescription: "a complex number has two parts")
      }
      self = .complex(real: try number(parts[0]), imaginary: try number(parts[1]))
    case .cString: self = .cString(try container.decode(String?.self, forKey: key))
    case .bytes: self = .bytes(try container.decode([UInt8].self, forKey: key))
    case .pointer:
      self = .pointer(UInt(truncatingIfNeeded: try container.decode(UInt64.self, forKey: key)))
    case .object: self = .object(nil)
    case .class: self = .class(nil)
    case .block: self = .block(nil)
    case .structure: self = .structure(try container.decode([CValue].self, forKey: key))
    case .array: self = .array(try container.decode([CValue].self, forKey: key))
    case .member:
      let member = try container.nestedContainer(keyedBy: MemberKey.self, forKey: key)
      self = .member(
        index: try member.decode(Int.self, forKey: .index),
        value: try member.decode(CValue.self, forKey: .value))
    case .opaque:
      self = .opaque(OpaqueValue(text: try container.decode(String.self, forKey: key)))
    }
  }
}
