internal import BlockABI

/// What records say of the functions in which threads wait for blocks.
enum WaitCodes {
  /// A block whose code the stream does not describe.
  static let unknown = RecordedCode(
    TraceSubject(name: nil, image: nil, signature: "v@?", address: nil), nil)

  /// The code of each function.
  static let all = Dictionary(
    uniqueKeysWithValues: SubmissionWay.allCases.map { way in
      let subject = TraceSubject(
        name: way.function, image: nil, signature: TraceSubject.noSignature, address: nil)
      return (way, RecordedCode(subject, nil, .wait))
    })
}
