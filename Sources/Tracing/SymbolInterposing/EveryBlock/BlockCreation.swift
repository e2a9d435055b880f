public import BlockABI
private import CSymbolInterposing.CallSites

/// Where a block was made: the functions that were being called when it was copied to the heap.
public struct BlockCreation: Sendable {
  /// The return addresses of the calls, the innermost first.
  public let addresses: [UInt]

  private static let limit = 64

  /// Records the calls in progress on the current thread.
  init() {
    addresses = unsafe withUnsafeTemporaryAllocation(
      of: UnsafeMutableRawPointer?.self, capacity: Self.limit
    ) { frames in
      unsafe frames.initialize(repeating: nil)
      guard let start = frames.baseAddress else { return [] }
      // SAFETY: the buffer has room for the number of addresses that is passed.
      let count = unsafe cbr_call_sites(start, frames.count)
      return unsafe frames.prefix(count).map { UInt(bitPattern: $0) }
    }
  }

  /// The functions, the innermost first, without this library's own innermost ones.
  public var symbols: [CodeSymbol] {
    let symbols = addresses.compactMap { address in
      // SAFETY: the address is only looked up.
      unsafe UnsafeRawPointer(bitPattern: address).flatMap { unsafe CodeSymbol(at: $0) }
    }
    guard let last = symbols.lastIndex(where: \.isOwn) else { return symbols }
    return Array(symbols[(last + 1)...])
  }
}

extension BlockCreation: CustomStringConvertible {
  /// One line per function.
  public var description: String {
    symbols.map(\.description).joined(separator: "\n")
  }
}
