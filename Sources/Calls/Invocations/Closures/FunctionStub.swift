private import BlockRuntimeThreads
private import CInvocations.CallStubs

/// The code of one function pointer or method: a few instructions that jump where an entry says.
///
/// The instructions load the entry's address into a register, and jump to the address in the
/// entry's first word (see `CBRCallStubs.h`). Stubs are on pages that are readable and executable,
/// never writable. Each stub loads its entry's address from a page of data at a fixed distance, so
/// all stubs have the same code.
@safe
package final class FunctionStub: Sendable {
  // SAFETY: immutable. The stub's pages stay mapped for ever, and `place` belongs to this object.
  package nonisolated(unsafe) let code: UnsafeRawPointer
  private nonisolated(unsafe) let place: StubPages.Place

  /// Takes a free stub.
  ///
  /// - Returns: Nil if the system refuses such pages.
  ///
  /// ## Safety
  /// The entry must live while the code may be entered. It must begin with the address of code that
  /// expects the entry's address where stubs load it.
  @unsafe
  package init?(leadingTo entry: UnsafeRawPointer) {
    // SAFETY: the place is this object's; the word is in the writable half of its slab, and is
    // written before any code has the stub's address.
    guard let place = unsafe StubPages.take() else { return nil }
    unsafe (place.code + StubPages.dataDistance).storeBytes(
      of: entry, as: UnsafeRawPointer.self)
    unsafe code = unsafe UnsafeRawPointer(place.code)
    unsafe self.place = unsafe place
  }

  // SAFETY: the code must not be entered any more.
  deinit { unsafe StubPages.giveBack(place) }

  /// Whether the system allows pages for stubs.
  static var isSupported: Bool {
    // SAFETY: the stub is not used.
    guard let place = unsafe StubPages.take() else { return false }
    unsafe StubPages.giveBack(place)
    return true
  }
}

/// The pages of stubs, which are never unmapped, but reused for later stubs.
private enum StubPages {
  /// The place of one stub.
  @unsafe
  struct Place {
    // SAFETY: an immutable address, which only the owner of the place uses.
    let code: UnsafeMutableRawPointer
  }

  // SAFETY: the lock guards the list, whose places have no owner.
  private static let free = unsafe GatedLock<[Place]>(unsafe [])

  /// The distance from a stub to the address of its entry.
  static let dataDistance = Int(CBR_STUB_SLAB)

  // SAFETY: as above.
  /// Takes a free place; nil if the system refuses more pages.
  static func take() -> Place? {
    unsafe free.withLock { free in
      if unsafe free.isEmpty { unsafe free = unsafe mapSlab() }
      return unsafe free.popLast()
    }
  }

  // SAFETY: the caller gives up the place.
  static func giveBack(_ place: Place) {
    unsafe free.withLock { unsafe $0.append(place) }
  }

  private static func mapSlab() -> [Place] {
    // SAFETY: `take` holds the lock, so slabs are mapped one at a time; the offsets are in the
    // first half of the slab.
    guard let slab = unsafe cbr_stubs_map() else { return unsafe [] }
    let size = Int(CBR_STUB_SIZE)
    // The list is used from its end, so the lowest place is taken first. The first stub of a slab
    // is not used, because callers that check indirect calls (`-fsanitize=function`) read the eight
    // bytes before a function.
    return unsafe stride(from: dataDistance - size, through: size, by: -size).map { offset in
      unsafe Place(code: slab + offset)
    }
  }
}
