internal import BlockRuntimeThreads
private import Glibc
internal import Synchronization

/// The last reference to a value, to be released where the value belongs.
@safe
struct ReleasedValue: @unchecked Sendable {
  // SAFETY: `@unchecked Sendable`: the reference belongs to one owner at a time, who frees it once.
  private let reference: Unmanaged<AnyObject>

  init(_ reference: UnsafeMutableRawPointer) {
    unsafe self.reference = .fromOpaque(reference)
  }

  func free() { unsafe reference.release() }
}

/// Values whose last reference was released on other threads than theirs, until their thread, or their
/// task, can free them.
final class WaitingValues: Sendable {
  /// Nil after the thread's end.
  private let values = Locked<[ReleasedValue]?>([])

  private let hasValues = Atomic(false)

  /// Adds a value; after the thread's end it is freed at once.
  func add(_ value: ReleasedValue) {
    let isEnded = values.withLock { values in
      values?.append(value)
      hasValues.store(values != nil, ordering: .relaxed)
      return values == nil
    }
    if isEnded { value.free() }
  }

  /// Frees the values; called by their thread or task.
  func free() {
    guard hasValues.load(ordering: .relaxed) else { return }
    let freed = values.withLock { values in
      hasValues.store(false, ordering: .relaxed)
      defer { if values != nil { values = [] } }
      return values
    }
    freed?.forEach { $0.free() }
  }

  /// Frees the values, and those that are added from now on at once.
  private func end() {
    let freed = values.withLock { values in
      defer { values = nil }
      return values
    }
    freed?.forEach { $0.free() }
  }

  deinit { end() }

  /// The key under which a thread retains its values; nil if the process has no more keys.
  private static let key: pthread_key_t? = {
    var key = pthread_key_t()
    // SAFETY: `key` is written before the call returns. The key is never deleted; its values are retained
    // references of this class.
    let error = unsafe pthread_key_create(&key) { value in
      guard let value = unsafe value else { return }
      unsafe Unmanaged<WaitingValues>.fromOpaque(value).takeRetainedValue().end()
    }
    return error == 0 ? key : nil
  }()

  /// Those of the calling thread.
  static var ofThread: WaitingValues? {
    guard let key else { return nil }
    if let value = unsafe pthread_getspecific(key) {
      // SAFETY: the thread retains it until its end.
      return unsafe Unmanaged<WaitingValues>.fromOpaque(value).takeUnretainedValue()
    }
    let made = WaitingValues()
    guard unsafe pthread_setspecific(key, Unmanaged.passRetained(made).toOpaque()) == 0 else {
      unsafe Unmanaged.passUnretained(made).release()
      return nil
    }
    return made
  }
}
