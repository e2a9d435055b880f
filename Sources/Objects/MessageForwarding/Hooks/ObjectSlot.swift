private import BlockRuntimeThreads
internal import CMessageForwarding.Messages
internal import Invocations

/// The implementation that messages of one selector run in one object: see `CBRObjectSlots.h`.
@safe
struct ObjectSlot: Sendable {
  // SAFETY: the slot is never freed, and its variables are written atomically. It has a reference
  // of its own to the implementation, which `ReplacedImplementation` releases.
  nonisolated(unsafe) private let memory: UnsafeMutablePointer<cbr_object_slot>

  private static let spare = Locked<[ObjectSlot]>([])

  /// Takes a slot for an object, given by its address.
  init(_ object: UInt, _ selector: Selector) {
    if let spare = Self.spare.withLock({ $0.popLast() }) {
      self = spare
    } else {
      unsafe memory = .allocate(capacity: 1)
      unsafe memory.initialize(to: cbr_object_slot())
    }
    unsafe cbr_object_slot_give(memory, UnsafeRawPointer(bitPattern: object), selector.pointer)
    cache()
  }

  /// Gives the slot back, because the object is about to die.
  ///
  /// - Returns: The implementation that the slot had.
  func giveBack() -> ReplacedImplementation? {
    unsafe cbr_object_slot_give(memory, nil, nil)
    let last = empty()
    Self.spare.withLock { $0.append(self) }
    return last
  }

  /// Stores the slot in the cache, where messages find it.
  func cache() { unsafe cbr_object_cache_slot(memory) }

  /// Lets messages run an implementation while `inside` is the class's, which the caller retains
  /// for that time; the slot must be empty.
  func fill(_ implementation: Implementation, around inside: Implementation) {
    unsafe cbr_object_slot_fill(
      memory, MethodSlot.retained(implementation).unsafelyUnwrapped, MethodSlot.word(of: inside))
  }

  /// Lets messages look the implementation up.
  ///
  /// - Returns: The implementation that the slot had, which the caller must release under no lock.
  func empty() -> ReplacedImplementation? {
    // SAFETY: the exchange returns the address that `fill` retained, or null.
    unsafe cbr_object_slot_empty(memory).map { unsafe ReplacedImplementation($0) }
  }
}
