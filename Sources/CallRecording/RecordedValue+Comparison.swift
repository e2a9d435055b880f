internal import Invocations

extension RecordedValue {
  /// Whether a result is the recorded one, as far as that was recorded.
  ///
  /// - Parameters:
  ///   - value: The result.
  ///   - codec: Writes what a codec wrote.
  /// - Returns: Whether they are the same.
  func isSame(as value: BoxedValue, _ codec: RecordingCodec?) -> Bool {
    switch (content, value) {
    case (.plain(let own), _): own.isSameResult(as: value)
    case (.unreadable, _), (.described, _): !value.isNull
    case (.encoded(let bytes), _):
      !value.isNull && (codec.map { $0.encode(nil, value) == bytes } ?? true)
    case (.structure(let own), .structure(let values)), (.array(let own), .array(let values)):
      own.count == values.count && zip(own, values).allSatisfy { $0.isSame(as: $1, codec) }
    default: false
    }
  }
}

extension BoxedValue {
  /// Whether two results are the same: numbers by their bits, but every NaN like every other, and
  /// text by its bytes.
  fileprivate func isSameResult(as other: BoxedValue) -> Bool {
    if isNull || other.isNull { return isNull && other.isNull }
    return switch (self, other) {
    case (.float(let own), .float(let other)): own.isSameResult(as: other)
    case (.double(let own), .double(let other)): own.isSameResult(as: other)
    case (.longDouble(let own), .longDouble(let other)): own.isSameResult(as: other)
    case (.complex(let own, let ownImaginary), .complex(let other, let otherImaginary)):
      own.isSameResult(as: other) && ownImaginary.isSameResult(as: otherImaginary)
    case (.cString(let own?), .cString(let other?)): own.utf8.elementsEqual(other.utf8)
    default: self == other
    }
  }
}

extension BinaryFloatingPoint {
  /// Whether two numbers are the same, signs of zero included; every NaN is like every other.
  fileprivate func isSameResult(as other: Self) -> Bool {
    isNaN ? other.isNaN : self == other && sign == other.sign
  }
}
