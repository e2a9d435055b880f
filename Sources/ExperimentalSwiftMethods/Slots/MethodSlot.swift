internal import BlockABI
private import CExperimentalSwiftMethods.SwiftMethods

/// The place of a method's code in the metadata of one class, which callers read at any time.
struct MethodSlot: Hashable, Sendable {
  /// Where it is.
  let place: RuntimeAddress

  init(_ place: RuntimeAddress) { self.place = place }

  /// The code that calls enter.
  var code: RuntimeAddress? {
    // SAFETY: the place lies in metadata, which is never freed.
    unsafe cbr_method_slot_load(place.pointer).map { unsafe RuntimeAddress($0) }
  }

  /// Replaces the code in several slots.
  ///
  /// - Throws: `protectedMemory`; then all are as they were.
  ///
  /// ## Safety
  /// The code must be a method of the same type as the slot's.
  @unsafe
  static func setCode(_ changes: [MethodSlot: RuntimeAddress]) throws(BlockError) {
    guard !changes.isEmpty else { return }
    let places = unsafe changes.keys.map { unsafe $0.place.pointer }
    let ranges = unsafe places.map { place in
      let start = UInt(bitPattern: place)
      return start..<start + UInt(MemoryLayout<UInt>.size)
    }
    unsafe try ProtectedMemory.write(in: ranges) { _ in
      for (slot, code) in changes {
        unsafe cbr_method_slot_store(
          UnsafeMutableRawPointer(mutating: slot.place.pointer), code.pointer)
      }
    }
  }
}
