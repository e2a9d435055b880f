private import BlockRuntimeThreads
internal import Invocations
private import Synchronization

/// The slots of a dictionary that has died, for reuse by another one: slots are never freed.
///
/// They are empty, and are found by an odd number, which is not the address of a class. The sender
/// of a message retains the receiver, and so its dictionary: no message can be about to use a spare
/// slot.
struct SpareSlots: Sendable {
  /// The key by which the slots are found.
  let identity: UInt
  let slots: [Selector: MethodSlot]

  private static let spare = Locked<[SpareSlots]>([])
  private static let identities = Atomic<UInt>(1)

  /// Returns the slots of a dictionary that has died; without one, a new identity and no slots.
  static func take() -> SpareSlots {
    spare.withLock { $0.popLast() }
      ?? SpareSlots(
        identity: identities.wrappingAdd(2, ordering: .relaxed).newValue, slots: [:])
  }

  /// Stores the slots for another dictionary.
  func giveBack() { Self.spare.withLock { $0.append(self) } }
}
