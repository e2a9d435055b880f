internal import Invocations
internal import TypeEncodings

/// Which values of calls of one signature are copied, and where from; the others are rendered.
///
/// Plain memory, whose owner is a `TraceCapture`: it is read for each call, and counting references
/// would take longer than the copies.
@safe
struct CapturePlan: @unchecked Sendable {
  // SAFETY: each offset is in the memory of calls of the owner's interface, in which every argument
  // takes at least eight bytes; each word lies in `TraceWords.words`. The moves live, unchanged, as
  // long as the owner.

  static let argumentWords = 6
  static let resultBytes = 16

  /// A copy of a value from an offset in the memory to an index among the words.
  struct Move {
    let offset: Int
    let word: Int
    let size: Int
  }

  /// The copies of the arguments; if they are not copied, they are rendered.
  fileprivate let moves: UnsafeMutableBufferPointer<Move>
  let copiesArguments: Bool
  fileprivate let resultSize: Int?
  let copiesResult: Bool

  /// The number of words of the copied arguments.
  let wordCount: Int

  /// The maximum length of one value's text in bytes; 0 captures nothing.
  let limit: Int

  /// Whether nothing is rendered: arguments and result are copied.
  let copiesAll: Bool

  fileprivate init(
    _ moves: UnsafeMutableBufferPointer<Move>, copiesArguments: Bool, resultSize: Int?,
    copiesResult: Bool, limit: Int
  ) {
    unsafe self.moves = unsafe moves
    self.copiesArguments = copiesArguments
    self.resultSize = resultSize
    self.copiesResult = copiesResult
    self.limit = limit
    copiesAll = limit > 0 && copiesArguments && (copiesResult || resultSize == nil)
    wordCount = unsafe moves.map { $0.word + ($0.size + 7) / 8 }.max() ?? 0
  }

  /// Copies the arguments.
  ///
  /// ## Safety
  /// The source must be the memory of a call of the owner's interface, of which arguments are
  /// copied; the target must have room for `wordCount` words.
  @unsafe @inline(__always)
  func copyArguments(from memory: UnsafeMutableRawPointer, to words: UnsafeMutableRawPointer) {
    for index in 0..<(unsafe moves.count) {
      let move = unsafe moves[index]
      let bytes = unsafe words + 8 &* move.word
      // An empty record has no word of its own.
      if move.size == 0 { continue }
      if move.size <= 8 {
        unsafe bytes.storeBytes(
          of: (memory + move.offset).loadUnaligned(as: UInt64.self), as: UInt64.self)
      } else {
        unsafe bytes.copyMemory(from: memory + move.offset, byteCount: move.size)
      }
    }
  }

  /// Copies the result, which must exist.
  ///
  /// ## Safety
  /// The source must be the result of a call of the owner's interface, of which the result is
  /// copied; the target must have room for `resultBytes`.
  @unsafe @inline(__always)
  func copyResult(from memory: UnsafeMutableRawPointer, to words: UnsafeMutableRawPointer) {
    switch resultSize {
    case 4: unsafe words.storeBytes(of: memory.load(as: UInt32.self), as: UInt32.self)
    case 8: unsafe words.storeBytes(of: memory.load(as: UInt64.self), as: UInt64.self)
    default: unsafe words.copyMemory(from: memory, byteCount: resultSize ?? 0)
    }
  }

  /// Whether calls have a result.
  var hasResult: Bool { resultSize != nil }

  /// Captures the current arguments.
  ///
  /// - Returns: Their text if they are not copied.
  func captureArguments(of call: borrowing CallFrame, _ words: inout TraceWords) -> [String]? {
    guard limit > 0, call.position != .death else { return nil }
    guard copiesArguments else { return call.argumentTexts.map { $0.capped(limit) } }
    // SAFETY: the frame is one of a call of the interface.
    unsafe words.withArguments { words in
      unsafe call.memory.inRegisters { unsafe copyArguments(from: $0.address, to: words) }
    }
    words.hasArguments = true
    return nil
  }

  /// Captures the current result, if there is one.
  ///
  /// - Returns: Its text if it is not copied.
  func captureResult(of call: borrowing CallFrame, _ words: inout TraceWords) -> String? {
    guard limit > 0, hasResult, call.isResultSet else { return nil }
    guard copiesResult else { return call.resultText?.capped(limit) }
    // SAFETY: as for the arguments.
    unsafe words.withResult { unsafe copyResult(from: call.memory.resultAddress, to: $0) }
    words.hasResult = true
    return nil
  }
}

/// Captures the arguments and results of calls of one signature, and renders them.
@safe
final class TraceCapture: Sendable {
  // SAFETY: as for the plan. Its moves belong to this object.

  /// The type of a copied value, for its text.
  private struct Place: Sendable {
    let encoding: TypeEncoding
    let layout: TypeLayout
    let index: Int
  }

  let plan: CapturePlan
  private let places: [Place]
  private let interface: CallInterface
  let hiddenArgumentCount: Int

  init(_ interface: CallInterface, hiddenArgumentCount: Int, limit: Int) {
    self.interface = interface
    self.hiddenArgumentCount = hiddenArgumentCount
    let copied = Self.places(interface, hiddenArgumentCount)
    places = copied?.places ?? []
    let result = interface.resultLayout
    let moves = copied?.moves ?? []
    let memory = UnsafeMutableBufferPointer<CapturePlan.Move>.allocate(capacity: moves.count)
    _ = unsafe memory.initialize(from: moves)
    plan = unsafe CapturePlan(
      memory, copiesArguments: copied != nil, resultSize: result?.size,
      copiesResult: (result?.size ?? .max) <= CapturePlan.resultBytes
        && interface.signature.result.isComplete,
      limit: limit)
  }

  deinit { unsafe plan.moves.deallocate() }

  private static func places(
    _ interface: CallInterface, _ hidden: Int
  ) -> (moves: [CapturePlan.Move], places: [Place])? {
    var moves: [CapturePlan.Move] = []
    var places: [Place] = []
    var end = 0
    for index in interface.signature.arguments.indices.dropFirst(hidden) {
      let encoding = interface.signature.arguments[index].encoding
      let layout = interface.argumentLayouts[index]
      if layout.alignment > 8 { end += end % 2 }
      let count = (layout.size + 7) / 8
      guard encoding.isComplete, end + count <= CapturePlan.argumentWords else { return nil }
      moves.append(
        CapturePlan.Move(
          offset: interface.offset(ofArgument: index), word: end, size: layout.size))
      places.append(Place(encoding: encoding, layout: layout, index: index))
      end += count
    }
    return (moves, places)
  }

  /// The captured arguments as text.
  func arguments(_ values: TraceValues) -> [String] {
    guard values.words.hasArguments else { return values.texts?.arguments ?? [] }
    return unsafe withWords(of: values) { words in
      places.indices.map { index in
        let (place, word) = unsafe (places[index], plan.moves[index].word)
        return unsafe ValueSlot(
          place.encoding, place.layout, .argument(place.index), at: words + 8 * word
        ).text.capped(plan.limit)
      }
    }
  }

  /// The captured result as text, nil if there was none.
  func result(_ values: TraceValues) -> String? {
    guard values.words.hasResult, let layout = interface.resultLayout else {
      return values.texts?.result
    }
    return unsafe withWords(of: values) { words in
      unsafe ValueSlot(
        interface.signature.result, layout, .result, at: words + 8 * CapturePlan.argumentWords
      ).text.capped(plan.limit)
    }
  }

  /// Calls `body` with the words, aligned for any value.
  private func withWords<Result>(
    of values: TraceValues, _ body: (UnsafeMutableRawPointer) -> Result
  ) -> Result {
    unsafe withUnsafeBytes(of: values.words.words) { words in
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

/// The values of a call that are copied as words when it is made.
struct TraceWords: BitwiseCopyable {
  /// Six words for arguments, two for the result.
  ///
  /// A tuple, because it is copied as plain words, whereas an `InlineArray` is copied through its
  /// metadata.
  typealias Words = (UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64)

  var words: Words = (0, 0, 0, 0, 0, 0, 0, 0)

  /// Whether the words hold the arguments, and the result.
  var hasArguments = false
  var hasResult = false

  /// Calls a closure with the words for arguments.
  @inline(__always)
  mutating func withArguments(_ body: (UnsafeMutableRawPointer) -> Void) {
    unsafe withUnsafeMutableBytes(of: &words) { unsafe body($0.baseAddress.unsafelyUnwrapped) }
  }

  /// Calls a closure with the words for the result.
  @inline(__always)
  mutating func withResult(_ body: (UnsafeMutableRawPointer) -> Void) {
    unsafe withArguments { unsafe body($0 + 8 * CapturePlan.argumentWords) }
  }
}

/// The captured arguments and result of one call.
///
/// Numbers, addresses and records of them are copied, and rendered when they are read. Text,
/// objects and blocks may not exist any more by then, so arguments of calls with these are rendered
/// at once.
struct TraceValues: Sendable {
  var words = TraceWords()

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

  /// What was rendered; nil, and no memory is allocated, if nothing was.
  static func ifAny(arguments: [String]?, result: String?, error: String?) -> TraceTexts? {
    guard arguments != nil || result != nil || error != nil else { return nil }
    return TraceTexts(arguments: arguments, result: result, error: error)
  }
}
