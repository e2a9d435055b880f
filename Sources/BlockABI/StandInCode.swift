private import Synchronization

// SAFETY, for the whole file: addresses are compared, and never followed.

/// Code that stands in for that of blocks, without an attachment to say so; such code is never freed.
package enum StandInCode {
  private static let originals = Mutex<[UInt: UInt]>([:])

  /// Notes what code stands in for.
  package static func insert(_ code: UnsafeRawPointer, for original: UnsafeRawPointer) {
    originals.withLock { $0[UInt(bitPattern: code)] = UInt(bitPattern: original) }
  }

  /// What code stands in for; any other code itself.
  static func original(of code: UnsafeRawPointer) -> UnsafeRawPointer {
    let original = originals.withLock { $0[UInt(bitPattern: code)] }
    return unsafe original.flatMap { unsafe UnsafeRawPointer(bitPattern: $0) } ?? code
  }
}
