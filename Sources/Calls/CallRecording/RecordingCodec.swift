public import Invocations
internal import TypeEncodings

/// The caller's way to write and read the values that a recording otherwise only describes:
/// pointers, objects, blocks, and unions that may hold them.
///
/// Without a codec, Swift values of methods that can be made of their texts, such as `String`, are
/// written as text.
public struct RecordingCodec: Sendable {
  /// Makes bytes of a value; nil if the value is to be described.
  ///
  /// The index is that of the argument, hidden ones counted, nil for the result; members of records
  /// come one by one with the index of the whole. Null pointers never come. A Swift value comes as
  /// an object that casts to its type; so does the value that an async method answers.
  public typealias Encode = @Sendable (_ index: Int?, _ value: CValue) -> [UInt8]?

  /// Makes a value of bytes, nil if that is not possible: then the call is skipped.
  ///
  /// What a pointer among the values points to must live until the replay ends; objects and blocks
  /// are retained for the call.
  public typealias Decode = @Sendable (_ index: Int?, _ bytes: [UInt8]) -> CValue?

  let encode: Encode
  let decode: Decode

  /// Creates a codec.
  ///
  /// - Parameters:
  ///   - encode: Runs in every recorded call, on its thread and under no lock, and in a replay for
  ///     results that were encoded, to compare them.
  ///   - decode: Runs in a replay, on its thread.
  public init(encode: @escaping Encode, decode: @escaping Decode) {
    self.encode = { index, value in
      guard case .object(let box as SwiftValue) = value else { return encode(index, value) }
      return encode(index, .object(box.value as AnyObject))
    }
    self.decode = decode
  }
}

extension RecordingCodec {
  /// The codec for callers that give none: it writes Swift values as text, if the text says all of
  /// the value.
  ///
  /// - Parameter signature: The signature of the calls.
  init(textOf signature: MethodSignature) {
    // No text has this byte.
    let none: [UInt8] = [0xFF]
    encode = { _, value in
      guard case .object(let box as SwiftValue) = value else { return nil }
      if box.value is Void { return [] }
      if (box.value as? any OptionalType)?.isNil ?? false { return none }
      return (box.value as? any LosslessStringConvertible).map { Array($0.description.utf8) }
    }
    decode = { index, bytes in
      let encoding = index.map { signature.arguments[$0].encoding } ?? signature.result
      guard let type = encoding.awaitedType else { return nil }
      if type == Void.self { return .object(SwiftValue(())) }
      if let type = type as? any OptionalType.Type, bytes == none {
        return .object(SwiftValue(type.init(nilLiteral: ())))
      }
      let text = String(decoding: bytes, as: UTF8.self)
      let valueType = (type as? any OptionalType.Type)?.wrappedType ?? type
      return (valueType as? any LosslessStringConvertible.Type)?.init(text).map {
        .object(SwiftValue($0))
      }
    }
  }
}
