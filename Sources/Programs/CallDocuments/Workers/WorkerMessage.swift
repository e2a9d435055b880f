import Invocations

/// A message between the command and the process that makes its calls.
///
/// Its format in the pipe: one byte for the kind, eight for the length, little-endian, then the
/// bytes.
struct WorkerMessage {
  /// The meaning of the bytes.
  enum Kind: UInt8 {
    /// A request with the words of a command line; the answer is text for people.
    case words = 1
    /// A request with the words of a command line; the answer is a JSON document.
    case wordsForJSON
    /// A request with a line of a batch.
    case line
    /// The answer of a call that succeeded.
    case success
    /// The answer of a call that failed.
    case failure
  }

  let kind: Kind
  let bytes: [UInt8]

  /// The number of bytes of the header.
  static let headerSize = 9

  /// The message in the format of the pipe.
  var encoded: [UInt8] {
    var encoded = [kind.rawValue]
    encoded.reserveCapacity(Self.headerSize + bytes.count)
    encoded.append(littleEndian: UInt64(bytes.count))
    return encoded + bytes
  }

  /// Parses a header; nil if the bytes are not one.
  static func header(_ bytes: some Collection<UInt8>) -> (kind: Kind, count: Int)? {
    guard bytes.count == headerSize, let kind = bytes.first.flatMap(Kind.init(rawValue:)) else {
      return nil
    }
    let count = bytes.dropFirst().reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    return Int(exactly: count).map { (kind, $0) }
  }
}
