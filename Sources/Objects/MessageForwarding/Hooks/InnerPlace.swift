private import CMessageForwarding.Messages

/// A place, outside of slots, for the implementation that a run of hooks encloses.
///
/// Calls keep it alive.
@safe
final class InnerPlace: Sendable {
  // SAFETY: the memory is freed with this object, and its variable is read and written atomically.
  // It has a reference of its own to the implementation, which `ReplacedImplementation` releases.
  nonisolated(unsafe) private let memory: UnsafeMutablePointer<UnsafeRawPointer?>

  init() {
    unsafe memory = .allocate(capacity: 1)
    unsafe memory.initialize(to: nil)
  }

  deinit {
    place.set(nil)?.release()
    unsafe memory.deallocate()
  }

  /// The place, valid while this object lives.
  var place: MethodSlot.Place { unsafe MethodSlot.Place(memory) }
}
