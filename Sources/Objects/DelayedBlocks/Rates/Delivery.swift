internal import BlockRuntimeThreads

/// Runs a closure with inputs at a target; inputs can be taken back until their runs begin.
final class Delivery<Input: Sendable>: Sendable {
  private struct State {
    var inputs: [Int: Input] = [:]
    var count = 0
  }

  private let target: DelayTarget
  private let action: @Sendable (Input) -> Void
  private let state = Locked(State())

  /// Creates a delivery to a target; an actor is not retained.
  init(to target: DelayTarget, _ action: @escaping @Sendable (Input) -> Void) {
    self.target = target.withoutActor
    self.action = action
  }

  /// Whether an accepted input has not begun to run.
  var isPending: Bool { state.withLock { !$0.inputs.isEmpty } }

  /// Accepts an input, which `cancel()` can take back from then on.
  ///
  /// It runs none of the user's code, so the caller may hold the lock under which it removed the
  /// input from its own state: a concurrent cancellation finds the input in one place or the other.
  ///
  /// - Returns: The input's number, for `send(_:)`, which is called while no lock is held.
  func accept(_ input: Input) -> Int {
    state.withLock { state in
      state.count += 1
      state.inputs[state.count] = input
      return state.count
    }
  }

  /// Sends an accepted input to the target; an `inline` target runs it before this returns.
  func send(_ number: Int) {
    let isSent = target.run { [weak self] in self?.run(number) }
    if !isSent { _ = take(number) }
  }

  /// Takes back all inputs whose runs have not begun, and releases them while no lock is held.
  ///
  /// - Returns: Whether there were any.
  func cancel() -> Bool {
    let inputs = state.withLock { exchange(&$0.inputs, with: [:]) }
    return !inputs.isEmpty
  }

  private func run(_ number: Int) {
    if let input = take(number) { action(input) }
  }

  private func take(_ number: Int) -> Input? {
    state.withLock { $0.inputs.removeValue(forKey: number) }
  }
}

extension Delivery: ReferenceTable {
  package var label: String { "delivery" }
  package var contents: Any { state.withLock { $0 } }
}
