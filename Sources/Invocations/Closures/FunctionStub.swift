private import BlockRuntimeThreads
private import CInvocations.CallStubs

// SAFETY, for the whole file: a slab's pages stay mapped; a stub's word is written before its code
// is known.

/// A few instructions that lead to an entry: the code of one function pointer, or of one method.
///
/// They jump where the entry's first word says, with the entry's address in r11. Stubs lie on pages that can be read and executed, never written. Each finds its entry in the page
/// of data beside its own, so the code of all is the same, and is made once for a page.
@safe
package final class FunctionStub: @unchecked Sendable {
  // SAFETY: everything is immutable.
  package let code: UnsafeRawPointer
  private let place: StubPages.Place

  /// Takes a free stub.
  ///
  /// - Returns: Nil where the system refuses such pages.
  ///
  /// ## Safety
  /// The entry must live while the code may be entered. It begins with the address that the stub
  /// jumps to, with the entry's own in r11.
  @unsafe
  package init?(leadingTo entry: UnsafeRawPointer) {
    guard let place = unsafe StubPages.take() else { return nil }
    unsafe (place.code + StubPages.dataDistance).storeBytes(
      of: entry, as: UnsafeRawPointer.self)
    unsafe code = unsafe UnsafeRawPointer(place.code)
    unsafe self.place = unsafe place
  }

  deinit { unsafe StubPages.giveBack(place) }

  /// Whether the system allows stubs' pages.
  static var isSupported: Bool {
    guard let place = unsafe StubPages.take() else { return false }
    unsafe StubPages.giveBack(place)
    return true
  }
}

/// The pages of stubs, which are kept for later stubs once they are mapped.
private enum StubPages {
  /// One stub's place.
  @unsafe
  struct Place: @unchecked Sendable {
    // SAFETY: an address, owned by who took it.
    let code: UnsafeMutableRawPointer
  }

  private static let free = unsafe Locked<[Place]>(unsafe [])

  /// A stub's word lies as far behind its code.
  static let dataDistance = Int(CBR_STUB_SLAB)

  /// Takes a free place; nil if the system refuses more.
  static func take() -> Place? {
    unsafe free.withLock { free in
      if unsafe free.isEmpty { unsafe free = unsafe mapSlab() }
      return unsafe free.popLast()
    }
  }

  static func giveBack(_ place: Place) {
    unsafe free.withLock { unsafe $0.append(place) }
  }

  private static func mapSlab() -> [Place] {
    guard let slab = unsafe cbr_stubs_map() else { return unsafe [] }
    let size = Int(CBR_STUB_SIZE)
    // The first is taken first. Nothing is at the slab's beginning: callers that check indirect calls
    // (`-fsanitize=function`) read the eight bytes before a function.
    return unsafe stride(from: dataDistance - size, through: size, by: -size).map { offset in
      unsafe Place(code: slab + offset)
    }
  }
}
