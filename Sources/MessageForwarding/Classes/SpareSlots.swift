private import BlockRuntimeThreads
internal import Invocations
private import Synchronization

/// The slots of a dictionary that is gone, which another one uses: slots are never freed.
///
/// They are empty, and messages find them by a number that is the address of nothing. Whoever sends a
/// message keeps its receiver, and so the dictionary: nobody is about to enter a slot that is spare.
struct SpareSlots: Sendable {
  /// What the slots are found by.
  let identity: UInt
  let slots: [Selector: MethodSlot]

  private static let spare = Locked<[SpareSlots]>([])
  private static let identities = Atomic<UInt>(1)

  /// Slots for a dictionary; there are none yet where no other is gone.
  static func take() -> SpareSlots {
    spare.withLock { $0.popLast() }
      ?? SpareSlots(
        identity: identities.wrappingAdd(2, ordering: .relaxed).newValue, slots: [:])
  }

  /// Keeps the slots for the next dictionary.
  func giveBack() { Self.spare.withLock { $0.append(self) } }
}
