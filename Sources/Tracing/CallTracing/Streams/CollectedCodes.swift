internal import Invocations

/// The code that a stream describes.
struct CollectedCodes {
  /// The signatures that cannot be used here: calls of their code are recorded without values.
  private(set) var unreadSignatures: Set<String> = []

  private var codes: [UInt32: RecordedCode] = [:]
  private var codesByAddress: [UInt64: RecordedCode] = [:]
  private var overlay = OverlayCodes()

  /// Reads the description of a code.
  mutating func add(
    _ body: inout ByteReader<DamagedRecord>, _ head: TraceStreamFormat.Head
  ) throws(DamagedRecord) {
    let number: UInt32 = try body.integer()
    let address: UInt64 = try body.integer()
    let hidden = Int(try body.integer(Int32.self))
    let limit = Int(try body.integer(Int32.self))
    let name = head.parts.contains(.name) ? try body.text() : nil
    let image = head.parts.contains(.image) ? try body.text() : nil
    let signature = head.parts.contains(.signature) ? try body.text() : nil
    let interface = signature.flatMap { try? CallInterface.of($0) }
      .flatMap { (0...$0.argumentCount).contains(hidden) ? $0 : nil }
    if let signature, interface == nil { unreadSignatures.insert(signature) }
    let code = RecordedCode(
      TraceSubject(
        name: name, image: image, signature: signature ?? TraceSubject.noSignature,
        address: address == 0 ? nil : UInt(address)),
      interface.map { TraceCapture($0, hiddenArgumentCount: hidden, limit: limit) },
      head.parts.contains(.isWait) ? .wait : .call, isTask: head.parts.contains(.isTask))
    overlay.add(code)
    codes[number] = code
    codesByAddress[address] = code
  }

  /// The code of a number; nil if it is not described.
  subscript(number: UInt32) -> RecordedCode? { codes[number] }

  /// The code at an address that was described last; nil if none is.
  func code(at address: UInt64) -> RecordedCode? { codesByAddress[address] }

  /// The code of a block, under the name that tells most.
  mutating func code(
    _ code: RecordedCode, sentBy submission: TraceSubmission?
  ) -> RecordedCode {
    overlay.code(code, sentBy: submission)
  }
}
