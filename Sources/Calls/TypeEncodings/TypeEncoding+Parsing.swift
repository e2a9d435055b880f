extension TypeEncoding {
  /// The limit of nesting: one level for each pointer, array, record and block signature.
  public static let maximumDepth = 128

  /// The limit of the length of an encoding or signature, in bytes.
  public static let maximumLength = 1 << 20

  /// Parses one type encoding of any dialect.
  ///
  /// - Parameter text: The encoding, such as `{CGPoint="x"d"y"d}` or `@?<v@?q>`.
  /// - Throws: `empty`, `tooLong`, `tooDeep`, `unexpectedEnd`, `unexpectedCharacter`,
  ///   `malformedNumber`, `numberTooLarge`, `unterminated`, `vanishedType` (an array without
  ///   element type) and `trailingText`, each with the byte offset.
  public init(parsing text: String) throws(TypeEncodingError) {
    self = try EncodingParser.parse(text) { (parser) throws(TypeEncodingError) in
      let type = try parser.type()
      guard parser.next == nil else {
        throw parser.error(
          .trailingText, "the type ends before this; parse several types as a MethodSignature")
      }
      return type
    }
  }
}

extension MethodSignature {
  /// Parses a signature of any dialect, with or without frame offsets.
  ///
  /// The corresponding Objective-C method is `+[NSMethodSignature signatureWithObjCTypes:]`.
  ///
  /// - Parameter text: The signature, such as `i20@?0i8d12` or `v@:@`.
  /// - Throws: The same codes as parsing a `TypeEncoding`, except `trailingText`.
  public init(parsing text: String) throws(TypeEncodingError) {
    self = try EncodingParser.parse(text) { (parser) throws(TypeEncodingError) in
      try parser.signature()
    }
  }
}
