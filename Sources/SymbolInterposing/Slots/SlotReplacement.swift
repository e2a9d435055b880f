internal import BlockABI
private import BlockRuntimeThreads
private import CSymbolInterposing.ImportSlots

/// Code that replaces a function in the slots of some images.
struct SlotReplacement {
  let symbol: String

  /// The function.
  let definition: UInt

  /// The value of the slots while the function is not replaced: its address, as a rule.
  let resting: UInt

  /// The address of the replacement; its code is never freed.
  let code: UInt

  /// Writes the code into the slots that lead to the function, and the function back into others.
  ///
  /// Slots with code of others are left alone, and so are those of the Swift runtime unless the
  /// filter names it. Objects that are being loaded are left out too: the thread that loads them
  /// applies the replacement afterwards.
  ///
  /// - Parameter images: Where the function is replaced; empty for nowhere.
  /// - Throws: `protectedMemory`; all slots keep their values then.
  func apply(in images: [ImageFilter]) throws(BlockError) {
    // Slots that were not ready, or changed between the search and the write, get a second pass.
    guard try !applyToReadySlots(in: images) else { return }
    cbr_await_loading()
    _ = try applyToReadySlots(in: images)
  }

  /// Makes one pass over all slots.
  ///
  /// - Returns: Whether all slots were ready and unchanged.
  private func applyToReadySlots(in images: [ImageFilter]) throws(BlockError) -> Bool {
    // Definitions are looked up before the write, as that calls the loader, whose lock is held
    // then.
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

  /// Writes to slots by their addresses, unless they were changed or unloaded, or the loader may be
  /// about to protect their pages.
  ///
  /// - Returns: Whether all slots were written whose objects are still loaded.
  private func write(_ wanted: [UInt: Change]) throws(BlockError) -> Bool {
    var writes: [(slot: cbr_import_slot, change: Change)] = unsafe []
    var outcome: Result<Bool, BlockError> = .success(true)
    // SAFETY: slots are collected and written in one visit, during which their objects stay loaded.
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
    // SAFETY: the slots' objects are loaded, their pages are writable and not protected meanwhile,
    // and the new value is the address of code that is never freed.
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

/// The addresses of all code that replaces functions; such code is never freed.
enum InterposedAddresses {
  private static let functions = Locked<[UInt: UInt]>([:])

  /// Records that code replaces a function.
  static func insert(_ code: UInt, for function: UInt) {
    functions.withLock { $0[code] = function }
  }

  /// Whether an address is that of a replacement.
  static func contains(_ code: UInt) -> Bool { functions.withLock { $0[code] != nil } }

  /// The function that code replaces; the address itself if it is no replacement.
  static func function(behind code: UInt) -> UInt { functions.withLock { $0[code] ?? code } }
}
