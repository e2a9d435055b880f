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

  /// The bits of the words for arguments.
  static let argumentStrings: UInt8 = 1 << 6 - 1

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

  /// The words that are addresses of C strings, as bits.
  ///
  /// Only a stream gets them, with the bytes of the strings.
  let strings: UInt8

  /// The number of words of the copied arguments.
  let wordCount: Int

  /// The maximum length of one value's text in bytes; 0 captures nothing.
  let limit: Int

  /// Whether nothing is rendered: arguments and result are copied.
  let copiesAll: Bool

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

  /// Whether the arguments, and the result, can be copied if their C strings can.
  private func copiesArguments(withStrings: Bool) -> Bool {
    copiesArguments && (withStrings || strings & Self.argumentStrings == 0)
  }
  private func copiesResult(withStrings: Bool) -> Bool {
    copiesResult && (withStrings || strings & ~Self.argumentStrings == 0)
  }

  /// Captures the current arguments.
  ///
  /// - Parameters:
  ///   - call: The call.
  ///   - words: Receives the words of those that are copied.
  ///   - withStrings: Whether the bytes of C strings will be copied, too.
  /// - Returns: Their text if they are not copied.
  func captureArguments(
    of call: borrowing CallFrame, _ words: inout TraceWords, withStrings: Bool = false
  ) -> [String]? {
    guard limit > 0, call.position != .death else { return nil }
    guard copiesArguments(withStrings: withStrings) else {
      return call.argumentTexts.map { $0.capped(limit) }
    }
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
  func captureResult(
    of call: borrowing CallFrame, _ words: inout TraceWords, withStrings: Bool = false
  ) -> String? {
    guard limit > 0, hasResult, call.isResultSet else { return nil }
    guard copiesResult(withStrings: withStrings) else { return call.resultText?.capped(limit) }
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
    let moves = copied?.moves ?? []
    let memory = UnsafeMutableBufferPointer<CapturePlan.Move>.allocate(capacity: moves.count)
    _ = unsafe memory.initialize(from: moves)
    let (result, size) = (interface.signature.result, interface.resultLayout?.size)
    let copiesResult =
      (size ?? .max) <= CapturePlan.resultBytes && (result.isComplete || result.isString)
    let strings = zip(places, moves).reduce(UInt8(result.isString ? 1 << 6 : 0)) {
      $0 | ($1.0.encoding.isString ? 1 << UInt8($1.1.word) : 0)
    }
    plan = unsafe CapturePlan(
      moves: memory, copiesArguments: copied != nil, resultSize: size, copiesResult: copiesResult,
      strings: strings, wordCount: moves.map { $0.word + ($0.size + 7) / 8 }.max() ?? 0,
      limit: limit,
      copiesAll: limit > 0 && copied != nil && (copiesResult || size == nil) && strings == 0)
  }

  deinit { unsafe plan.moves.deallocate() }

  private static func places(
    _ interface: CallInterface, _ hidden: Int
  ) -> (moves: [CapturePlan.Move], places: [Place])? {
    // What calls pass beyond the signature is rendered.
    if interface.isVariadic { return nil }
    var moves: [CapturePlan.Move] = []
    var places: [Place] = []
    var end = 0
    for index in interface.signature.arguments.indices.dropFirst(hidden) {
      let encoding = interface.signature.arguments[index].encoding
      let layout = interface.argumentLayouts[index]
      if layout.alignment > 8 { end += end % 2 }
      let count = (layout.size + 7) / 8
      guard encoding.isComplete || encoding.isString, end + count <= CapturePlan.argumentWords
      else { return nil }
      moves.append(
        CapturePlan.Move(
          offset: interface.offset(ofArgument: index), word: end, size: layout.size))
      places.append(Place(encoding: encoding, layout: layout, index: index))
      end += count
    }
    return (moves, places)
  }

  /// The captured arguments as text.
  ///
  /// - Parameters:
  ///   - values: What was captured.
  ///   - strings: The C strings, in their order.
  /// - Returns: The texts.
  func arguments(_ values: TraceValues, _ strings: [CopiedString] = []) -> [String] {
    guard values.words.hasArguments else { return values.texts?.arguments ?? [] }
    var strings = strings[...]
    return unsafe withWords(of: values) { words in
      places.indices.map { index in
        let (place, word) = unsafe (places[index], words + 8 * plan.moves[index].word)
        if place.encoding.isString {
          return unsafe strings.popFirst()?.text(at: word.load(as: UInt.self)) ?? "?"
        }
        return unsafe ValueSlot(
          place.encoding, place.layout, .argument(place.index), at: word
        ).text
      }.map { $0.capped(plan.limit) }
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
  /// Whether a value is the address of a C string.
  fileprivate var isString: Bool {
    if case .primitive(.cString) = type { true } else { false }
  }

  /// Whether a value can be rendered without the memory to which it points.
  fileprivate var isComplete: Bool {
    switch type {
    case .primitive(let primitive): primitive != .cString
    case .object, .block: false
    case .array(_, let element): element.isComplete
    case .structure(let record): record.fields?.allSatisfy(\.encoding.isComplete) ?? true
    case .pointer, .union, .bitField, .complex, .vector, .unknown, .vanished: true
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
