extension EncodingParser {
  /// Reads a result and arguments, up to the end or, for a block in a block, up to `>`.
  mutating func signature(isNested: Bool = false) throws(TypeEncodingError) -> MethodSignature {
    let resultVanished = nextIsDigit
    let result = resultVanished ? TypeEncoding(.vanished) : try type()
    let frameSize = try frameOffset()
    let arguments = try list(ArgumentList(isNested: isNested))
    guard !resultVanished || !arguments.isEmpty else {
      throw error(.unexpectedEnd, "a signature needs a result or arguments beside numbers")
    }
    return MethodSignature(result: result, frameSize: frameSize, arguments: arguments)
  }

  /// The arguments of a signature.
  private struct ArgumentList: ParsedList {
    let isNested: Bool

    /// Whether a digit belongs to an argument without a type.
    var isAfterZero = false

    func goesOn(in parser: borrowing EncodingParser) -> Bool {
      guard let byte = parser.next else { return false }
      return !(isNested && byte == Ascii.greater)
    }

    mutating func element(
      _ parser: inout EncodingParser
    ) throws(TypeEncodingError) -> MethodSignature.Argument {
      let argument = try parser.argument(isAfterZero: isAfterZero)
      isAfterZero = argument.frameOffset?.bytes == 0
      return argument
    }
  }

  /// Reads an argument; after the offset 0 its type may be left out.
  private mutating func argument(
    isAfterZero: Bool
  ) throws(TypeEncodingError) -> MethodSignature.Argument {
    if isAfterZero, nextIsDigit { return try vanishedArgument() }
    let encoding = try type()
    // A digit after 0 begins the offset of an argument without a type.
    guard !skip(Ascii.zero) else { return .init(encoding, frameOffset: .init(0)) }
    return .init(encoding, frameOffset: try frameOffset(isArgument: true))
  }

  /// Reads the frame offset of an argument whose type the compiler left out.
  private mutating func vanishedArgument() throws(TypeEncodingError) -> MethodSignature.Argument {
    guard next != Ascii.zero else {
      throw error(.malformedNumber, "a frame offset has leading zeros; leave them out")
    }
    return .init(TypeEncoding(.vanished), frameOffset: try frameOffset())
  }

  /// Reads a frame offset or size with its register mark and sign, if there is one here.
  @inline(__always)
  private mutating func frameOffset(
    isArgument: Bool = false
  ) throws(TypeEncodingError) -> MethodSignature.FrameOffset? {
    if nextIsDigit { return .init(try number("a frame offset")) }
    guard next == Ascii.plus || next == Ascii.minus else { return nil }
    return try markedFrameOffset(isArgument: isArgument)
  }

  /// Reads a frame offset or size that begins with a register mark or a sign.
  @inline(never)
  private mutating func markedFrameOffset(
    isArgument: Bool
  ) throws(TypeEncodingError) -> MethodSignature.FrameOffset {
    let isMarked = skip(Ascii.plus)
    if isArgument, skip(Ascii.zero) { return .init(0, isMarkedAsRegister: isMarked) }
    let isNegative = skip(Ascii.minus)
    let bytes = try number("a frame offset")
    return .init(
      isNegative ? -bytes : bytes, isMarkedAsRegister: isMarked,
      isNegativeZero: isNegative && bytes == 0)
  }
}
