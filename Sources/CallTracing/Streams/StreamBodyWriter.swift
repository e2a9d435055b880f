// SAFETY, for the whole file: a record is reserved with the size that these functions add up to
// before it is written; every store lies within it.

/// Writes the body of a stream's record in place, without any memory of its own.
@safe
struct StreamBodyWriter {
  private var next: UnsafeMutableRawPointer

  /// Begins a body.
  ///
  /// ## Safety
  /// There must be memory for all that is written.
  @unsafe
  init(_ body: UnsafeMutableRawPointer, _ head: TraceStreamFormat.Head) {
    unsafe next = unsafe body
    append(head.kind.rawValue)
    append(head.parts.rawValue)
    append(UInt16(0))
    append(head.depth)
    append(head.process)
    append(head.thread)
  }

  mutating func append(_ number: some FixedWidthInteger & BitwiseCopyable) {
    unsafe next.storeBytes(of: number, as: type(of: number))
    unsafe next += MemoryLayout.size(ofValue: number)
  }

  mutating func append(_ text: String) {
    append(UInt32(truncatingIfNeeded: text.utf8.count))
    var text = text
    text.withUTF8 { bytes in
      if let start = bytes.baseAddress {
        unsafe next.copyMemory(from: start, byteCount: bytes.count)
      }
      unsafe next += bytes.count
    }
  }

  mutating func append(_ texts: [String]) {
    append(UInt32(truncatingIfNeeded: texts.count))
    for text in texts { append(text) }
  }

  static func size(_ text: String) -> Int { 4 + text.utf8.count }

  static func size(_ texts: [String]) -> Int { texts.reduce(4) { $0 + size($1) } }
}
