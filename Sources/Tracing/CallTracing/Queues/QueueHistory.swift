/// The calls that a queue, or a thread, has made, as far as later blocks can have waited behind
/// them.
struct QueueHistory {
  private struct Occupation {
    let code: RecordedCode
    let submission: TraceSubmission?
    let duration: UInt64
    let end: UInt64

    var textBytes: Int { code.subject.textBytes + (submission?.textBytes ?? 0) }
  }

  /// How many calls there were.
  private(set) var count: UInt64 = 0

  /// In the order of their ends, each longer than all after it: no other call can be the longest
  /// since some time.
  private var longest: [Occupation] = []

  /// The bytes of the texts of these.
  private var textBytes = 0

  /// What it takes of a limit: more with long descriptions.
  var weight: Int { 1 + textBytes / 4096 }

  /// A damaged stream could have any number of calls, each shorter than the one before.
  private static let limit = 64

  mutating func add(
    _ code: RecordedCode, _ submission: TraceSubmission?, from start: UInt64, to end: UInt64
  ) {
    count += 1
    let duration = end > start ? end - start : 0
    while let last = longest.indices.last, longest[last].duration <= duration {
      textBytes -= longest.removeLast().textBytes
    }
    let new = Occupation(code: code, submission: submission, duration: duration, end: end)
    longest.append(new)
    textBytes += new.textBytes
    // The longest ones stay.
    if longest.count > Self.limit { textBytes -= longest.remove(at: Self.limit / 2).textBytes }
  }

  /// The obstacle of a block that was sent at a time, and begins now.
  ///
  /// - Parameters:
  ///   - time: The time.
  ///   - count: How many calls there were then; nil if that is not known.
  /// - Returns: The calls that ended since; nil without one.
  func obstacle(since time: UInt64, after count: UInt64?) -> TraceObstacle? {
    guard let found = longest.first(where: { $0.end > time }) else { return nil }
    return TraceObstacle(
      callCount: count.map {
        max(Int(clamping: Int64(clamping: self.count) - Int64(clamping: $0)), 1)
      }, longest: found.code.subject,
      longestNanoseconds: found.duration, submission: found.submission)
  }
}
