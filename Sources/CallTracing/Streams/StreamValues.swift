internal import Invocations

/// The reason why a record is invalid.
struct DamagedRecord: DamageError {
  let reason: String

  init(_ reason: String) { self.reason = reason }

  static func truncated(_ message: String, at offset: Int) -> DamagedRecord {
    DamagedRecord(message)
  }

  static func invalidValue(_ message: String, at offset: Int) -> DamagedRecord {
    DamagedRecord(message)
  }
}

extension ByteReader<DamagedRecord> {
  /// Reads an integer, the lowest byte first.
  ///
  /// The method of all readers is not specialized here, as it is in another module.
  mutating func integer<Value: FixedWidthInteger>(
    _ type: Value.Type = Value.self
  ) throws(DamagedRecord) -> Value {
    let count = Value.bitWidth / 8
    if let word = word(count) { return Value(truncatingIfNeeded: word) }
    return Value(truncatingIfNeeded: try wide(count))
  }

  mutating func texts() throws(DamagedRecord) -> [String] {
    var texts: [String] = []
    for _ in 0..<(try integer(UInt32.self)) { texts.append(try text()) }
    return texts
  }
}

extension TraceValues {
  /// Reads the words of the arguments, at most six.
  mutating func readArguments(
    _ count: Int, from body: inout ByteReader<DamagedRecord>
  ) throws(DamagedRecord) {
    for index in 0..<count {
      let word: UInt64 = try body.integer()
      // SAFETY: the count is that of a capture, which never exceeds the words for arguments.
      unsafe withUnsafeMutableBytes(of: &words.words) { words in
        unsafe words.storeBytes(of: word, toByteOffset: 8 * index, as: UInt64.self)
      }
    }
    words.hasArguments = true
  }

  /// Reads the words of the result.
  mutating func readResult(
    from body: inout ByteReader<DamagedRecord>
  ) throws(DamagedRecord) {
    (words.words.6, words.words.7) = (try body.integer(), try body.integer())
    words.hasResult = true
  }
}
