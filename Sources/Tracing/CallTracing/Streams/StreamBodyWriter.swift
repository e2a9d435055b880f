internal import CCallTracing.TraceCallers
internal import CCallTracing.TraceStrings

/// Writes the body of a stream's record in place, without allocating memory.
@safe
struct StreamBodyWriter {
  // SAFETY: a record is reserved with the size that `size` adds up before it is written, so every
  // store is inside it; other threads do not access it before it is committed.

  private var next: UnsafeMutableRawPointer

  /// Begins a body.
  ///
  /// ## Safety
  /// The memory must have room for everything that is written.
  @unsafe
  init(_ body: UnsafeMutableRawPointer, _ head: TraceStreamFormat.Head) {
    unsafe next = unsafe body
    append(head.kind.rawValue)
    append(UInt8(0))
    append(head.parts.rawValue)
    append(head.depth)
    append(head.process)
    append(head.thread)
  }

  mutating func append(_ number: some FixedWidthInteger & BitwiseCopyable) {
    unsafe next.storeBytes(of: number, as: type(of: number))
    unsafe next += MemoryLayout.size(ofValue: number)
  }

  /// Appends words, which a closure stores; they are zero before.
  ///
  /// ## Safety
  /// The closure must store no more than so many words.
  @unsafe @inline(__always)
  mutating func append(wordCount: Int, _ fill: (UnsafeMutableRawPointer) -> Void) {
    unsafe fill(next)
    unsafe next += 8 &* wordCount
  }

  mutating func append(_ text: String?) {
    guard var text else { return }
    text.withUTF8 { unsafe append(UnsafeRawBufferPointer($0)) }
  }

  mutating func append(_ text: UnsafeRawBufferPointer) {
    append(UInt32(truncatingIfNeeded: text.count))
    guard let start = text.baseAddress else { return }
    unsafe next.copyMemory(from: start, byteCount: text.count)
    unsafe next += text.count
  }

  mutating func append(_ callers: cbr_trace_callers) {
    var callers = callers
    unsafe next = cbr_trace_copy_callers(&callers, next)
  }

  /// Appends C strings, whose addresses were read when they were found.
  mutating func append(_ strings: cbr_trace_strings) {
    var strings = strings
    unsafe next = cbr_trace_copy_strings(&strings, next)
  }

  mutating func append(_ texts: [String]) {
    append(UInt32(truncatingIfNeeded: texts.count))
    for text in texts { append(text) }
  }

  static func size(_ text: String?) -> Int { text.map { 4 + $0.utf8.count } ?? 0 }

  static func size(_ text: UnsafeRawBufferPointer) -> Int { 4 + text.count }

  static func size(_ texts: [String]) -> Int { texts.reduce(4) { $0 + size($1) } }
}
