private import BlockRuntimeThreads

/// The values of an actor that is being destroyed: no thread frees them before the actor's deinit,
/// which may use what they use, has ended.
package final class ActorValues: Sendable {
  /// The values; nil once the deinit has ended.
  private let waiting = Locked<[ReleasedValue]?>([])

  package init() {}

  /// Frees a value, or has `end()` do it.
  func free(_ value: ReleasedValue) {
    let hasEnded = waiting.withLock { waiting in
      waiting?.append(value)
      return waiting == nil
    }
    if hasEnded { OrphanedValues.free(value) }
  }

  /// Frees the values: the actor's deinit has ended.
  package func end() {
    let values = waiting.withLock { waiting in
      defer { waiting = nil }
      return waiting
    }
    for value in values ?? [] { OrphanedValues.free(value) }
  }
}
