internal import Invocations

/// The code that a stream describes.
struct CollectedCodes {
  /// The first signatures that cannot be used here: calls of their code are recorded without
  /// values.
  private(set) var unreadSignatures: Set<String> = []

  private var codes = RecentValues<UInt32, RecordedCode>(limit: limit, weigh: \.weight)
  private var codesByAddress = RecentValues<UInt64, RecordedCode>(limit: limit, weigh: \.weight)
  private var overlay = OverlayCodes()

  /// How many unusable signatures there were, of which some may be the same.
  private var unreadCount = 0

  /// How much code is described at once.
  static let limit = 1 << 16

  /// How many unusable signatures are shown, and after how many no other one is looked at.
  private static let (shownCount, unreadLimit) = (8, 1 << 10)

  /// How much code was forgotten.
  var forgottenCount: Int { codes.forgottenCount }

  /// Reads the description of a code of a program at a path.
  mutating func add(
    _ body: inout RecordBody, _ head: TraceStreamFormat.Head, of program: String
  ) throws(DamagedRecord) {
    let number: UInt32 = try body.integer()
    let address: UInt64 = try body.integer()
    let place = try StreamPlace(&body)
    let hidden = Int(try body.integer(Int32.self))
    let limit = Int(try body.integer(Int32.self))
    let name = head.parts.contains(.name) ? try body.name() : nil
    let image = head.parts.contains(.image) ? try body.image(of: program) : nil
    let signature = head.parts.contains(.signature) ? try body.text() : nil
    let interface = signature.flatMap { usableInterface(of: $0, hidden: hidden) }
    let code = RecordedCode(
      TraceSubject(
        name: name, image: image, signature: signature ?? TraceSubject.noSignature,
        address: address == 0 ? nil : UInt(address), place: place.code(in: image)),
      interface.map { TraceCapture($0, hiddenArgumentCount: hidden, limit: limit) },
      head.parts.contains(.isWait) ? .wait : .call, isTask: head.parts.contains(.isTask))
    overlay.add(code)
    codes[number] = code
    codesByAddress[address] = code
  }

  /// The interface of a signature; nil if it cannot be used, as that of a hostile program.
  private mutating func usableInterface(of signature: String, hidden: Int) -> CallInterface? {
    guard unreadCount < Self.unreadLimit else { return nil }
    if let interface = try? CallInterface.of(signature),
      (0...interface.argumentCount).contains(hidden)
    {
      return interface
    }
    unreadCount += 1
    if unreadSignatures.count < Self.shownCount { unreadSignatures.insert(signature) }
    return nil
  }

  /// The code of a number; nil if it is not described.
  subscript(number: UInt32) -> RecordedCode? {
    mutating get { codes[number] ?? (codes.forgottenCount > 0 ? WaitCodes.unknown : nil) }
  }

  /// The code at an address that was described last; nil if none is.
  mutating func code(at address: UInt64) -> RecordedCode? { codesByAddress[address] }

  /// The code of a block, under the name that tells most.
  mutating func code(
    _ code: RecordedCode, sentBy submission: TraceSubmission?
  ) -> RecordedCode {
    overlay.code(code, sentBy: submission)
  }
}

extension RecordedCode {
  /// What it takes of a limit: more with long texts.
  var weight: Int { TraceStreamFormat.weight(ofTexts: subject.textBytes) }
}
