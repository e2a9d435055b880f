private import BlockRuntimeThreads

/// The table of the code that replaced the code of blocks without attachments, with the original of
/// each replacement.
///
/// A replacement that was put into a block is never freed.
package enum StandInCode {
  // SAFETY: addresses of code are compared, and never dereferenced.

  private static let originals = GatedLock<[UInt: UInt]>([:])

  /// Records which code a replacement stands for.
  package static func insert(_ code: UnsafeRawPointer, for original: UnsafeRawPointer) {
    originals.withLock { $0[UInt(bitPattern: code)] = UInt(bitPattern: original) }
  }

  /// Removes a replacement that was never put into a block, before it is freed.
  package static func remove(_ code: UnsafeRawPointer) {
    originals.withLock { _ = $0.removeValue(forKey: UInt(bitPattern: code)) }
  }

  /// The code that a replacement stands for; any other code itself.
  static func original(of code: UnsafeRawPointer) -> UnsafeRawPointer {
    let original = originals.withLock { $0[UInt(bitPattern: code)] }
    return unsafe original.flatMap { unsafe UnsafeRawPointer(bitPattern: $0) } ?? code
  }
}
