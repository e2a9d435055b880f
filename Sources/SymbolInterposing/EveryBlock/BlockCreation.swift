public import BlockABI
private import CSymbolInterposing.CallSites

/// Where a block was made: the functions that were being called when it was copied to the heap.
public struct BlockCreation: Sendable {
  /// The addresses that the calls return to, the innermost first.
  public let addresses: [UInt]

  private static let limit = 64

  /// Notes the calls of the current thread.
  init() {
    addresses = unsafe withUnsafeTemporaryAllocation(
      of: UnsafeMutableRawPointer?.self, capacity: Self.limit
    ) { frames in
      unsafe frames.initialize(repeating: nil)
      guard let start = frames.baseAddress else { return [] }
      // SAFETY: the memory is as long as the function is told.
      let count = unsafe cbr_call_sites(start, frames.count)
      return unsafe frames.prefix(count).map { UInt(bitPattern: $0) }
    }
  }

  /// The functions, the innermost first; without this library's own, which lie innermost.
  public var symbols: [CodeSymbol] {
    let symbols = addresses.compactMap { address in
      unsafe UnsafeRawPointer(bitPattern: address).flatMap { unsafe CodeSymbol(at: $0) }
    }
    guard let last = symbols.lastIndex(where: \.isOwn) else { return symbols }
    return Array(symbols[(last + 1)...])
  }
}

extension BlockCreation: CustomStringConvertible {
  /// A line a function.
  public var description: String {
    symbols.map(\.description).joined(separator: "\n")
  }
}

extension CodeSymbol {
  /// Whether the function is of this library: of its modules, or its assembly.
  var isOwn: Bool {
    guard let mangledName else { return false }
    return Self.ownPrefixes.contains { mangledName.hasPrefix($0) }
  }

  private static let ownPrefixes =
    [
      "TypeEncodings", "BlockABI", "ObjectLifetimes", "BlockRuntimeThreads", "BlockRuntimeSpelling",
      "DelayedBlocks", "Invocations", "BlockHooks", "CallTracing", "CallRecording",
      "CallMemoization", "KeyValueObserving", "MessageForwarding", "SymbolInterposing",
      "ExperimentalSwiftMethods", "InvocationOperations", "TraceLogging", "BlockTracer",
    ].map { "$s\($0.utf8.count)\($0)" } + ["cbr_"]
}
