internal import BlockABI

/// What records say of the functions in which threads wait for blocks.
struct WaitCodes {
  /// A block whose code the stream does not describe.
  static let unknown = RecordedCode(
    TraceSubject(name: nil, image: nil, signature: "v@?", address: nil), nil)

  private var codes: [SubmissionWay: RecordedCode] = [:]

  mutating func code(for way: SubmissionWay) -> RecordedCode {
    if let known = codes[way] { return known }
    let made = RecordedCode(
      TraceSubject(
        name: way.function, image: nil, signature: TraceSubject.noSignature, address: nil),
      nil, .wait)
    codes[way] = made
    return made
  }
}
