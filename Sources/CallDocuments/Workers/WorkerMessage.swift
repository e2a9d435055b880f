/// A message between the command and the process that makes its calls.
///
/// On the wire: one byte for the kind, eight for the length, lowest first, then the bytes.
struct WorkerMessage {
  /// What the bytes are.
  enum Kind: UInt8 {
    /// A call to be made, by the words of a command line; the answer is text for a person.
    case words = 1
    /// The same; the answer is a JSON document.
    case wordsForJSON
    /// A call to be made, by a line of a batch.
    case line
    /// The answer of a call that succeeded.
    case success
    /// The answer of a call that failed.
    case failure
  }

  let kind: Kind
  let bytes: [UInt8]

  /// The bytes before each message.
  static let headerSize = 9

  /// The message as it travels.
  var encoded: [UInt8] {
    var encoded = [kind.rawValue]
    encoded.reserveCapacity(Self.headerSize + bytes.count)
    for shift in stride(from: 0, to: 64, by: 8) {
      encoded.append(UInt8(truncatingIfNeeded: UInt64(bytes.count) >> UInt64(shift)))
    }
    return encoded + bytes
  }

  /// What a header announces; nil if it is none.
  static func header(_ bytes: some Collection<UInt8>) -> (kind: Kind, count: Int)? {
    guard bytes.count == headerSize, let kind = bytes.first.flatMap(Kind.init(rawValue:)) else {
      return nil
    }
    let count = bytes.dropFirst().reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    return Int(exactly: count).map { (kind, $0) }
  }
}
