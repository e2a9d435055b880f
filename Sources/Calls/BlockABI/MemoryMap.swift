private import Glibc

/// The process's mappings and their protections, as listed by the kernel.
///
/// Specification: proc(5), `/proc/pid/maps`.
package struct MemoryMap {
  private struct Mapping {
    let range: Range<UInt>
    let protection: Int32
    let isShared: Bool
  }

  private var mappings: [Mapping] = []

  /// Reads the current mappings.
  ///
  /// - Throws: `protectedMemory` if the kernel's list cannot be opened; a failed read ends the
  ///   list.
  package static func read() throws(BlockError) -> MemoryMap {
    let path = "/proc/self/maps"
    // SAFETY: the path is null-terminated during the call.
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      throw BlockError(
        .protectedMemory,
        "\(path) cannot be opened (errno \(errno)), so a page's protection could not be restored; "
          + "mount /proc and leave a file descriptor free")
    }
    defer { close(descriptor) }
    var map = MemoryMap()
    var line: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 16384)
    while true {
      // SAFETY: the kernel writes at most as many bytes as the buffer has.
      let count = unsafe buffer.withUnsafeMutableBytes {
        unsafe Glibc.read(descriptor, $0.baseAddress, $0.count)
      }
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else { return map }
      for byte in buffer[..<count] {
        if byte == UInt8(ascii: "\n") {
          map.append(line)
          line.removeAll(keepingCapacity: true)
        } else {
          line.append(byte)
        }
      }
    }
  }

  /// The protection of the mapping that holds an address, nil if there is none.
  func protection(at address: UInt) -> Int32? {
    mappings.first { $0.range.contains(address) }?.protection
  }

  /// Whether the mapping that holds an address is shared with forked children, nil if there is
  /// none.
  package func isShared(at address: UInt) -> Bool? {
    mappings.first { $0.range.contains(address) }?.isShared
  }

  /// Adds the mapping of a line such as `7f00-8000 r-xp 00000000 08:01 123 /lib/x.so`.
  private mutating func append(_ line: [UInt8]) {
    let fields = line.split(separator: UInt8(ascii: " "), maxSplits: 2)
    guard fields.count >= 2 else { return }
    let bounds = fields[0].split(separator: UInt8(ascii: "-")).compactMap {
      UInt(String(decoding: $0, as: UTF8.self), radix: 16)
    }
    guard bounds.count == 2, bounds[0] <= bounds[1] else { return }
    var protection: Int32 = 0
    if fields[1].contains(UInt8(ascii: "r")) { protection |= PROT_READ }
    if fields[1].contains(UInt8(ascii: "w")) { protection |= PROT_WRITE }
    if fields[1].contains(UInt8(ascii: "x")) { protection |= PROT_EXEC }
    mappings.append(
      Mapping(
        range: bounds[0]..<bounds[1], protection: protection,
        isShared: fields[1].contains(UInt8(ascii: "s"))))
  }
}
