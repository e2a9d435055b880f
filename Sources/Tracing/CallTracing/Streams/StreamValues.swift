private import CCallTracing.TraceStrings
internal import Invocations

/// The reason why a record is invalid.
struct DamagedRecord: DamageError {
  let reason: String

  init(_ reason: String) { self.reason = reason }

  static func truncated(_ message: String, at offset: Int) -> Self { Self(message) }

  static func invalidValue(_ message: String, at offset: Int) -> Self { Self(message) }
}

/// The body of a record, which is read.
typealias RecordBody = ByteReader<DamagedRecord>

/// A C string whose bytes were copied into a stream.
struct CopiedString {
  private let bytes: ArraySlice<UInt8>
  private let isTerminated: Bool

  init(_ body: inout RecordBody) throws(DamagedRecord) {
    let note: UInt32 = try body.integer()
    let terminated = UInt32(CBR_TRACE_IS_TERMINATED)
    isTerminated = note & terminated != 0
    bytes = try body.take(Int(note & (terminated - 1)))
  }

  /// Its text, if it was at an address.
  func text(at address: UInt) -> String {
    unsafe ValueSlot.text(ofCString: bytes, isTerminated: isTerminated, at: address)
  }
}

extension RecordBody {
  /// The most bytes of a name: longer ones would be repeated for each call.
  private static var nameLimit: Int { 4096 }

  /// Reads a name, which the program may have written: it is cut if it is long, and what is not
  /// UTF-8 is replaced.
  mutating func name() throws(DamagedRecord) -> String {
    String(decoding: try counted(), as: UTF8.self).capped(Self.nameLimit)
  }

  mutating func texts() throws(DamagedRecord) -> [String] {
    var texts: [String] = []
    for _ in 0..<(try integer(UInt32.self)) { texts.append(try text()) }
    return texts
  }

  /// Reads the C strings of the words with the bits of a mask.
  mutating func strings(_ mask: UInt8) throws(DamagedRecord) -> [CopiedString] {
    var strings: [CopiedString] = []
    for _ in 0..<mask.nonzeroBitCount { strings.append(try CopiedString(&self)) }
    return strings
  }
}

extension TraceValues {
  /// Reads the words of the arguments, at most six.
  mutating func readArguments(_ count: Int, from body: inout RecordBody) throws(DamagedRecord) {
    for index in 0..<count {
      let word: UInt64 = try body.integer()
      // SAFETY: the count is that of a capture, which never exceeds the words for arguments.
      unsafe words.withArguments {
        unsafe $0.storeBytes(of: word, toByteOffset: 8 * index, as: UInt64.self)
      }
    }
    words.hasArguments = true
  }

  /// Reads the words of the result.
  mutating func readResult(from body: inout RecordBody) throws(DamagedRecord) {
    (words.words.6, words.words.7) = (try body.integer(), try body.integer())
    words.hasResult = true
  }
}
