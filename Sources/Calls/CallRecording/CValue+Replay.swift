internal import Invocations

/// Why a recorded value cannot be replayed.
struct NotReplayable: Error {
  let reason: String
}

extension CValue {
  /// A recorded value, of which the parts that a codec wrote are decoded.
  ///
  /// - Parameters:
  ///   - codec: Decodes the bytes that it wrote.
  ///   - index: The argument's index, hidden ones counted; nil for the result.
  /// - Returns: The value.
  /// - Throws: Why the value cannot be replayed, if only a text is known of a part.
  func replayable(_ codec: RecordingCodec, _ index: Int?) throws(NotReplayable) -> CValue {
    switch self {
    case .opaque(let value):
      guard value.text != ValueDecoder.unreadable else {
        throw NotReplayable(reason: "a C string could not be read when it was recorded")
      }
      guard let bytes = value.encoded else {
        throw NotReplayable(reason: "\(value.text) was described, not recorded")
      }
      guard let decoded = codec.decode(index, bytes) else {
        throw NotReplayable(
          reason: "the codec makes nothing of \(bytes.count.of("byte")); give the one that wrote it"
        )
      }
      return decoded
    case .structure(let members):
      return .structure(try Self.replayable(members, codec, index))
    case .array(let elements): return .array(try Self.replayable(elements, codec, index))
    default: return self
    }
  }

  private static func replayable(
    _ parts: [CValue], _ codec: RecordingCodec, _ index: Int?
  ) throws(NotReplayable) -> [CValue] {
    var values: [CValue] = []
    for part in parts { values.append(try part.replayable(codec, index)) }
    return values
  }

  /// Whether a result equals this recorded one, as far as it was recorded.
  ///
  /// Numbers are equal if their bits are, but every NaN equals every other; text is compared by its
  /// bytes.
  ///
  /// - Parameters:
  ///   - value: The result.
  ///   - codec: Encodes the result, to compare it with bytes that the codec wrote.
  /// - Returns: Whether they are equal.
  func isSameResult(as value: CValue, _ codec: RecordingCodec) -> Bool {
    if case .opaque(let own) = self {
      guard !value.isNull else { return false }
      if case .opaque(let other) = value {
        return own.encoded == nil || own.encoded == other.encoded
      }
      guard let bytes = own.encoded else { return true }
      return codec.encode(nil, value) == bytes
    }
    if isNull || value.isNull { return isNull && value.isNull }
    return switch (self, value) {
    case (.float(let own), .float(let other)): own.isSameResult(as: other)
    case (.double(let own), .double(let other)): own.isSameResult(as: other)
    case (.longDouble(let own), .longDouble(let other)): own.isSameResult(as: other)
    case (.complex(let own, let ownImaginary), .complex(let other, let otherImaginary)):
      own.isSameResult(as: other) && ownImaginary.isSameResult(as: otherImaginary)
    case (.cString(let own?), .cString(let other?)): own.utf8.elementsEqual(other.utf8)
    case (.structure(let own), .structure(let others)), (.array(let own), .array(let others)):
      own.count == others.count
        && zip(own, others).allSatisfy { $0.isSameResult(as: $1, codec) }
    default: self == value
    }
  }
}

extension BinaryFloatingPoint {
  /// Whether two numbers are the same, signs of zero included; every NaN equals every other.
  fileprivate func isSameResult(as other: Self) -> Bool {
    isNaN ? other.isNaN : self == other && sign == other.sign
  }
}

extension String {
  /// The text with spaces in place of control characters, because a file may contain anything.
  var onOneLine: String {
    var line = String.UnicodeScalarView()
    line += unicodeScalars.map { $0.properties.generalCategory == .control ? " " : $0 }
    return String(line)
  }
}
