extension EncodingParser {
  /// Reads a result and arguments, up to the end or, for a block in a block, up to `>`.
  mutating func signature(isNested: Bool = false) throws(TypeEncodingError) -> MethodSignature {
    let resultVanished = nextIsDigit
    let result = resultVanished ? TypeEncoding(.vanished) : try type()
    let frameSize = try frameOffset()
    var arguments: [MethodSignature.Argument] = []
    while let byte = next, !(isNested && byte == Ascii.greater) {
      arguments.append(try argument(after: arguments.last))
    }
    guard !resultVanished || !arguments.isEmpty else {
      throw error(.unexpectedEnd, "a signature needs a result or arguments beside numbers")
    }
    return MethodSignature(result: result, frameSize: frameSize, arguments: arguments)
  }

  /// Reads an argument; behind the offset 0 another digit is the offset of one that vanished.
  private mutating func argument(
    after previous: MethodSignature.Argument?
  ) throws(TypeEncodingError) -> MethodSignature.Argument {
    if nextIsDigit, previous?.frameOffset?.bytes == 0 {
      guard next != Ascii.zero else {
        throw error(.malformedNumber, "a frame offset has leading zeros; leave them out")
      }
      return .init(TypeEncoding(.vanished), frameOffset: try frameOffset())
    }
    let encoding = try type()
    let start = position
    _ = skip(Ascii.plus)
    guard next == Ascii.zero else {
      position = start
      return .init(encoding, frameOffset: try frameOffset())
    }
    position += 1
    return .init(
      encoding, frameOffset: .init(0, isMarkedAsRegister: bytes[start] == Ascii.plus))
  }

  /// Reads a frame offset or size with its register mark and sign, if one comes next.
  private mutating func frameOffset() throws(TypeEncodingError) -> MethodSignature.FrameOffset? {
    let isMarked = skip(Ascii.plus)
    let isNegative = skip(Ascii.minus)
    guard isMarked || isNegative || nextIsDigit else { return nil }
    let bytes = try number("a frame offset")
    return .init(
      isNegative ? -bytes : bytes, isMarkedAsRegister: isMarked,
      isNegativeZero: isNegative && bytes == 0)
  }
}
