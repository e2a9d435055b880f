private import Glibc
internal import Synchronization

/// The values of one call of `withIsolationScope(_:)`, and what is called at its end.
@safe
final class ScopedValues: @unchecked Sendable {
  // SAFETY: `@unchecked Sendable`: only the thread of the call uses the two variables, before the
  // call is over: others find that they are not current.

  private let thread = pthread_self()
  private let hasEnded = Atomic(false)
  private var values: Set<ReleasedValue> = []
  private var ends: [() -> Void] = []

  /// Whether the call is over.
  var isOver: Bool { hasEnded.load(ordering: .acquiring) }

  /// Whether the calling code runs in the call, which is not async: its thread runs nothing else.
  var isCurrent: Bool { !isOver && pthread_equal(thread, pthread_self()) != 0 }

  /// Takes over a value.
  func keep(_ value: ReleasedValue) {
    if isCurrent { values.insert(value) } else { value.free() }
  }

  /// Frees a value that was kept, if the calling code runs in the call; otherwise the call's end
  /// does.
  func free(_ value: ReleasedValue) {
    if isCurrent, values.remove(value) != nil { value.free() }
  }

  /// Calls a closure at the end of the call.
  func atEnd(_ body: @escaping () -> Void) {
    if isCurrent { ends.append(body) } else { body() }
  }

  /// Ends the call: its closures run no more, and its values are freed before this returns.
  func end() {
    hasEnded.store(true, ordering: .releasing)
    let (ends, values) = (ends, values)
    (self.ends, self.values) = ([], [])
    for end in ends.reversed() { end() }
    for value in values { value.free() }
  }
}
