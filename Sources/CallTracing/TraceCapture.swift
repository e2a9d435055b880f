internal import Invocations
internal import TypeEncodings

/// Captures the arguments and results of calls of one signature.
struct TraceCapture: Sendable {
  // SAFETY: each offset is in the memory of calls of `interface`, in which every argument takes at
  // least eight bytes; each word lies in `TraceValues.words`.

  private static let argumentWords = 6
  private static let resultBytes = 16

  /// A copy of a value from an offset in the memory to an index among the words.
  private struct Move: Sendable {
    let offset: Int
    let word: Int
    let size: Int
  }

  /// The type of a copied value, for its text.
  private struct Place: Sendable {
    let encoding: TypeEncoding
    let layout: TypeLayout
    let index: Int
  }

  /// The copies of the arguments; if they are not copied, they are rendered.
  private let moves: [Move]
  private let places: [Place]
  let copiesArguments: Bool
  private let resultSize: Int?
  let copiesResult: Bool
  private let interface: CallInterface

  let hiddenArgumentCount: Int

  /// The maximum length of one value's text in bytes; 0 captures nothing.
  let limit: Int

  /// The number of words of the copied arguments.
  let wordCount: Int

  init(_ interface: CallInterface, hiddenArgumentCount: Int, limit: Int) {
    self.interface = interface
    self.limit = limit
    self.hiddenArgumentCount = hiddenArgumentCount
    let copied = Self.places(interface, hiddenArgumentCount)
    copiesArguments = copied != nil
    moves = copied?.moves ?? []
    places = copied?.places ?? []
    wordCount = moves.map { $0.word + ($0.size + 7) / 8 }.max() ?? 0
    resultSize = interface.resultLayout?.size
    copiesResult =
      interface.resultLayout.map {
        $0.size <= Self.resultBytes && interface.signature.result.isComplete
      } ?? false
  }

  private static func places(
    _ interface: CallInterface, _ hidden: Int
  ) -> (moves: [Move], places: [Place])? {
    var moves: [Move] = []
    var places: [Place] = []
    var end = 0
    for index in interface.signature.arguments.indices.dropFirst(hidden) {
      let encoding = interface.signature.arguments[index].encoding
      let layout = interface.argumentLayouts[index]
      if layout.alignment > 8 { end += end % 2 }
      guard encoding.isComplete, end + (layout.size + 7) / 8 <= argumentWords else { return nil }
      moves.append(
        Move(offset: interface.offset(ofArgument: index), word: end, size: layout.size))
      places.append(Place(encoding: encoding, layout: layout, index: index))
      end += (layout.size + 7) / 8
    }
    return (moves, places)
  }

  /// Captures the current arguments.
  ///
  /// - Returns: Their text if they are not copied.
  func captureArguments(
    of call: borrowing CallFrame, _ values: inout TraceValues
  ) -> [String]? {
    guard limit > 0, call.position != .death else { return nil }
    guard copiesArguments else { return call.argumentTexts.map { $0.capped(limit) } }
    let memory = unsafe call.memory.address
    unsafe withUnsafeMutableBytes(of: &values.words) { words in
      for move in moves {
        let bytes = unsafe words.baseAddress.unsafelyUnwrapped + 8 * move.word
        if move.size <= 8 {
          unsafe bytes.storeBytes(
            of: (memory + move.offset).loadUnaligned(as: UInt64.self), as: UInt64.self)
        } else {
          unsafe bytes.copyMemory(from: memory + move.offset, byteCount: move.size)
        }
      }
    }
    values.hasArguments = true
    return nil
  }

  /// Captures the current result, if there is one.
  ///
  /// - Returns: Its text if it is not copied.
  func captureResult(of call: borrowing CallFrame, _ values: inout TraceValues) -> String? {
    guard limit > 0, let size = resultSize, call.isResultSet else { return nil }
    guard copiesResult else { return call.resultText?.capped(limit) }
    let result = unsafe call.memory.resultAddress
    unsafe withUnsafeMutableBytes(of: &values.words) { words in
      unsafe (words.baseAddress.unsafelyUnwrapped + 8 * Self.argumentWords).copyMemory(
        from: result, byteCount: size)
    }
    values.hasResult = true
    return nil
  }

  /// The captured arguments as text.
  func arguments(_ values: TraceValues) -> [String] {
    guard values.hasArguments else { return values.texts?.arguments ?? [] }
    return unsafe withWords(of: values) { words in
      zip(moves, places).map { move, place in
        unsafe ValueSlot(
          place.encoding, place.layout, .argument(place.index), at: words + 8 * move.word
        ).text.capped(limit)
      }
    }
  }

  /// The captured result as text, nil if there was none.
  func result(_ values: TraceValues) -> String? {
    guard values.hasResult, let layout = interface.resultLayout else {
      return values.texts?.result
    }
    return unsafe withWords(of: values) { words in
      unsafe ValueSlot(
        interface.signature.result, layout, .result, at: words + 8 * Self.argumentWords
      ).text.capped(limit)
    }
  }

  /// Calls `body` with the words, aligned for any value.
  private func withWords<Result>(
    of values: TraceValues, _ body: (UnsafeMutableRawPointer) -> Result
  ) -> Result {
    unsafe withUnsafeBytes(of: values.words) { words in
      unsafe withUnsafeTemporaryAllocation(byteCount: words.count, alignment: 16) { memory in
        unsafe memory.copyMemory(from: words)
        return unsafe body(memory.baseAddress.unsafelyUnwrapped)
      }
    }
  }
}

extension TypeEncoding {
  /// Whether a value can be rendered without the memory to which it points.
  fileprivate var isComplete: Bool {
    switch type {
    case .primitive(let primitive): primitive != .cString
    case .object, .block: false
    case .array(_, let element): element.isComplete
    case .structure(let record): record.fields?.allSatisfy(\.encoding.isComplete) ?? true
    case .pointer, .union, .bitField, .complex, .unknown, .vanished: true
    }
  }
}

extension String {
  /// The text, cut at the end of a Unicode scalar to at most a number of bytes of UTF-8.
  func capped(_ limit: Int) -> String {
    guard utf8.count > limit else { return self }
    var end = utf8.index(startIndex, offsetBy: max(limit, 0))
    while end > startIndex, end.samePosition(in: unicodeScalars) == nil {
      end = utf8.index(before: end)
    }
    return self[..<end] + "…"
  }
}

/// The captured arguments and result of one call.
///
/// Numbers, addresses and records of them are copied, and rendered when they are read. Text,
/// objects and blocks may not exist any more by then, so arguments of calls with these are rendered
/// at once.
struct TraceValues: Sendable {
  /// Six words for arguments, two for the result.
  ///
  /// A tuple, because it is copied as plain words, whereas an `InlineArray` is copied through its
  /// metadata.
  typealias Words = (UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64)
  var words: Words = (0, 0, 0, 0, 0, 0, 0, 0)

  /// Whether the words hold the arguments, and the result.
  var hasArguments = false
  var hasResult = false

  /// The values that the words do not hold; one reference, so that records of numbers are cheap to
  /// copy.
  var texts: TraceTexts?
}

/// The parts of a call that were rendered when it was recorded.
final class TraceTexts: Sendable {
  let arguments: [String]?
  let result: String?
  let error: String?

  init(arguments: [String]?, result: String?, error: String?) {
    self.arguments = arguments
    self.result = result
    self.error = error
  }
}
