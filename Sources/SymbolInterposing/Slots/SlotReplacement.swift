internal import BlockABI
private import CBlockRuntime.ImportSlots

// SAFETY, for the whole file: a slot is written under the loader's lock, where its object stays loaded,
// with the address of code that is never freed.

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
  ///
  /// - Parameter images: Where the code is to be; empty for nowhere.
  /// - Throws: `protectedMemory`; then all slots hold what they held.
  func apply(in images: [ImageFilter]) throws(BlockError) {
    // What a slot is bound to is looked up before: under the loader's lock it could not be.
    var wanted: [UInt: UInt] = [:]
    for slot in ImportSlot.all(of: symbol) {
      let isWanted = images.contains { $0.reaches(slot.image) }
      if slot.value == code {
        if !isWanted { wanted[slot.address] = resting }
      } else if isWanted, slot.definition == definition {
        wanted[slot.address] = code
      }
    }
    if !wanted.isEmpty { try write(wanted) }
  }

  /// Writes to slots by their addresses, unless they have been unloaded.
  private func write(_ wanted: [UInt: UInt]) throws(BlockError) {
    var writes: [(place: UnsafeMutablePointer<UnsafeRawPointer?>, value: UnsafeRawPointer)] =
      unsafe []
    var failure: BlockError?
    unsafe SlotCache.visit(symbol) { slot in
      guard let new = wanted[unsafe UInt(bitPattern: slot.place)],
        let value = unsafe UnsafeRawPointer(bitPattern: new)
      else { return }
      unsafe writes.append((slot.place, value))
    } whileLoaded: {
      let ranges = unsafe writes.map { write in
        let start = unsafe UInt(bitPattern: write.place)
        return start..<start + UInt(MemoryLayout<UInt>.size)
      }
      do throws(BlockError) {
        unsafe try ProtectedMemory.write(in: ranges) {
          for index in unsafe writes.indices {
            unsafe cbr_write_slot(writes[index].place, writes[index].value)
          }
        }
      } catch {
        failure = error
      }
    }
    if let failure { throw failure }
  }
}
