public import BlockRuntimeErrors

extension ErrorCode {
  /// The text is empty.
  public static let empty = ErrorCode(rawValue: "empty")

  /// The text is longer than 1 MiB.
  public static let tooLong = ErrorCode(rawValue: "tooLong")

  /// Types are nested deeper than `TypeEncoding.maximumDepth`.
  public static let tooDeep = ErrorCode(rawValue: "tooDeep")

  /// The text ends inside a type.
  public static let unexpectedEnd = ErrorCode(rawValue: "unexpectedEnd")

  /// A character stands where none of its kind may stand.
  public static let unexpectedCharacter = ErrorCode(rawValue: "unexpectedCharacter")

  /// A number is missing or has leading zeros.
  public static let malformedNumber = ErrorCode(rawValue: "malformedNumber")

  /// A number exceeds 64 bits.
  public static let numberTooLarge = ErrorCode(rawValue: "numberTooLarge")

  /// A quoted text or a record's tag has no end.
  public static let unterminated = ErrorCode(rawValue: "unterminated")

  /// Something follows a complete type.
  public static let trailingText = ErrorCode(rawValue: "trailingText")

  /// The type has no size of its own, or the encoding leaves it out.
  public static let noLayout = ErrorCode(rawValue: "noLayout")

  /// The encoding fits several layouts, and nothing in the signature decides.
  public static let ambiguousLayout = ErrorCode(rawValue: "ambiguousLayout")

  /// A type is missing that the compiler could not express, such as a SIMD vector.
  public static let vanishedType = ErrorCode(rawValue: "vanishedType")

  /// A record's frame size or bit-field positions differ from its natural layout.
  public static let packedRecord = ErrorCode(rawValue: "packedRecord")

  /// The block's struct-return flag contradicts the result's encoding.
  public static let structReturnMismatch = ErrorCode(rawValue: "structReturnMismatch")

  /// A size or frame offset exceeds what an address can say.
  public static let sizeOverflow = ErrorCode(rawValue: "sizeOverflow")

  /// The signature has no argument of that index.
  public static let noSuchArgument = ErrorCode(rawValue: "noSuchArgument")

  /// A Swift type has no counterpart in C that an encoding could name.
  public static let unsupportedSwiftType = ErrorCode(rawValue: "unsupportedSwiftType")

  /// A Swift type lies in memory differently from the C type of the same members.
  public static let layoutMismatch = ErrorCode(rawValue: "layoutMismatch")
}
