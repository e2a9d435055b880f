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

  /// A replacement and where it is to be; nowhere if there are no images.
  typealias Request = (replacement: SlotReplacement, images: [ImageFilter])

  /// Makes a replacement alone.
  ///
  /// - Parameter images: Where the function is replaced; empty for nowhere.
  /// - Throws: As for several.
  func apply(in images: [ImageFilter]) throws(BlockError) { try Self.apply([(self, images)]) }

  /// Writes the code into the slots that lead to the functions, and the functions back into others.
  ///
  /// Slots with code of others are left alone, and so are those of the Swift runtime unless the
  /// filter names it. Objects that are being loaded are left out too: the thread that loads them
  /// applies the replacements afterwards.
  ///
  /// - Throws: `protectedMemory`; all slots keep their values then.
  static func apply(_ requests: [Request]) throws(BlockError) {
    // Slots that were not ready, or changed between the search and the write, get a second pass.
    guard try !applyToReadySlots(requests) else { return }
    cbr_await_loading()
    _ = try applyToReadySlots(requests)
  }

  /// Makes one pass over all slots.
  ///
  /// - Returns: Whether all slots were ready and unchanged.
  private static func applyToReadySlots(_ requests: [Request]) throws(BlockError) -> Bool {
    // Definitions are looked up before the write, as that calls the loader, whose lock is held
    // then.
    var areAllReady = true
    let wanted = requests.map { replacement, images in
      (replacement, replacement.changes(in: images, &areAllReady))
    }.filter { !$0.1.isEmpty }
    guard !wanted.isEmpty else { return areAllReady }
    return try write(wanted) && areAllReady
  }

  /// What a slot held, and what it is to hold.
  private typealias Change = (seen: UInt, new: UInt)

  /// What slots are to hold, by their addresses.
  private func changes(in images: [ImageFilter], _ areAllReady: inout Bool) -> [UInt: Change] {
    var wanted: [UInt: Change] = [:]
    for slot in ImportSlot.all(of: symbol) {
      let isWanted = images.contains { $0.reaches(slot.image) }
      if slot.value == code {
        if !isWanted { wanted[slot.address] = (code, resting) }
      } else if isWanted, !slot.isRelocated {
        areAllReady = false
      } else if isWanted, slot.definition == definition {
        wanted[slot.address] = (slot.value, code)
      }
    }
    return wanted
  }

  /// Writes to slots by their addresses, unless they were changed or unloaded, or the loader may be
  /// about to protect their pages.
  ///
  /// - Returns: Whether all slots were written whose objects are still loaded.
  private static func write(
    _ wanted: [(replacement: SlotReplacement, changes: [UInt: Change])]
  ) throws(BlockError) -> Bool {
    var outcome: Result<Bool, BlockError> = .success(true)
    // SAFETY: slots are collected and written while their objects stay loaded.
    LoadedSlots.keepingLoaded {
      var writes: [(slot: cbr_import_slot, change: Change)] = unsafe []
      for (replacement, changes) in wanted {
        var places: Set<UInt> = []
        unsafe LoadedSlots.visit(replacement.symbol) { slot in
          let place = unsafe UInt(bitPattern: slot.place)
          places.insert(place)
          if let change = changes[place] { unsafe writes.append((slot, change)) }
        }
        UnboundSlots.forgetAll(of: replacement.code, but: places)
      }
      outcome = Result { () throws(BlockError) in unsafe try write(writes) }
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
        let value = unsafe UnboundSlots.value(of: slot, change.seen, change.new)
        let isReady = unsafe !slot.is_sealed_later || wasProtected(ranges[index].lowerBound)
        guard isReady, let seen = unsafe UnsafeRawPointer(bitPattern: change.seen),
          let new = unsafe UnsafeRawPointer(bitPattern: value),
          unsafe cbr_change_slot(slot.place, seen, new)
        else {
          areAllWritten = false
          continue
        }
        unsafe UnboundSlots.keep(slot, change.seen, change.new)
      }
    }
    return areAllWritten
  }
}

/// What slots held that the loader had not bound when code of a replacement came into them.
///
/// They get it back, and the loader binds them at their next call: it notes then that their objects
/// need the one that defines the function, which stays loaded for them.
private enum UnboundSlots {
  /// The values by the code that came into the slots, and by their addresses.
  private static let values = Locked<[UInt: [UInt: UInt]]>([:])

  /// What is to be written into a slot that held some code, and shall hold a replacement or the
  /// function.
  static func value(of slot: cbr_import_slot, _ code: UInt, _ new: UInt) -> UInt {
    let place = unsafe UInt(bitPattern: slot.place)
    guard !InterposedAddresses.contains(new),
      let value = values.withLock({ $0[code]?[place] })
    else { return new }
    // SAFETY: the slot's object is loaded. The value may be that of an object which was here
    // before.
    let isItsOwn = unsafe withUnsafePointer(to: slot.binder) { binder in
      unsafe cbr_leads_to_binder(binder, UnsafeRawPointer(bitPattern: value))
    }
    return isItsOwn ? value : new
  }

  /// Takes note of what a slot held, if it was not bound.
  static func keep(_ slot: cbr_import_slot, _ seen: UInt, _ code: UInt) {
    guard InterposedAddresses.contains(code), !InterposedAddresses.contains(seen) else { return }
    let place = unsafe UInt(bitPattern: slot.place)
    let value = unsafe slot.is_bound ? nil : seen
    values.withLock { $0[code, default: [:]][place] = value }
  }

  /// Forgets the slots that some code came into, but for those that are loaded.
  static func forgetAll(of code: UInt, but places: Set<UInt>) {
    let gone = values.withLock { values in
      let kept = values[code]?.filter { places.contains($0.key) } ?? [:]
      return values.updateValue(kept, forKey: code)
    }
    withExtendedLifetime(gone) {}
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
