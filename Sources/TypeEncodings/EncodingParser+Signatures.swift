extension EncodingParser {
  /// Reads a result and arguments, up to the end or, for a block in a block, up to `>`.
  mutating func signature(isNested: Bool = false) throws(TypeEncodingError) -> MethodSignature {
    let resultVanished = nextIsDigit
    let result = resultVanished ? TypeEncoding(.vanished) : try type()
    let frameSize = try frameOffset()
    var arguments: [MethodSignature.Argument] = []
    // Enough for most signatures, so that the array rarely grows.
    arguments.reserveCapacity(4)
    while let byte = next, !(isNested && byte == Ascii.greater) {
      if nextIsDigit, arguments.last?.frameOffset?.bytes == 0 {
        arguments.append(try vanishedArgument())
      } else {
        let encoding = try type()
        arguments.append(.init(encoding, frameOffset: try argumentOffset()))
      }
    }
    guard !resultVanished || !arguments.isEmpty else {
      throw error(.unexpectedEnd, "a signature needs a result or arguments beside numbers")
    }
    return MethodSignature(result: result, frameSize: frameSize, arguments: arguments)
  }

  /// Reads the frame offset of an argument whose type the compiler left out.
  private mutating func vanishedArgument() throws(TypeEncodingError) -> MethodSignature.Argument {
    guard next != Ascii.zero else {
      throw error(.malformedNumber, "a frame offset has leading zeros; leave them out")
    }
    return .init(TypeEncoding(.vanished), frameOffset: try frameOffset())
  }

  /// Reads an argument's offset; a digit after 0 begins the offset of an argument without a type.
  private mutating func argumentOffset() throws(TypeEncodingError) -> MethodSignature.FrameOffset? {
    let start = position
    let isMarked = skip(Ascii.plus)
    guard skip(Ascii.zero) else {
      position = start
      return try frameOffset()
    }
    return .init(0, isMarkedAsRegister: isMarked)
  }

  /// Reads a frame offset or size with its register mark and sign, if there is one here.
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
