internal import BlockRuntimeThreads
internal import Invocations

/// What is behind an answer that is computed once, whoever awaits it; an error is not kept.
final class SharedAnswer<Answer: AwaitedAnswer>: Sendable {
  private enum State {
    case original(Answer)
    case outcome(Answer.Outcome)
  }

  private let state: Locked<State>
  private let cache = MemoCache<Int, Answer.Outcome>(limits: MemoLimits(count: 1), pressure: nil)

  fileprivate init(_ answer: Answer) { state = Locked(.original(answer)) }

  fileprivate var value: Answer.Outcome {
    get async throws {
      try await cache.value(for: 0) {
        switch state.withLock({ $0 }) {
        case .outcome(let outcome): return outcome
        case .original(let answer):
          let outcome = try await answer.value
          // The original, which may hold the receiver, is released here.
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
