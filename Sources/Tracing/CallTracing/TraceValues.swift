/// The values of a call that are copied as words when it is made.
struct TraceWords: BitwiseCopyable {
  /// Six words for arguments, two for the result.
  ///
  /// A tuple, because it is copied as plain words, whereas an `InlineArray` is copied through its
  /// metadata.
  typealias Words = (UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64)

  var words: Words = (0, 0, 0, 0, 0, 0, 0, 0)

  /// Whether the words hold the arguments, and the result.
  var hasArguments = false
  var hasResult = false

  /// Calls a closure with the words for arguments.
  @inline(__always)
  mutating func withArguments(_ body: (UnsafeMutableRawPointer) -> Void) {
    // Of the whole structure, which begins with the words: unoptimised code asks for the metadata
    // of its type, and the runtime allocates that of a tuple.
    unsafe withUnsafeMutableBytes(of: &self) { unsafe body($0.baseAddress.unsafelyUnwrapped) }
  }

  /// Calls a closure with the words for the result.
  @inline(__always)
  mutating func withResult(_ body: (UnsafeMutableRawPointer) -> Void) {
    unsafe withArguments { unsafe body($0 + 8 * CapturePlan.argumentWords) }
  }
}

/// The captured arguments and result of one call.
///
/// Numbers, addresses and records of them are copied, and rendered when they are read. Text,
/// objects and blocks may not exist any more by then, so arguments of calls with these are rendered
/// at once.
struct TraceValues: Sendable {
  var words = TraceWords()

  /// The values that the words do not hold; one reference, so that records of numbers are cheap to
  /// copy.
  var texts: TraceTexts?
}

/// The parts of a call that were rendered when it was recorded.
final class TraceTexts: Sendable {
  let arguments: [String]?
  let result: String?
  let error: String?

  init(arguments: [String]?, result: String?, error: String?) {
    self.arguments = arguments
    self.result = result
    self.error = error
  }

  /// What was rendered; nil, and no memory is allocated, if nothing was.
  static func ifAny(arguments: [String]?, result: String?, error: String?) -> TraceTexts? {
    guard arguments != nil || result != nil || error != nil else { return nil }
    return TraceTexts(arguments: arguments, result: result, error: error)
  }
}
