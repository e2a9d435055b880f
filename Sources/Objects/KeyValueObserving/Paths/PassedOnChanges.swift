internal import BlockRuntimeThreads

/// The changes of a path's value that its observer passes on to another place, in their order.
///
/// Threads may change another system's properties at the same time, and evaluate the path in any
/// order.
final class PassedOnChanges: Sendable {
  private let state = Locked(State())

  private struct State {
    /// The number of the last change.
    var last: UInt64 = 0
    var waiting: [() -> Void] = []
    var isPassingOn = false
  }

  /// Notes that a property on the path has changed, before the path is evaluated.
  ///
  /// - Returns: The number of the change.
  func beginChange() -> UInt64 {
    state.withLock { state in
      state.last += 1
      return state.last
    }
  }

  /// Passes a change on, after those that are being passed on.
  ///
  /// - Parameters:
  ///   - deliver: Delivers the change.
  ///   - number: The number of the change; nil for a prior call. If a later change has begun, this
  ///     one is left out, because the other has the later value.
  func passOn(_ deliver: @escaping () -> Void, _ number: UInt64?) {
    let isFirst = state.withLock { state in
      guard number == nil || number == state.last else { return false }
      state.waiting.append(deliver)
      defer { state.isPassingOn = true }
      return !state.isPassingOn
    }
    guard isFirst else { return }
    while let deliver = next() { deliver() }
  }

  private func next() -> (() -> Void)? {
    state.withLock { state in
      state.isPassingOn = !state.waiting.isEmpty
      return state.waiting.isEmpty ? nil : state.waiting.removeFirst()
    }
  }
}

extension PassedOnChanges: ReferenceTable {
  package var contents: Any { state.withLock { $0 } }
}
