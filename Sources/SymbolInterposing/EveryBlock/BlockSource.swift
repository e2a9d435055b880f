internal import BlockABI
internal import Invocations

// SAFETY, for the whole file: addresses are compared, and never followed; a view's block is alive.

/// What the blocks of one source have in common.
struct BlockSource: Sendable {
  /// The code that they were compiled to: behind a thunk, the closure's.
  let address: UInt

  /// The function that holds it.
  let symbol: CodeSymbol?

  /// Their type encoding.
  let encoding: String?

  /// How they are called; nil if they cannot be.
  let interface: CallInterface?

  /// The thunks that they enter first, which find their closures in the blocks.
  let thunks: [UInt]

  /// Whether they are this library's own.
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

  /// Whether a block of the same code is of this source: an image may have been unloaded, and another
  /// be where it was.
  func fits(_ view: BlockView) -> Bool { unsafe view.hasEncoding(encoding) }
}

/// The sources that are known, and what is wanted of them.
struct BlockSources: Sendable {
  private struct Key: Hashable {
    let invoke: UInt

    /// What that leads to in the end.
    let code: UInt
  }

  /// A source, and what takes the place of its code once any request means it.
  ///
  /// An object, as every block that is made asks for one: that is one reference to count.
  final class Known: Sendable {
    let source: BlockSource
    let code: (any BlockCode)?

    init(_ source: BlockSource, _ code: (any BlockCode)?) {
      self.source = source
      self.code = code
    }
  }

  private var known: [Key: Known] = [:]

  /// Which code is a thunk, of all that is known.
  private var thunks: [UInt: Bool] = [:]

  /// What stands in for other code, by its address; it is never freed.
  private(set) var shared: [UInt: any BlockCode] = [:]

  /// What is wanted, in the order of the wishes.
  var requests: [BlockRequest] = [] {
    didSet {
      individualRequests = requests.filter(\.isIndividual)
      // What nobody wanted may be wanted now.
      known = known.filter { $0.value.code != nil || $0.value.source.isOwn }
    }
  }

  /// Those that hook blocks one by one.
  private(set) var individualRequests: [BlockRequest] = []

  /// What is known of a block's source.
  func find(_ view: BlockView) -> Known? {
    guard let code = unsafe view.code(following: { thunks[$0] }),
      let known = known[Key(invoke: unsafe UInt(bitPattern: view.replacedCode), code: code)],
      unsafe known.source.fits(view)
    else { return nil }
    return known
  }

  /// Keeps what is known of a block's source, unless another thread was faster.
  ///
  /// - Returns: What is kept.
  mutating func insert(_ new: Known, _ view: BlockView) -> Known {
    if let first = unsafe find(view), first.code != nil { return first }
    for thunk in new.source.thunks { thunks[thunk] = true }
    thunks[new.source.address] = false
    known[Key(invoke: unsafe UInt(bitPattern: view.replacedCode), code: new.source.address)] = new
    if let code = new.code { shared[unsafe UInt(bitPattern: code.address)] = code }
    return new
  }
}
