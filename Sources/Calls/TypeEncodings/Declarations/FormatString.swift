/// The arguments that a format of C's `printf` or `scanf` takes.
///
/// Specification: C11, 7.21.6.1 and 7.21.6.2; POSIX, with arguments by number; glibc's `%m`, `%C`,
/// `%S` and lengths.
package struct FormatString {
  /// One argument.
  package struct Argument: Equatable {
    /// The type that is passed, after C's promotions.
    package let encoding: TypeEncoding

    /// For text, the most bytes that it has; nil for all up to its zero.
    package let precision: Precision?

    package init(_ encoding: TypeEncoding, precision: Precision? = nil) {
      self.encoding = encoding
      self.precision = precision
    }
  }

  /// A limit of text.
  package enum Precision: Equatable {
    case literal(Int)
    /// The value of the argument at an index; there is no limit if it is negative.
    case argument(Int)
  }

  /// The arguments in the order in which they are passed.
  package private(set) var arguments: [Argument] = []

  /// More arguments than any call has.
  package static let maximumCount = 4096

  private let bytes: [UInt8]
  private let isScanned: Bool
  private var next = 0

  /// The arguments by their numbers, for a format that numbers them.
  private var numbered: [Int: Argument] = [:]
  private var isNumbered: Bool?

  /// Reads a format.
  ///
  /// - Parameters:
  ///   - bytes: The format, without the zero at its end.
  ///   - isScanned: Whether the format is one of `scanf`.
  /// - Throws: `invalidFormat`, with the offset of the byte.
  package init(_ bytes: [UInt8], isScanned: Bool) throws(TypeEncodingError) {
    self.bytes = bytes
    self.isScanned = isScanned
    while let percent = bytes[next...].firstIndex(of: UInt8(ascii: "%")) {
      next = percent + 1
      try isScanned ? readScanned() : readPrinted()
    }
    for number in 0..<(numbered.keys.max().map { $0 + 1 } ?? 0) {
      guard let argument = numbered[number] else {
        throw refusal(
          "no conversion takes argument \(number + 1), whose type is therefore not known")
      }
      arguments.append(argument)
    }
  }

  private func refusal(_ message: String) -> TypeEncodingError {
    TypeEncodingError(
      code: .invalidFormat, message: message, input: String(decoding: bytes, as: UTF8.self),
      offset: min(next, bytes.count))
  }

  private mutating func skip(_ character: Unicode.Scalar) -> Bool {
    guard next < bytes.count, bytes[next] == UInt8(ascii: character) else { return false }
    next += 1
    return true
  }

  /// Skips digits, and returns their number, which is capped.
  private mutating func number() -> Int? {
    var number: Int?
    while next < bytes.count, case 0x30...0x39 = bytes[next] {
      number = min((number ?? 0) * 10 + Int(bytes[next] - 0x30), 1 << 30)
      next += 1
    }
    return number
  }

  /// The number of an argument, counted from 0, if one is written.
  private mutating func position() throws(TypeEncodingError) -> Int? {
    let start = next
    guard let number = number(), skip("$") else {
      next = start
      return nil
    }
    guard (1...Self.maximumCount).contains(number) else {
      throw refusal("arguments are numbered from 1 to \(Self.maximumCount)")
    }
    return number - 1
  }

  /// Adds an argument.
  ///
  /// - Returns: Its index.
  @discardableResult
  private mutating func add(
    _ argument: Argument, at position: Int?
  ) throws(TypeEncodingError) -> Int {
    guard isNumbered == nil || isNumbered == (position != nil) else {
      throw refusal("either all arguments are numbered, as in %1$d, or none")
    }
    isNumbered = position != nil
    guard let position else {
      guard arguments.count < Self.maximumCount else {
        throw refusal("no call has so many arguments")
      }
      arguments.append(argument)
      return arguments.count - 1
    }
    guard numbered[position].map({ $0.encoding == argument.encoding }) ?? true else {
      throw refusal("argument \(position + 1) has two types")
    }
    numbered[position] = argument
    return position
  }

  /// Adds the argument that `*` takes as a width or precision.
  private mutating func star() throws(TypeEncodingError) -> Int? {
    guard skip("*") else { return nil }
    return try add(Argument(TypeEncoding(.primitive(.int32))), at: position())
  }

  private mutating func length() -> Length {
    for (text, length) in Length.spellings where bytes[next...].starts(with: text.utf8) {
      next += text.utf8.count
      return length
    }
    return .none
  }

  private mutating func conversion() throws(TypeEncodingError) -> Unicode.Scalar {
    guard next < bytes.count else { throw refusal("the format ends within a conversion") }
    return Unicode.Scalar(bytes[next])
  }

  private mutating func readPrinted() throws(TypeEncodingError) {
    let position = try position()
    while next < bytes.count, "-+ #0'I".utf8.contains(bytes[next]) { next += 1 }
    if try star() == nil { _ = number() }
    var precision: Precision?
    if skip(".") { precision = try star().map { .argument($0) } ?? .literal(number() ?? 0) }
    let length = length()
    // Void: the conversion takes no argument.
    let type: EncodedType
    switch try conversion() {
    case "%", "m": type = .primitive(.void)
    case "d", "i": type = .primitive(length.isLong ? .int64 : .int32)
    case "o", "u", "x", "X", "b", "B": type = .primitive(length.isLong ? .uint64 : .uint32)
    case "e", "E", "f", "F", "g", "G", "a", "A":
      type = .primitive(length == .longDouble ? .longDouble : .double)
    case "c": type = .primitive(length == .long ? .uint32 : .int32)
    case "C": type = .primitive(.uint32)
    case "s" where length != .long: type = .primitive(.cString)
    case "s", "S", "p", "n": type = .pointer(TypeEncoding(.primitive(.void)))
    case let other:
      throw refusal("%\(other) is no conversion of printf; name the arguments instead")
    }
    if type != .primitive(.void) {
      let isText = type == .primitive(.cString)
      try add(Argument(TypeEncoding(type), precision: isText ? precision : nil), at: position)
    }
    next += 1
  }

  private mutating func readScanned() throws(TypeEncodingError) {
    let position = try position()
    var isStored = true
    while next < bytes.count, "*'I".utf8.contains(bytes[next]) {
      if bytes[next] == UInt8(ascii: "*") { isStored = false }
      next += 1
    }
    _ = number()
    let isAllocated = skip("m")
    let length = length()
    var pointee = PrimitiveType.void
    // Only narrow texts end with a zero byte.
    var isPointer = false
    switch try conversion() {
    case "%": isStored = false
    case "d", "i", "n": pointee = length.signed
    case "o", "u", "x", "X", "b": pointee = length.unsigned
    case "e", "E", "f", "F", "g", "G", "a", "A":
      pointee =
        length == .longDouble ? .longDouble : length == .long ? .double : .float
    case "c", "C", "S": isPointer = isAllocated
    case "s" where isAllocated && length != .long: pointee = .cString
    case "s": isPointer = isAllocated
    case "p": break
    case "[":
      if next + 1 < bytes.count, bytes[next + 1] == UInt8(ascii: "^") { next += 1 }
      // A bracket that comes first is a character of the set.
      guard let end = bytes.dropFirst(next + 2).firstIndex(of: UInt8(ascii: "]")) else {
        throw refusal("the set of characters does not end; write ] behind it")
      }
      next = end
      isPointer = isAllocated && length == .long
      pointee = isAllocated && !isPointer ? .cString : .void
    case let other: throw refusal("%\(other) is no conversion of scanf; name the arguments instead")
    }
    if isStored {
      var encoding = TypeEncoding(.pointer(TypeEncoding(.primitive(pointee))))
      if isPointer { encoding = TypeEncoding(.pointer(encoding)) }
      try add(Argument(encoding), at: position)
    }
    next += 1
  }
}

extension FormatString {
  /// How long the integer or number of a conversion is.
  private enum Length {
    case none, char, short, long, longLong, longDouble

    /// The lengths, those of two letters before those of one.
    static let spellings: [(String, Length)] = [
      ("hh", .char), ("h", .short), ("ll", .longLong), ("l", .long), ("q", .longLong),
      ("j", .longLong), ("z", .longLong), ("Z", .longLong), ("t", .longLong), ("L", .longDouble),
    ]

    /// Whether an integer has 64 bits, as it has with glibc's `%Ld` too.
    var isLong: Bool { self == .long || self == .longLong || self == .longDouble }

    var signed: PrimitiveType {
      self == .char ? .int8 : self == .short ? .int16 : isLong ? .int64 : .int32
    }

    var unsigned: PrimitiveType {
      self == .char ? .uint8 : self == .short ? .uint16 : isLong ? .uint64 : .uint32
    }
  }
}

extension FormatString.Precision {
  /// The most bytes, by the values of all arguments.
  package func limit(_ integer: (Int) -> Int?) -> Int {
    switch self {
    case .literal(let count): count
    case .argument(let index): integer(index).flatMap { $0 < 0 ? nil : $0 } ?? 1 << 30
    }
  }
}
