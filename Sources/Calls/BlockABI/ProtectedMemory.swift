private import BlockRuntimeThreads
private import CBlockRuntimeThreads.Barriers
private import Glibc

/// Writes to memory that may be write-protected, which is made writable for one write.
///
/// clang's global blocks are in pages that the dynamic linker makes read-only after relocation.
package enum ProtectedMemory {
  /// Serialises changes of page protections, which belong to the process.
  private static let lock = GatedLock(())

  /// Runs `write` while the pages that hold a range of memory are writable.
  ///
  /// Afterwards each page has its old protection, whatever it was.
  ///
  /// - Parameters:
  ///   - address: The first byte to be written.
  ///   - count: The number of bytes, which may be in several pages.
  ///   - write: Writes to the range, and to nothing else in its pages.
  /// - Throws: `protectedMemory` if a protection cannot be read or changed; then nothing is
  ///   written.
  ///
  /// ## Safety
  /// The range must be mapped and stay mapped.
  @unsafe
  package static func write(
    at address: UnsafeRawPointer, count: Int, _ write: () -> Void
  ) throws(BlockError) {
    let start = UInt(bitPattern: address)
    unsafe try Self.write(in: [start..<start + UInt(count)]) { _ in write() }
  }

  /// Runs `write` while the pages that hold several ranges of memory are writable.
  ///
  /// - Parameters:
  ///   - ranges: The ranges to be written.
  ///   - write: Writes to the ranges, and to nothing else in their pages. Its argument tells
  ///     whether an address was write-protected before.
  /// - Throws: `protectedMemory` if a protection cannot be read or changed; then nothing is
  ///   written.
  ///
  /// ## Safety
  /// The ranges must be mapped and stay mapped.
  @unsafe
  package static func write(
    in ranges: [Range<UInt>], _ write: (_ wasProtected: (UInt) -> Bool) -> Void
  ) throws(BlockError) {
    try lock.withLock { _ throws(BlockError) in try openAndWrite(in: ranges, write) }
  }

  private static func openAndWrite(
    in ranges: [Range<UInt>], _ write: (_ wasProtected: (UInt) -> Bool) -> Void
  ) throws(BlockError) {
    let pageSize = UInt(sysconf(Int32(_SC_PAGESIZE)))
    let pages = Set(
      ranges.flatMap {
        stride(from: $0.lowerBound & ~(pageSize - 1), to: $0.upperBound, by: Int(pageSize))
      })

    let table = try MemoryMap.read()
    var opened: [(page: UInt, protection: Int32)] = []
    defer {
      for (page, protection) in opened {
        // SAFETY: the page is mapped and had this protection before.
        _ = unsafe mprotect(UnsafeMutableRawPointer(bitPattern: page), Int(pageSize), protection)
      }
    }
    for page in pages {
      guard let protection = table.protection(at: page) else {
        throw BlockError(.protectedMemory, "0x\(String(page, radix: 16)) is not mapped")
      }
      if protection & PROT_WRITE != 0 { continue }
      // SAFETY: the page is mapped; making it writable changes nothing for its readers.
      let pointer = unsafe UnsafeMutableRawPointer(bitPattern: page)
      guard unsafe mprotect(pointer, Int(pageSize), protection | PROT_WRITE) == 0 else {
        throw BlockError(
          .protectedMemory,
          "the system refuses to make the page at 0x\(String(page, radix: 16)) writable "
            + "(errno \(errno)); a sealed or hardened program's global blocks cannot be changed")
      }
      opened.append((page, protection))
    }
    // What is written may be the address of code, which callers load without any order.
    cbr_publish_code()
    write { address in opened.contains { $0.page == address & ~(pageSize - 1) } }
  }
}
