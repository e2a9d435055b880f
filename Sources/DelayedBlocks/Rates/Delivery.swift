internal import BlockRuntimeThreads

/// Runs a closure with inputs at a target; what is on its way can be taken back until it begins.
final class Delivery<Input: Sendable>: Sendable {
  private struct State {
    var inputs: [Int: Input] = [:]
    var count = 0
  }

  private let target: DelayTarget
  private let action: @Sendable (Input) -> Void
  private let state = Locked(State())

  /// Delivers to a target; an actor is not kept alive.
  init(to target: DelayTarget, _ action: @escaping @Sendable (Input) -> Void) {
    self.target = target.withoutActor
    self.action = action
  }

  /// Whether something is on its way.
  var isPending: Bool { state.withLock { !$0.inputs.isEmpty } }

  /// Accepts an input, from then on `cancel()` takes it back.
  ///
  /// It runs nothing of the user's, so it may be called under the lock under which the input was
  /// taken from where it waited: somebody who cancels finds it at one place or the other.
  ///
  /// - Returns: The input's number, to be sent under no lock.
  func accept(_ input: Input) -> Int {
    state.withLock { state in
      state.count += 1
      state.inputs[state.count] = input
      return state.count
    }
  }

  /// Sends an accepted input to the target; inline it runs before this returns.
  func send(_ number: Int) {
    let isSent = target.run { [weak self] in self?.run(number) }
    if !isSent { _ = take(number) }
  }

  /// Takes back what has not begun, and frees it under no lock.
  ///
  /// - Returns: Whether there was something.
  func cancel() -> Bool {
    let inputs = state.withLock { state in
      defer { state.inputs = [:] }
      return state.inputs
    }
    return !inputs.isEmpty
  }

  private func run(_ number: Int) {
    if let input = take(number) { action(input) }
  }

  private func take(_ number: Int) -> Input? {
    state.withLock { $0.inputs.removeValue(forKey: number) }
  }
}
