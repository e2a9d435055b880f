internal import BlockABI
internal import Invocations

/// The stored form of one result.
///
/// A boxed result may hold objects and blocks: they pass from the thread that made them to those
/// that receive them again, as if the block itself stored them. Sharing them is the caller's
/// responsibility, as documented.
enum MemoResult {
  /// One number, as `CallFrame.resultWord` gives it.
  case word(UInt64)
  case value(CValue)
}

/// The outcome of a look-up.
enum MemoLookup<Value> {
  case word(UInt64)
  case value(Value)
  /// There is no value; the ticket says which removals come later.
  case missing(ticket: UInt64)
}

/// One stored result with the arguments of its call.
struct MemoValue {
  let result: MemoResult

  /// The result, if it is a number.
  var word: UInt64? { if case .word(let word) = result { word } else { nil } }

  /// The declared arguments; empty if the key represents them.
  ///
  /// They retain the objects and blocks whose addresses are in the key.
  let arguments: [CValue]

  /// The image that holds the result if that is a global block: it stays loaded.
  let image: LoadedImage?

  init(result: MemoResult, arguments: [CValue]) {
    self.result = result
    self.arguments = arguments
    image = if case .value(.block(let block?)) = result { block.header.image } else { nil }
  }
}
