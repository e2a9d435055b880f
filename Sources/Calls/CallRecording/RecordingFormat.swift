internal import Invocations

/// The constants of the file format; the article `Recordings.md` describes it.
enum RecordingFormat {
  /// The first bytes: no text file begins so, and what changes line ends damages them.
  static let magic: [UInt8] = [0x89, 0x42, 0x4C, 0x4B, 0x52, 0x0D, 0x0A, 0x0A]

  /// The version that is written.
  static let version: UInt32 = 2

  /// The versions that are read: in the first one no call throws.
  static let versions: ClosedRange<UInt32> = 1...version

  /// The bytes before the first record.
  static var header: [UInt8] {
    var bytes = magic
    bytes.append(littleEndian: version)
    return bytes
  }

  /// The bytes of a record before its body: the body's length and checksum.
  static let recordHeaderSize = 8

  /// The kind of a record, which is the first byte of its body.
  enum Kind: UInt8 {
    case subject = 1
    case call = 2
    case end = 3
  }

  /// The kind of a call's end.
  enum Ending: UInt8 {
    case nothing = 0
    case result = 1
    case error = 2
  }

  /// The form of a reference, which is its first byte.
  enum Reference: UInt8 {
    case null = 0
    case described = 1
    case encoded = 2
  }

  /// The values of a subject's struct-return flag, each at the index that is its byte.
  static let structReturnFlags: [Bool?] = [nil, false, true]

  /// A body with its length and checksum before it.
  static func record(_ body: [UInt8]) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(recordHeaderSize + body.count)
    bytes.append(littleEndian: UInt32(truncatingIfNeeded: body.count))
    bytes.append(littleEndian: Checksum.of(body[...]))
    bytes += body
    return bytes
  }
}

/// CRC-32 as Ethernet, zip and PNG have it: the reflected polynomial 0xEDB88320.
enum Checksum {
  private static let table: [UInt32] = (0..<256).map { index in
    (0..<8).reduce(UInt32(index)) { rest, _ in
      rest & 1 == 0 ? rest >> 1 : rest >> 1 ^ 0xEDB8_8320
    }
  }

  /// The checksum of bytes.
  static func of(_ bytes: ArraySlice<UInt8>) -> UInt32 {
    let table = table
    var rest = UInt32.max
    for byte in bytes { rest = rest >> 8 ^ table[Int(UInt8(truncatingIfNeeded: rest) ^ byte)] }
    return ~rest
  }
}

extension [UInt8] {
  /// Adds bytes led by their number.
  ///
  /// - Returns: False, and nothing is added, if there are more than the format can say.
  mutating func append(counted bytes: some Collection<UInt8>) -> Bool {
    guard let count = UInt32(exactly: bytes.count) else { return false }
    append(littleEndian: count)
    append(contentsOf: bytes)
    return true
  }
}
