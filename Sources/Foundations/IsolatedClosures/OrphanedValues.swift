internal import BlockRuntimeThreads

/// The values of actors that have been destroyed: any thread frees them, but one after the other,
/// because their deinits may use the same objects.
enum OrphanedValues {
  private struct State {
    var waiting: [ReleasedValue] = []
    var isFreeing = false
  }

  private static let state = Locked(State())

  /// Frees a value, or leaves it to a thread that is freeing others.
  static func free(_ value: ReleasedValue) {
    let isFirst = state.withLock { state in
      state.waiting.append(value)
      defer { state.isFreeing = true }
      return !state.isFreeing
    }
    guard isFirst else { return }
    while true {
      let values = state.withLock { state in
        defer { state.waiting = [] }
        state.isFreeing = !state.waiting.isEmpty
        return state.waiting
      }
      if values.isEmpty { return }
      for value in values { value.free() }
    }
  }
}
