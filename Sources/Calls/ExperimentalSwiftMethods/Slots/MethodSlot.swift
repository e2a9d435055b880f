internal import BlockABI
private import CExperimentalSwiftMethods.SwiftMethods
internal import LoadedClasses

/// The slot of a method in the metadata of one class, which callers read at any time.
struct MethodSlot: Hashable, Sendable {
  /// The slot's address.
  let address: RuntimeAddress

  init(_ address: RuntimeAddress) { self.address = address }

  /// The code that calls enter.
  var code: RuntimeAddress? {
    // SAFETY: the slot is in metadata, which is never freed.
    unsafe cbr_method_slot_load(address.pointer).map { unsafe RuntimeAddress($0) }
  }

  /// Replaces the code in several slots.
  ///
  /// - Throws: `protectedMemory`; all slots are unchanged then.
  ///
  /// ## Safety
  /// Each piece of code must have the calling convention and the type of its slot's method.
  @unsafe
  static func setCode(_ changes: [MethodSlot: RuntimeAddress]) throws(BlockError) {
    guard !changes.isEmpty else { return }
    // SAFETY: the slots are in metadata, which is never freed, and are written while their pages
    // are writable.
    let places = unsafe changes.keys.map { unsafe $0.address.pointer }
    let ranges = unsafe places.map { place in
      let start = UInt(bitPattern: place)
      return start..<start + UInt(MemoryLayout<UInt>.size)
    }
    unsafe try ProtectedMemory.write(in: ranges) { _ in
      for (slot, code) in changes {
        unsafe cbr_method_slot_store(
          UnsafeMutableRawPointer(mutating: slot.address.pointer), code.pointer)
      }
    }
  }
}

extension ClassMetadata {
  /// The slot of a method, given in words from the address point; nil if the class is too small.
  func slot(at index: Int) -> MethodSlot? { word(at: index).map { MethodSlot($0) } }
}
