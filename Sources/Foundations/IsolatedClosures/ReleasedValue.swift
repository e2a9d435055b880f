internal import BlockRuntimeThreads

/// The last reference to a value, to be released where the value belongs.
struct ReleasedValue: Hashable, Sendable {
  private let address: UInt

  /// Takes over a reference.
  init<Value: AnyObject>(_ reference: Unmanaged<Value>) {
    address = unsafe UInt(bitPattern: reference.toOpaque())
  }

  /// Releases the reference; to be called once, by its one owner.
  func free() {
    // SAFETY: the address is that of an object, whose reference this is.
    guard let value = unsafe UnsafeRawPointer(bitPattern: address) else { return }
    unsafe Unmanaged<AnyObject>.fromOpaque(value).release()
  }
}

/// The values of actors that have been destroyed: any thread frees them, but one after the other, because
/// their deinits may use the same objects.
enum OrphanedValues {
  private struct State {
    var waiting: [ReleasedValue] = []
    var isFreeing = false
  }

  private static let state = Locked(State())

  /// Frees a value, or has the thread do it that is freeing others.
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
