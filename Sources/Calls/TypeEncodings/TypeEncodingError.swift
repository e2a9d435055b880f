@_exported public import BlockRuntimeErrors

/// Why an encoding was refused; the subject is the first 200 bytes of the encoding.
public struct TypeEncodingError: BlockRuntimeError {
  /// The error's parts.
  public let details: ErrorDetails

  /// Creates an error from the parts of another.
  public init(details: ErrorDetails) { self.details = details }
}

extension TypeEncodingError {
  /// The first 200 bytes of the encoding that was refused, which are also the `subject`.
  public var input: String { subject ?? "" }

  /// The place, as a byte offset in the encoding; nil if there is none.
  public var offset: Int? { place?.byte }

  /// Creates an error that stores the first 200 bytes of the input.
  ///
  /// - Parameters:
  ///   - code: The kind of refusal.
  ///   - message: What is wrong, and how to correct it.
  ///   - input: The encoding that was refused, of any length.
  ///   - offset: The byte offset of the error, if there is one.
  public init(code: ErrorCode, message: String, input: String, offset: Int? = nil) {
    self.init(code, message, subject: Self.capped(input), at: offset.map { .byte($0) })
  }

  /// The longest prefix of whole Unicode scalars that has at most 200 bytes.
  private static func capped(_ text: String) -> String {
    let limit = 200
    guard text.utf8.count > limit else { return text }
    var bytes = text.utf8.prefix(limit + 1)
    // The text must be cut before a byte that begins a scalar.
    while let last = bytes.last, last & 0xC0 == 0x80 { bytes.removeLast() }
    bytes.removeLast()
    return String(Substring(bytes))
  }
}

extension ErrorCode {
  /// The text is empty.
  public static let empty = ErrorCode(rawValue: "empty")

  /// The text is longer than 1 MiB.
  public static let tooLong = ErrorCode(rawValue: "tooLong")

  /// Types are nested deeper than `TypeEncoding.maximumDepth`.
  public static let tooDeep = ErrorCode(rawValue: "tooDeep")

  /// The text ends inside a type.
  public static let unexpectedEnd = ErrorCode(rawValue: "unexpectedEnd")

  /// A character that is not allowed at its position.
  public static let unexpectedCharacter = ErrorCode(rawValue: "unexpectedCharacter")

  /// A number is missing or has leading zeros.
  public static let malformedNumber = ErrorCode(rawValue: "malformedNumber")

  /// A number exceeds 64 bits.
  public static let numberTooLarge = ErrorCode(rawValue: "numberTooLarge")

  /// A quoted text or a record's tag that is not closed.
  public static let unterminated = ErrorCode(rawValue: "unterminated")

  /// Text after a complete type.
  public static let trailingText = ErrorCode(rawValue: "trailingText")

  /// A type that has no layout here: it has no size, or its encoding does not determine one.
  public static let noLayout = ErrorCode(rawValue: "noLayout")

  /// An encoding that fits several layouts, between which nothing in the signature decides.
  public static let ambiguousLayout = ErrorCode(rawValue: "ambiguousLayout")

  /// A missing type that the compiler could not express, such as a SIMD vector.
  public static let vanishedType = ErrorCode(rawValue: "vanishedType")

  /// A record whose frame size or bit-field positions differ from its natural layout.
  public static let packedRecord = ErrorCode(rawValue: "packedRecord")

  /// A struct-return flag of a block that contradicts the result's encoding.
  public static let structReturnMismatch = ErrorCode(rawValue: "structReturnMismatch")

  /// A size or frame offset that exceeds the range of an address.
  public static let sizeOverflow = ErrorCode(rawValue: "sizeOverflow")

  /// A Swift type that has no counterpart in C which an encoding could name.
  public static let unsupportedSwiftType = ErrorCode(rawValue: "unsupportedSwiftType")

  /// A Swift type whose layout differs from the C type of the same members.
  public static let layoutMismatch = ErrorCode(rawValue: "layoutMismatch")

  /// A name of a type or constant that a declaration uses and nobody declares.
  public static let unknownType = ErrorCode(rawValue: "unknownType")

  /// A function that is named without its declaration, and not known.
  public static let unknownFunction = ErrorCode(rawValue: "unknownFunction")

  /// A format of `printf` or `scanf` whose arguments are not known.
  public static let invalidFormat = ErrorCode(rawValue: "invalidFormat")

  /// A declaration of another type than a function's.
  public static let noFunction = ErrorCode(rawValue: "noFunction")

  /// A declaration in C that an encoding cannot express, or that is of another language.
  public static let unsupportedDeclaration = ErrorCode(rawValue: "unsupportedDeclaration")
}
