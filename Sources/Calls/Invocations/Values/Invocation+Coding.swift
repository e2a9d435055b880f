internal import TypeEncodings

/// A call is encoded without its target and its result: its signature, the selector of a message,
/// and the arguments that a caller writes.
///
/// A decoded call has no receiver; the caller names it: `invoke(on:)`, `send(to:)`. So data may
/// choose the message and its values, but not the object that gets them: compare `signature` and
/// `selector` before the call if the data is not your own.
extension Invocation: Codable {
  private enum Key: String, CodingKey {
    case signature, selector, arguments, swift
  }

  /// Encodes the call.
  ///
  /// Values of C, and Swift values that are `Codable`, are encoded; null pointers too.
  ///
  /// - Parameter encoder: The encoder.
  /// - Throws: `EncodingError.invalidValue` for other pointers, objects, classes and blocks, which
  ///   have no value outside of this process, and what the encoder throws.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    try container.encode("\(signature)", forKey: .signature)
    try container.encodeIfPresent(messageName?.name, forKey: .selector)
    var arguments = container.nestedUnkeyedContainer(forKey: .arguments)
    for index in ownArgumentIndices {
      guard isSet(index) else {
        try arguments.encodeNil()
        continue
      }
      let value = try argumentValue(index)
      if case .object(let box as SwiftValue) = value, let value = box.value as? any Codable {
        var swift = arguments.nestedContainer(keyedBy: Key.self)
        try swift.encode(value, forKey: .swift)
        continue
      }
      if let reason = refusal(of: value, at: index) {
        throw EncodingError.invalidValue(
          value,
          EncodingError.Context(codingPath: arguments.codingPath, debugDescription: reason))
      }
      try arguments.encode(value)
    }
  }

  /// Decodes a call that has no receiver.
  ///
  /// - Parameter decoder: The decoder.
  /// - Throws: `DecodingError` for a signature that cannot be called, an argument that does not fit
  ///   it, or one that is an address.
  public convenience init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Key.self)
    let signature = try container.decode(String.self, forKey: .signature)
    do throws(InvocationError) {
      try self.init(signature: signature)
    } catch {
      throw DecodingError.dataCorrupted(
        DecodingError.Context(
          codingPath: container.codingPath + [Key.signature], debugDescription: error.message,
          underlyingError: error))
    }
    if let name = try container.decodeIfPresent(String.self, forKey: .selector) {
      guard self.signature.form == .method, let selector = Selector.known(name),
        selector.argumentCount == ownArgumentIndices.count
      else {
        throw DecodingError.dataCorruptedError(
          forKey: .selector, in: container,
          debugDescription:
            "`\(name)` is the selector of no method known here of this signature; names are not made "
            + "of data: use the class, or `Selector(\"\(name)\")`, first")
      }
      setMessage(nil, selector)
      unsafe states[0] = .unset
    }
    var arguments = try container.nestedUnkeyedContainer(forKey: .arguments)
    for index in ownArgumentIndices {
      if try arguments.decodeNil() { continue }
      let path = arguments.codingPath
      do {
        try decodeArgument(index, from: &arguments)
      } catch let error as InvocationError {
        throw DecodingError.dataCorrupted(
          DecodingError.Context(
            codingPath: path, debugDescription: "argument \(index): \(error.message)",
            underlyingError: error))
      }
    }
    guard arguments.isAtEnd else {
      throw DecodingError.dataCorruptedError(
        in: arguments,
        debugDescription: "the signature has \(ownArgumentIndices.count.of("argument"))")
    }
  }

  private func decodeArgument(
    _ index: Int, from arguments: inout any UnkeyedDecodingContainer
  ) throws {
    let encoding = signature.arguments[index].encoding
    guard let name = encoding.swiftValueTypeName else {
      let value = try arguments.decode(CValue.self)
      if let reason = refusal(of: value, at: index) {
        throw InvocationError(.typeMismatch, reason, argument: index)
      }
      return try setArgumentValue(index, value)
    }
    guard let type = encoding.swiftValueType as? any Codable.Type else {
      throw InvocationError(
        .typeMismatch, "\(name) is no `Codable` type of a method known here", argument: index)
    }
    let swift = try arguments.nestedContainer(keyedBy: Key.self)
    func decode<Value: Codable>(_ type: Value.Type) throws {
      try storeArgument(index, swift.decode(type, forKey: .swift))
    }
    try decode(type)
  }

  /// The reason why a value has no meaning outside of this process; nil if it has one.
  private func refusal(of value: CValue, at index: Int) -> String? {
    // The bytes of a union may be an address.
    let encoding = signature.arguments[index].encoding
    let isAddress =
      value.refersToMemory || encoding.holds { $0.kind == .union && $0.holds(\.kind.isPointer) }
    return isAddress ? "argument \(index), \(value), is or may be an address in this process" : nil
  }
}

extension CValue {
  /// Whether the value is or holds an address that is not null, or a text that stands for one.
  fileprivate var refersToMemory: Bool {
    switch self {
    case .pointer, .object, .class, .block: !isNull
    case .opaque: true
    case .structure(let values), .array(let values): values.contains(where: \.refersToMemory)
    case .member(_, let value): value.refersToMemory
    default: false
    }
  }
}
