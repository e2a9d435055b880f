internal import BlockRuntimeThreads
internal import Invocations

/// Computes the outcome of an answer once for all tasks that await it; an error is not kept.
final class SharedAnswer<Answer: AwaitedAnswer>: Sendable {
  private enum State {
    case original(Answer)
    case outcome(Answer.Outcome)
  }

  /// The original, until it has answered: then it is released, because it may hold the receiver.
  private let state: Locked<State>

  /// Lets one task compute while the others wait; its only key is 0.
  private let cache = MemoCache<Int, Answer.Outcome>(limits: MemoLimits(count: 1), pressure: nil)

  fileprivate init(_ answer: Answer) { state = Locked(.original(answer)) }

  fileprivate var value: Answer.Outcome {
    get async throws {
      try await cache.value(for: 0) {
        switch state.withLock({ $0 }) {
        case .outcome(let outcome): return outcome
        case .original(let answer):
          let outcome = try await answer.value
          let ended = state.withLock { state in
            defer { state = .outcome(outcome) }
            return state
          }
          withExtendedLifetime(ended) {}
          return outcome
        }
      }
    }
  }
}

extension AwaitedAnswer {
  /// An answer that computes this one once.
  func shared() -> Self {
    let shared = SharedAnswer(self)
    return Self { try await shared.value }
  }
}
