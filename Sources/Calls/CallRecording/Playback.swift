private import BlockRuntimeThreads
internal import Invocations

/// The handle of a hook that answers from a recording: its recorded calls.
///
/// All functions may be called from any thread. The handle of a hook of every message has the calls
/// of all methods.
public final class Playback: Sendable {
  private let all = Locked<[RecordedAnswers]>([])

  init() {}

  /// The recorded calls that have answered no call yet, in the order in which they began.
  public var unusedCalls: [Recording.Call] {
    all.withLock { $0 }.flatMap(\.unusedCalls).sorted { $0.number < $1.number }
  }

  /// How many calls no recorded call could answer.
  public var unrecordedCount: Int {
    all.withLock { $0 }.reduce(0) { $0 + $1.unrecordedCount }
  }

  func add(_ answers: RecordedAnswers) { all.withLock { $0.append(answers) } }
}

/// The recorded calls of one target.
final class RecordedAnswers: @unchecked Sendable {
  // SAFETY: `@unchecked Sendable`: the answers are immutable; objects among them, which a codec has
  // made to be returned on any thread, are only passed on.

  private struct State {
    var isUsed: [Bool]

    /// All calls before this one are used.
    var start = 0
    var unrecordedCount = 0
  }

  /// The answer of a recorded call.
  enum Answer {
    case nothing
    case result(CValue)
    case error(any Error)
  }

  private let calls: [Recording.Call]
  private let answers: [Answer]
  private let repeating: Bool
  private let state: Locked<State>

  /// - Parameters:
  ///   - calls: The calls, in the order in which they began.
  ///   - answers: The answers of these calls.
  ///   - repeating: Whether a call that has answered may answer again.
  init(_ calls: [Recording.Call], _ answers: [Answer], repeating: Bool) {
    (self.calls, self.answers, self.repeating) = (calls, answers, repeating)
    state = Locked(State(isUsed: Array(repeating: false, count: calls.count)))
  }

  var unusedCalls: [Recording.Call] {
    let isUsed = state.withLock { $0.isUsed }
    return zip(calls, isUsed).filter { !$1 }.map(\.0)
  }

  var unrecordedCount: Int { state.withLock { $0.unrecordedCount } }

  /// Takes the first unused call with the same arguments; if there is none and calls repeat, the
  /// last used one.
  ///
  /// - Parameter isSame: Whether the arguments are the same; must not run foreign code.
  /// - Returns: The answer of the call; nil if there is no such call.
  func take(_ isSame: ([CValue]) -> Bool) -> Answer? {
    let index = state.withLock { state in
      var index = calls[state.start...].indices.first { index in
        !state.isUsed[index] && isSame(calls[index].arguments)
      }
      if let index {
        state.isUsed[index] = true
        state.start = state.isUsed[state.start...].firstIndex(of: false) ?? calls.endIndex
      } else if repeating {
        index = calls.indices.last { state.isUsed[$0] && isSame(calls[$0].arguments) }
      }
      if index == nil { state.unrecordedCount += 1 }
      return index
    }
    return index.map { answers[$0] }
  }
}
