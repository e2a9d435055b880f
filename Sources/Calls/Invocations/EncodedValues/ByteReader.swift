/// An error that says where bytes are not what they should be.
@usableFromInline
package protocol DamageError: Error {
  /// The error of bytes that end inside a value.
  static func truncated(_ message: String, at offset: Int) -> Self

  /// The error of a value that its type does not have.
  static func invalidValue(_ message: String, at offset: Int) -> Self
}

/// Bytes that are read from the front, with their place in the whole.
///
/// Damage is thrown as an error of the reader's own type. Other modules compile the reading of
/// integers for themselves, because a traced call has two dozen of them.
@usableFromInline
package struct ByteReader<Damage: DamageError> {
  @usableFromInline package let bytes: ArraySlice<UInt8>

  /// Where the next byte is.
  @usableFromInline package internal(set) var offset: Int

  /// Begins at the first byte; offsets count from the start of the collection that the bytes are a
  /// slice of.
  package init(_ bytes: ArraySlice<UInt8>) {
    self.bytes = bytes
    offset = bytes.startIndex
  }

  @inlinable package var remaining: Int { bytes.endIndex - offset }

  /// Reads bytes.
  ///
  /// - Throws: `truncated`.
  package mutating func take(_ count: Int) throws(Damage) -> ArraySlice<UInt8> {
    guard count <= remaining else { throw truncation(of: count) }
    defer { offset += count }
    return bytes[offset..<(offset + count)]
  }

  /// Reads an integer, the lowest byte first.
  ///
  /// - Throws: `truncated`.
  @inlinable
  package mutating func integer<Value: FixedWidthInteger & BitwiseCopyable>(
    _ type: Value.Type = Value.self
  ) throws(Damage) -> Value {
    let count = MemoryLayout<Value>.size
    guard count <= remaining else { throw truncation(of: count) }
    defer { offset += count }
    // SAFETY: the guard has found that there are so many bytes.
    return unsafe Value(
      littleEndian: bytes.withUnsafeBytes { [start = offset - bytes.startIndex] bytes in
        unsafe bytes.loadUnaligned(fromByteOffset: start, as: Value.self)
      })
  }

  @usableFromInline
  func truncation(of count: Int) -> Damage {
    .truncated("\(count.of("byte")) announced, \(remaining) left", at: offset)
  }

  /// Reads bytes led by their number.
  ///
  /// - Throws: `truncated`.
  package mutating func counted() throws(Damage) -> ArraySlice<UInt8> {
    try take(Int(try integer(UInt32.self)))
  }

  /// Reads text led by the number of its bytes.
  ///
  /// - Throws: `truncated`, `invalidValue`.
  package mutating func text() throws(Damage) -> String {
    let start = offset
    guard let text = String(validating: try counted(), as: UTF8.self) else {
      throw Damage.invalidValue("the text is not UTF-8", at: start)
    }
    return text
  }
}
