internal import Invocations
internal import TypeEncodings

// SAFETY, for the whole file: a place lies in the image of a call of the interface that it was made
// for, where every argument takes at least eight bytes, and in the words of the values.

/// The arguments and the result of one call, as they were captured.
///
/// Numbers, addresses and records of them are copied and become text when somebody asks; text,
/// objects and blocks may be gone by then, so their calls' arguments are rendered at once.
struct TraceValues: Sendable {
  /// Six words of arguments, two of the result.
  var words = InlineArray<8, UInt64>(repeating: 0)
  var texts: [String]?
  var resultText: String?

  /// Whether the words hold what they are for.
  var hasArguments = false
  var hasResult = false
}

/// How the calls of one signature are captured.
struct TraceCapture: Sendable {
  private static let argumentWords = 6
  private static let resultBytes = 16

  private struct Place: Sendable {
    let encoding: TypeEncoding
    let layout: TypeLayout
    let index: Int

    /// Where the value lies in an image, and its first word in `TraceValues`.
    let offset: Int
    let word: Int
  }

  /// The arguments that are copied, nil if they are rendered.
  private let copied: [Place]?
  private let copiesResult: Bool
  private let interface: CallInterface

  /// The most bytes of one value's text; 0 captures nothing.
  private let limit: Int

  init(_ interface: CallInterface, hiddenArgumentCount: Int, limit: Int) {
    self.interface = interface
    self.limit = limit
    copied = Self.places(interface, hiddenArgumentCount)
    copiesResult =
      interface.resultLayout.map {
        $0.size <= Self.resultBytes && interface.signature.result.isComplete
      } ?? false
  }

  private static func places(_ interface: CallInterface, _ hidden: Int) -> [Place]? {
    var places: [Place] = []
    var end = 0
    for index in interface.signature.arguments.indices.dropFirst(hidden) {
      let encoding = interface.signature.arguments[index].encoding
      let layout = interface.argumentLayouts[index]
      if layout.alignment > 8 { end += end % 2 }
      guard encoding.isComplete, end + (layout.size + 7) / 8 <= argumentWords else { return nil }
      places.append(
        Place(
          encoding: encoding, layout: layout, index: index,
          offset: interface.offset(ofArgument: index), word: end))
      end += (layout.size + 7) / 8
    }
    return places
  }

  /// Captures the arguments as they are now.
  func captureArguments(of call: borrowing CallFrame, _ values: inout TraceValues) {
    guard limit > 0, call.position != .death else { return }
    guard let copied else {
      values.texts = call.arguments.map { $0.capped(limit) }
      return
    }
    let image = unsafe call.image
    unsafe withUnsafeMutableBytes(of: &values.words) { words in
      for place in copied {
        let bytes = unsafe words.baseAddress.unsafelyUnwrapped + 8 * place.word
        if place.layout.size <= 8 {
          unsafe bytes.storeBytes(
            of: (image + place.offset).loadUnaligned(as: UInt64.self), as: UInt64.self)
        } else {
          unsafe bytes.copyMemory(from: image + place.offset, byteCount: place.layout.size)
        }
      }
    }
    values.hasArguments = true
  }

  /// Captures the result, if there is one now.
  func captureResult(of call: borrowing CallFrame, _ values: inout TraceValues) {
    guard limit > 0, let layout = interface.resultLayout, call.isResultSet else { return }
    guard copiesResult else {
      values.resultText = call.resultText?.capped(limit)
      return
    }
    let result = unsafe interface.resultAddress(in: call.image)
    unsafe withUnsafeMutableBytes(of: &values.words) { words in
      unsafe (words.baseAddress.unsafelyUnwrapped + 8 * Self.argumentWords).copyMemory(
        from: result, byteCount: layout.size)
    }
    values.hasResult = true
  }

  /// The captured arguments as text.
  func arguments(_ values: TraceValues) -> [String] {
    if let texts = values.texts { return texts }
    guard values.hasArguments, let copied, !copied.isEmpty else { return [] }
    return unsafe withWords(of: values) { words in
      copied.map { place in
        unsafe ValueSlot(
          place.encoding, place.layout, .argument(place.index), at: words + 8 * place.word
        ).rendered.capped(limit)
      }
    }
  }

  /// The captured result as text, nil if there was none.
  func result(_ values: TraceValues) -> String? {
    guard values.hasResult, let layout = interface.resultLayout else { return values.resultText }
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
