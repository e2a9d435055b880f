internal import BlockABI
private import CSymbolInterposing.ImportSlots

// SAFETY, for the whole file: a slot is written under the lock of the list of objects, where its object
// stays loaded, when the loader is done with its page, with the address of code that is never freed.

/// Code that takes a function's place in the slots of some images.
struct SlotReplacement {
  let symbol: String

  /// The function.
  let definition: UInt

  /// What the slots hold while nothing takes its place: the function, as a rule.
  let resting: UInt

  /// The code that takes its place; never freed.
  let code: UInt

  /// Puts the code into the slots that lead to the function, and the function back into others.
  ///
  /// Slots that hold somebody else's code are left alone, and those of the Swift runtime unless it is named.
  /// So are those of objects that are being loaded: whoever loads them comes here afterwards.
  ///
  /// - Parameter images: Where the code is to be; empty for nowhere.
  /// - Throws: `protectedMemory`; then all slots hold what they held.
  func apply(in images: [ImageFilter]) throws(BlockError) {
    // What was not ready, or was changed between look and write, is looked at once more.
    guard try !applyToReadySlots(in: images) else { return }
    cbr_await_loading()
    _ = try applyToReadySlots(in: images)
  }

  /// As above.
  ///
  /// - Returns: Whether all slots were ready.
  private func applyToReadySlots(in images: [ImageFilter]) throws(BlockError) -> Bool {
    // What a slot is bound to is looked up before: under the loader's lock it could not be.
    var wanted: [UInt: Change] = [:]
    var areAllReady = true
    for slot in ImportSlot.all(of: symbol) {
      let isWanted = images.contains { $0.reaches(slot.image) }
      if slot.value == code {
        if !isWanted { wanted[slot.address] = Change(seen: code, new: resting) }
      } else if isWanted, !slot.isRelocated {
        areAllReady = false
      } else if isWanted, slot.definition == definition {
        wanted[slot.address] = Change(seen: slot.value, new: code)
      }
    }
    guard !wanted.isEmpty else { return areAllReady }
    return try write(wanted) && areAllReady
  }

  private struct Change {
    let seen: UInt
    let new: UInt
  }

  /// Writes to slots by their addresses, unless they were changed or unloaded, or the loader may be about
  /// to protect them.
  ///
  /// - Returns: Whether all were written that are loaded.
  private func write(_ wanted: [UInt: Change]) throws(BlockError) -> Bool {
    var writes: [(slot: cbr_import_slot, change: Change)] = unsafe []
    var outcome: Result<Bool, BlockError> = .success(true)
    unsafe SlotCache.visit(symbol) { slot in
      guard let change = wanted[unsafe UInt(bitPattern: slot.place)] else { return }
      unsafe writes.append((slot, change))
    } whileLoaded: {
      outcome = Result { () throws(BlockError) in unsafe try Self.write(writes) }
    }
    return try outcome.get()
  }

  private static func write(
    _ writes: [(slot: cbr_import_slot, change: Change)]
  ) throws(BlockError) -> Bool {
    let ranges = unsafe writes.map { write in
      let start = unsafe UInt(bitPattern: write.slot.place)
      return start..<start + UInt(MemoryLayout<UInt>.size)
    }
    var areAllWritten = true
    unsafe try ProtectedMemory.write(in: ranges) { wasProtected in
      for index in unsafe writes.indices {
        let (slot, change) = unsafe writes[index]
        let isReady = unsafe !slot.is_sealed_later || wasProtected(ranges[index].lowerBound)
        guard isReady, let seen = unsafe UnsafeRawPointer(bitPattern: change.seen),
          let new = unsafe UnsafeRawPointer(bitPattern: change.new),
          unsafe cbr_change_slot(slot.place, seen, new)
        else {
          areAllWritten = false
          continue
        }
      }
    }
    return areAllWritten
  }
}
