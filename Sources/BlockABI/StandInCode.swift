private import BlockRuntimeThreads

// SAFETY, for the whole file: addresses are compared, and never followed.

/// Code that stands in for that of blocks, without an attachment to say so; once it stands in one it is never freed.
package enum StandInCode {
  private static let originals = Locked<[UInt: UInt]>([:])

  /// Notes what code stands in for.
  package static func insert(_ code: UnsafeRawPointer, for original: UnsafeRawPointer) {
    originals.withLock { $0[UInt(bitPattern: code)] = UInt(bitPattern: original) }
  }

  /// Forgets code that never stood in a block, and is freed.
  package static func remove(_ code: UnsafeRawPointer) {
    originals.withLock { _ = $0.removeValue(forKey: UInt(bitPattern: code)) }
  }

  /// What code stands in for; any other code itself.
  static func original(of code: UnsafeRawPointer) -> UnsafeRawPointer {
    let original = originals.withLock { $0[UInt(bitPattern: code)] }
    return unsafe original.flatMap { unsafe UnsafeRawPointer(bitPattern: $0) } ?? code
  }
}
