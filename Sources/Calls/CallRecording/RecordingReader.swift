internal import Invocations
internal import TypeEncodings

/// Reads a recording, record by record.
struct RecordingReader {
  /// A subject with the shapes of its values.
  struct Shapes: Sendable {
    let subject: Recording.Subject

    /// Those of the own arguments.
    let arguments: [ValueShape]
    let result: ValueShape?

    init(_ subject: Recording.Subject, usesStructReturn: Bool?) throws(TypeEncodingError) {
      let signature = subject.signature
      let layouts = try signature.callLayouts(usesStructReturn: usesStructReturn)
      self.subject = subject
      let own = signature.arguments.indices.dropFirst(signature.form == .block ? 1 : 0)
      arguments = own.map { index in
        ValueShape(signature.arguments[index].encoding, layouts.arguments[index], isArgument: true)
      }
      result = layouts.result.map { ValueShape(signature.result, $0) }
    }
  }

  private let bytes: [UInt8]
  private var reader: ByteReader<RecordingError>
  private(set) var subjects: [Shapes] = []
  private(set) var calls: [Recording.Call] = []
  private(set) var droppedCount: Int?

  /// Whether the version has calls that threw.
  private var hasErrors = false

  /// As many parts as any sensible recording has; each takes memory of its own.
  private var partsLeft: Int

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
    reader = ByteReader(bytes[...])
    partsLeft = bytes.count * 8
  }

  /// Reads everything.
  ///
  /// - Throws: As `Recording.init(bytes:allowsTruncation:)`.
  mutating func readAll(allowsTruncation: Bool) throws(RecordingError) {
    do throws(RecordingError) {
      try readHeader()
    } catch {
      if allowsTruncation, error.code == .truncated { return }
      throw error
    }
    while reader.remaining > 0 {
      let place = reader.offset
      guard droppedCount == nil else {
        throw RecordingError(.unexpectedRecord, "bytes follow the end of the recording", at: place)
      }
      guard let body = try nextBody(allowsTruncation: allowsTruncation) else { return }
      var record = ByteReader<RecordingError>(body)
      try readRecord(&record)
      guard record.remaining == 0 else {
        throw RecordingError(
          .invalidValue, "the record has \(record.remaining.of("byte")) too many",
          at: record.offset)
      }
    }
  }

  private mutating func readHeader() throws(RecordingError) {
    guard bytes.starts(with: RecordingFormat.magic) else {
      let isBeginning = RecordingFormat.magic.starts(with: bytes)
      throw isBeginning
        ? RecordingError(.truncated, "the recording ends inside its header", at: bytes.count)
        : RecordingError(.notARecording, "a recording begins with other bytes", at: 0)
    }
    _ = try reader.take(RecordingFormat.magic.count)
    let place = reader.offset
    let version = try reader.integer(UInt32.self)
    guard RecordingFormat.versions.contains(version) else {
      throw RecordingError(
        .unknownVersion,
        "the format's version is \(version), this library knows those up to "
          + "\(RecordingFormat.version)", at: place)
    }
    hasErrors = version > 1
  }

  /// The body of the next record; nil where the rest is to be left out.
  private mutating func nextBody(
    allowsTruncation: Bool
  ) throws(RecordingError) -> ArraySlice<UInt8>? {
    do throws(RecordingError) {
      let length = try reader.integer(UInt32.self)
      let checksum = try reader.integer(UInt32.self)
      let place = reader.offset
      let body = try reader.take(Int(length))
      guard Checksum.of(body) == checksum else {
        throw RecordingError(
          .damaged, "the checksum of the record's \(length.of("byte")) is wrong", at: place)
      }
      return body
    } catch {
      if allowsTruncation, error.code == .truncated { return nil }
      throw error
    }
  }

  private mutating func readRecord(
    _ record: inout ByteReader<RecordingError>
  ) throws(RecordingError) {
    let place = record.offset
    switch RecordingFormat.Kind(rawValue: try record.integer()) {
    case .subject: try readSubject(&record)
    case .call: try readCall(&record)
    case .end:
      _ = try record.integer(UInt64.self)
      droppedCount = Int(clamping: try record.integer(UInt64.self))
    case nil:
      throw RecordingError(
        .unexpectedRecord, "this version of the format has no such record", at: place)
    }
  }

  private mutating func readSubject(
    _ record: inout ByteReader<RecordingError>
  ) throws(RecordingError) {
    let place = record.offset
    guard let flag = RecordingFormat.StructReturn(rawValue: try record.integer()) else {
      throw RecordingError(.invalidValue, "the struct-return flag is of no known sort", at: place)
    }
    let name = try record.text()
    let signaturePlace = record.offset
    let text = try record.text()
    do {
      let signature = try MethodSignature(parsing: text)
      subjects.append(
        try Shapes(
          Recording.Subject(name: name, signature: signature, index: subjects.count),
          usesStructReturn: flag.flag))
    } catch {
      throw RecordingError(
        .invalidSignature, "the signature \(text) cannot be used: \(error.message)",
        at: signaturePlace)
    }
  }

  private mutating func readCall(_ record: inout ByteReader<RecordingError>) throws(RecordingError)
  {
    let place = record.offset
    let index = Int(try record.integer(UInt32.self))
    guard index < subjects.count else {
      throw RecordingError(
        .invalidValue, "a call is of subject \(index), there are \(subjects.count)", at: place)
    }
    let shapes = subjects[index]
    let number = try record.integer(UInt64.self)
    let flagPlace = record.offset
    let flag = try record.integer(UInt8.self)
    guard let ending = RecordingFormat.Ending(rawValue: flag), hasErrors || ending != .error else {
      throw RecordingError(.invalidValue, "\(flag) does not say how a call ended", at: flagPlace)
    }
    guard ending != .result || shapes.result != nil else {
      throw RecordingError(.invalidValue, "a call of a void block has a result", at: flagPlace)
    }
    var decoder = ValueDecoder(reader: record, partsLeft: partsLeft)
    defer {
      partsLeft = decoder.partsLeft
      record = decoder.reader
    }
    var arguments: [CValue] = []
    for shape in shapes.arguments { arguments.append(try decoder.value(shape)) }
    var result: CValue?
    if ending == .result, let shape = shapes.result { result = try decoder.value(shape) }
    let error = ending == .error ? try RecordedError(&decoder.reader) : nil
    calls.append(
      Recording.Call(
        subject: shapes.subject, number: number, arguments: arguments, result: result, error: error)
    )
  }
}
