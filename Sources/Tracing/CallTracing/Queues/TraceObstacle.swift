/// The obstacle of a block that waited: the calls that its queue made meanwhile.
///
/// Of a block that was sent to a serial queue, or to one whose blocks run on a serial queue, these
/// are the calls on that queue; likewise of barriers and of what waits for barriers. Of other
/// blocks they are the calls that the thread made meanwhile which then ran the block, if one of
/// them took half of the wait at least: no other thread was there for it.
public struct TraceObstacle: Sendable {
  /// How many calls ended on the queue while the block waited, or, if it never ran, were running;
  /// nil for the calls of a thread.
  public let callCount: Int?

  /// The code of the longest of these calls.
  public let longest: TraceSubject

  /// The duration of the longest call, part of which may have been before the block was sent.
  public let longestNanoseconds: UInt64

  /// How the block of the longest call came to its queue; nil if that is not known.
  public let submission: TraceSubmission?

  /// The calls in words, after `behind`.
  ///
  /// - Parameter details: The text after the name of the longest call.
  /// - Returns: The words.
  package func words(_ details: String = "") -> String {
    let others = (callCount ?? 1) - 1
    let first = longest.shortTitle + details
    return others > 0 ? "\(first) and \(others.of("other call"))" : first
  }
}

extension TraceRecord {
  /// Whether the block waited behind one of a lower quality of service: a priority inversion.
  public var isPriorityInversion: Bool { inversion != nil }

  /// The inversion in words; empty without one.
  package var inversionWords: String {
    inversion.map { ", an inversion: \($0.own) behind \($0.other)" } ?? ""
  }

  private var inversion: (own: TracedQuality, other: TracedQuality)? {
    guard let own = submission?.qualityOfService,
      let other = obstacle?.submission?.qualityOfService, own > other
    else { return nil }
    return (own, other)
  }
}
