internal import BlockABI
package import Invocations
private import Synchronization

/// Properties that all blocks compiled from one closure share.
package struct BlockSource: Sendable {
  // SAFETY: callers keep the blocks and views alive; addresses of code are only looked up and
  // compared.

  private static let lastNumber = Atomic<UInt64>(0)

  /// What tells the source from all others, also from later ones at the same address.
  let number = Self.lastNumber.wrappingAdd(1, ordering: .relaxed).newValue

  /// The code that the closure was compiled to, behind any thunks.
  package let address: UInt

  /// The function at that address, nil if no loaded image holds it.
  let symbol: CodeSymbol?

  /// The blocks' type encoding.
  let encoding: String?

  /// Their call interface; nil without a usable signature.
  package let interface: CallInterface?

  /// The thunks between the blocks' invoke pointers and the closure.
  let thunks: [UInt]

  /// Whether the code is this library's own.
  let isOwn: Bool

  init(of block: Block) {
    let invoke = unsafe block.compiledCode
    let closures = unsafe invoke.map { unsafe block.closures(behindThunk: $0) } ?? []
    let code = unsafe closures.last ?? invoke
    thunks = unsafe ([invoke] + closures).dropLast().map { UInt(bitPattern: $0) }
    address = UInt(bitPattern: code)
    symbol = unsafe code.flatMap { unsafe CodeSymbol(at: $0) }
    encoding = block.encoding
    interface = encoding == nil ? nil : try? block.callInterface
    isOwn = symbol.map { $0.isOwn || ImageFilter.isOwnLibrary($0.image) } ?? false
  }
}

extension BlockFilter {
  /// Whether blocks of a source are selected.
  func admits(_ source: BlockSource) -> Bool {
    // SAFETY: the address is only looked up.
    unsafe admits(
      source.symbol, at: UnsafeRawPointer(bitPattern: source.address), encoding: source.encoding)
  }
}
