/// The arguments and the result of one call, as they were captured.
///
/// Numbers, addresses and records of them are copied and become text when somebody asks; text,
/// objects and blocks may be gone by then, so their calls' arguments are rendered at once.
struct TraceValues: Sendable {
  /// Six words of arguments, two of the result.
  ///
  /// A tuple is copied as the words it is, an `InlineArray` through its metadata.
  typealias Words = (UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64)
  var words: Words = (0, 0, 0, 0, 0, 0, 0, 0)

  /// Whether the words hold what they are for.
  var hasArguments = false
  var hasResult = false

  /// What the words do not hold; in one piece, so that records of numbers are cheap to copy.
  var texts: TraceTexts?
}

/// What of a call was rendered when it was recorded.
final class TraceTexts: Sendable {
  let arguments: [String]?
  let result: String?
  let error: String?

  init(arguments: [String]?, result: String?, error: String?) {
    self.arguments = arguments
    self.result = result
    self.error = error
  }
}
