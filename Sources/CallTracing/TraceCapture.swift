internal import Invocations
internal import TypeEncodings

// SAFETY, for the whole file: a place lies in the image of a call of the interface that it was made
// for, where every argument takes at least eight bytes, and in the words of the values.

/// How the calls of one signature are captured.
struct TraceCapture: Sendable {
  private static let argumentWords = 6
  private static let resultBytes = 16

  /// From where in an image a value is copied to which of the words.
  private struct Move: Sendable {
    let offset: Int
    let word: Int
    let size: Int
  }

  /// What makes text of a copied value.
  private struct Place: Sendable {
    let encoding: TypeEncoding
    let layout: TypeLayout
    let index: Int
  }

  /// The arguments, if they are copied; else they are rendered.
  private let moves: [Move]
  private let places: [Place]
  let copiesArguments: Bool
  private let resultSize: Int?
  let copiesResult: Bool
  private let interface: CallInterface

  let hiddenArgumentCount: Int

  /// The most bytes of one value's text; 0 captures nothing.
  let limit: Int

  /// How many words the copied arguments take.
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

  /// Captures the arguments as they are now.
  ///
  /// - Returns: Their text, if they are not copied.
  func captureArguments(
    of call: borrowing CallFrame, _ values: inout TraceValues
  ) -> [String]? {
    guard limit > 0, call.position != .death else { return nil }
    guard copiesArguments else { return call.arguments.map { $0.capped(limit) } }
    let image = unsafe call.image
    unsafe withUnsafeMutableBytes(of: &values.words) { words in
      for move in moves {
        let bytes = unsafe words.baseAddress.unsafelyUnwrapped + 8 * move.word
        if move.size <= 8 {
          unsafe bytes.storeBytes(
            of: (image + move.offset).loadUnaligned(as: UInt64.self), as: UInt64.self)
        } else {
          unsafe bytes.copyMemory(from: image + move.offset, byteCount: move.size)
        }
      }
    }
    values.hasArguments = true
    return nil
  }

  /// Captures the result, if there is one now.
  ///
  /// - Returns: Its text, if it is not copied.
  func captureResult(of call: borrowing CallFrame, _ values: inout TraceValues) -> String? {
    guard limit > 0, let size = resultSize, call.isResultSet else { return nil }
    guard copiesResult else { return call.resultText?.capped(limit) }
    let result = unsafe interface.resultAddress(in: call.image)
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
        ).rendered.capped(limit)
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
      ).rendered.capped(limit)
    }
  }

  /// Gives `body` the words, aligned as any value is.
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
  /// Whether a value's text needs nothing that the value points to.
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
  /// The text, cut after at most so many bytes of UTF-8 at the end of a Unicode scalar.
  func capped(_ limit: Int) -> String {
    guard utf8.count > limit else { return self }
    var end = utf8.index(startIndex, offsetBy: max(limit, 0))
    while end > startIndex, end.samePosition(in: unicodeScalars) == nil {
      end = utf8.index(before: end)
    }
    return self[..<end] + "…"
  }
}
