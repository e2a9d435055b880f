public import BlockHooks
internal import BlockRuntimeErrors
internal import BlockRuntimeThreads
internal import DelayedBlocks
internal import Invocations

/// The expectation of a test that a target is called a number of times within a time.
///
/// All functions may be called from any thread.
public final class CallExpectation: Sendable {
  private struct State {
    /// The name of the target in messages; it is set when the hook is installed.
    var title = "the target"
    var callCount = 0
    /// Set once the time limit has passed, or the block has died.
    var end: DelayTimer.Instant?
    /// The first problem.
    var problem: HookError?
  }

  private let expected: ExpectedCalls
  private let limit: Duration
  private let place: String
  private let timer: DelayTimer
  private let onError: @Sendable (any Error) -> Void
  private let state = Locked(State())

  /// The block that runs at the time limit; it is cancelled as soon as it is known whether the
  /// expectation is fulfilled.
  private let deadline = Locked<DelayedBlock?>(nil)

  init(
    _ expected: ExpectedCalls, within limit: Duration, at place: String, _ timer: DelayTimer,
    _ onError: @escaping @Sendable (any Error) -> Void
  ) {
    self.expected = expected
    self.limit = limit
    self.place = place
    self.timer = timer
    self.onError = onError
  }

  /// The number of calls so far.
  public var callCount: Int { state.withLock { $0.callCount } }

  /// Waits until the expected number of calls is reached, the time limit has passed, or the block
  /// has died, and then verifies.
  ///
  /// Where no call, or a greatest number of calls, is expected, this waits for the time limit or
  /// for the death of the block. Cancelling the task that waits ends the wait, as the time limit
  /// would.
  ///
  /// - Throws: As `verify()`.
  public func fulfilled() async throws(HookError) {
    if let deadline = deadline.withLock({ $0 }) { _ = await deadline.end }
    try verify()
  }

  /// Checks the calls that were made so far.
  ///
  /// - Throws: `unexpectedCall` if there were more than expected, `lateCall` if one was made after
  ///   the time limit, `missingCall` if there were fewer than expected.
  public func verify() throws(HookError) {
    let problem = state.withLock { $0.problem ?? missing($0, "") }
    if let problem { throw problem }
  }
}

extension CallExpectation {
  /// Begins the time limit.
  ///
  /// Calls of the hook retain the expectation; the time limit does not.
  func begin(_ title: String) {
    state.withLock { $0.title = title }
    let block = timer.perform(after: limit) { [weak self, limit] in self?.end("within \(limit)") }
    deadline.withLock { $0 = block }
  }

  /// Counts a call.
  func count() {
    let now = timer.now
    let (isDecided, problem) = state.withLock { state -> (Bool, HookError?) in
      state.callCount += 1
      let count = state.callCount
      let least = expected.counts.lowerBound
      var problem: HookError?
      if count > expected.counts.upperBound {
        problem = error(.unexpectedCall, "\(state.title) \(count.wasCalled)")
      } else if let end = state.end, count <= least {
        problem = error(
          .lateCall,
          "\(state.title) was called \(end.duration(to: now)) after the time limit of \(limit)")
      }
      state.problem = state.problem ?? problem
      return (problem != nil || least > 0 && count == least, problem)
    }
    if isDecided { decide() }
    if let problem { onError(problem) }
  }

  /// Ends the time limit because the block has died: there will be no more calls.
  func endByDeath() {
    end("before it was released")
    decide()
  }

  private func end(_ when: String) {
    let now = timer.now
    let problem = state.withLock { state -> HookError? in
      guard state.end == nil else { return nil }
      state.end = now
      let problem = missing(state, " " + when)
      state.problem = state.problem ?? problem
      return problem
    }
    if let problem { onError(problem) }
  }

  private func decide() { deadline.withLock { $0 }?.cancel() }

  private func missing(_ state: State, _ when: String) -> HookError? {
    guard state.callCount < expected.counts.lowerBound else { return nil }
    return error(.missingCall, "\(state.title) \(state.callCount.wasCalled)\(when)")
  }

  private func error(_ code: ErrorCode, _ problem: String) -> HookError {
    HookError(code, "\(problem); expected at \(place): \(expected)")
  }
}
