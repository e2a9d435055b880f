internal import BlockABI
internal import Invocations

/// Properties that all blocks compiled from one closure share.
struct BlockSource: Sendable {
  // SAFETY: callers keep the blocks and views alive; addresses of code are only looked up and
  // compared.

  /// The code that the closure was compiled to, behind any thunks.
  let address: UInt

  /// The function at that address, nil if no loaded image holds it.
  let symbol: CodeSymbol?

  /// The blocks' type encoding.
  let encoding: String?

  /// Their call interface; nil without a usable signature.
  let interface: CallInterface?

  /// The thunks between the blocks' invoke pointers and the closure.
  let thunks: [UInt]

  /// Whether the code is this library's own.
  let isOwn: Bool

  init(of block: Block) {
    let invoke = unsafe block.originalCode
    let closures = unsafe invoke.map { unsafe block.closures(behindThunk: $0) } ?? []
    let code = unsafe closures.last ?? invoke
    thunks = unsafe ([invoke] + closures).dropLast().map { UInt(bitPattern: $0) }
    address = UInt(bitPattern: code)
    symbol = unsafe code.flatMap { unsafe CodeSymbol(at: $0) }
    encoding = block.encoding
    interface = encoding == nil ? nil : try? block.callInterface
    isOwn = symbol.map { $0.isOwn || ImageFilter.isOwnLibrary($0.image) } ?? false
  }

  /// Whether a block of the same code has this signature: the image may have been unloaded, and
  /// another one loaded at its address.
  func fits(_ view: BlockView) -> Bool { unsafe view.hasEncoding(encoding) }
}

/// The sources found so far, and the requests to hook blocks.
struct BlockSources: Sendable {
  // SAFETY: callers keep the blocks of the views alive; code addresses are only compared.

  private struct Key: Hashable {
    let invoke: UInt

    /// The code that `invoke` leads to behind all thunks.
    let code: UInt
  }

  /// A source, and the code that replaces the blocks' own once any request matches it.
  ///
  /// A class, so that the lookup for each new block retains one object only.
  final class Known: Sendable {
    let source: BlockSource
    let code: (any BlockCode)?

    init(_ source: BlockSource, _ code: (any BlockCode)?) {
      self.source = source
      self.code = code
    }
  }

  private var known: [Key: Known] = [:]

  /// Which of the code addresses seen so far are thunks.
  private var thunks: [UInt: Bool] = [:]

  /// The replacements, by the addresses of their code; never freed.
  private(set) var shared: [UInt: any BlockCode] = [:]

  /// The requests, in the order in which they were made.
  var requests: [BlockRequest] = [] {
    didSet {
      individualRequests = requests.filter(\.isIndividual)
      // A new request may match sources that no request matched before.
      known = known.filter { $0.value.code != nil || $0.value.source.isOwn }
    }
  }

  /// The requests that hook blocks one by one.
  private(set) var individualRequests: [BlockRequest] = []

  /// The entry of a block's source; nil if it is unknown.
  func find(_ view: BlockView) -> Known? {
    guard let code = unsafe view.code(following: { thunks[$0] }),
      let known = known[Key(invoke: unsafe UInt(bitPattern: view.replacedCode), code: code)],
      unsafe known.source.fits(view)
    else { return nil }
    return known
  }

  /// Records a block's source, unless another thread did so first.
  ///
  /// - Returns: The recorded entry.
  mutating func insert(_ new: Known, _ view: BlockView) -> Known {
    if let first = unsafe find(view), first.code != nil { return first }
    for thunk in new.source.thunks { thunks[thunk] = true }
    thunks[new.source.address] = false
    known[Key(invoke: unsafe UInt(bitPattern: view.replacedCode), code: new.source.address)] = new
    if let code = new.code { shared[unsafe UInt(bitPattern: code.address)] = code }
    return new
  }
}
