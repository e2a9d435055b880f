/// The outcomes of the calls of a replay.
public struct ReplayReport: Sendable {
  /// The outcome of one call.
  public enum Outcome: Hashable, Sendable {
    /// The call returned what was recorded, as far as results are recorded.
    case matched
    /// The call returned something else; both results are given as text.
    case differs(expected: String, got: String)
    /// The call was not made, or its result cannot be read.
    case skipped(reason: String)
  }

  /// One call with its outcome.
  public struct ReplayedCall: Sendable {
    /// The call as it was recorded.
    public let call: Recording.Call

    /// The outcome of the call in the replay.
    public let outcome: Outcome
  }

  /// All calls, in the order of the replay.
  public let calls: [ReplayedCall]

  /// The calls that returned something else.
  public var differences: [ReplayedCall] {
    calls.filter { if case .differs = $0.outcome { true } else { false } }
  }

  /// The calls that were not made.
  public var skipped: [ReplayedCall] {
    calls.filter { if case .skipped = $0.outcome { true } else { false } }
  }

  /// Whether every call was made and returned what was recorded.
  public var isClean: Bool { calls.allSatisfy { $0.outcome == .matched } }
}

extension ReplayReport: CustomStringConvertible {
  /// The counts, then a line for each call that did not match.
  public var description: String {
    let (differences, skipped) = (differences.count, skipped.count)
    let lines = calls.compactMap { replayed -> String? in
      switch replayed.outcome {
      case .matched: nil
      case .differs(let expected, let got):
        "call \(replayed.call.number): \(replayed.call) — expected \(expected), got \(got)"
      case .skipped(let reason):
        "call \(replayed.call.number): \(replayed.call) — skipped: \(reason)"
      }
    }
    let matched = calls.count - differences - skipped
    return (["\(matched) matched, \(differences) differ, \(skipped) skipped"] + lines)
      .joined(separator: "\n")
  }
}
