internal import Invocations
internal import TypeEncodings

/// Reads a recording, record by record.
struct RecordingReader {
  /// A subject with the layouts of its values.
  struct Layouts: Sendable {
    let subject: Recording.Subject
    private let all: (arguments: [TypeLayout], result: TypeLayout?)

    init(_ subject: Recording.Subject, usesStructReturn: Bool?) throws(TypeEncodingError) {
      self.subject = subject
      all = try subject.signature.callLayouts(usesStructReturn: usesStructReturn)
    }

    var hasResult: Bool { all.result != nil }

    /// Reads the own arguments of a call.
    func arguments(_ decoder: inout ValueDecoder) throws(RecordingError) -> [CValue] {
      let arguments = subject.signature.arguments
      var values: [CValue] = []
      for index in arguments.indices.dropFirst(subject.signature.form == .block ? 1 : 0) {
        values.append(
          try decoder.value(arguments[index].encoding, all.arguments[index], isArgument: true))
      }
      return values
    }

    /// Reads the result of a call.
    func result(_ decoder: inout ValueDecoder) throws(RecordingError) -> CValue {
      try decoder.value(subject.signature.result, all.result)
    }
  }

  private let bytes: [UInt8]
  private var reader: ByteReader<RecordingError>
  private(set) var subjects: [Layouts] = []
  private(set) var calls: [Recording.Call] = []
  private(set) var droppedCount: Int?

  /// Whether the version has calls that threw.
  private var hasErrors = false

  /// How many more parts the values may have, of which each takes memory: as many as any sensible
  /// recording has.
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

  /// The body of the next record; nil if the rest is to be left out.
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
    let flags = RecordingFormat.structReturnFlags
    let flag = Int(try record.integer(UInt8.self))
    guard flags.indices.contains(flag) else {
      throw RecordingError(.invalidValue, "the struct-return flag is of no known sort", at: place)
    }
    let name = try record.text()
    let signaturePlace = record.offset
    let text = try record.text()
    do {
      let signature = try MethodSignature(parsing: text)
      subjects.append(
        try Layouts(
          Recording.Subject(name: name, signature: signature, index: subjects.count),
          usesStructReturn: flags[flag]))
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
    let layouts = subjects[index]
    let number = try record.integer(UInt64.self)
    let flagPlace = record.offset
    let flag = try record.integer(UInt8.self)
    guard let ending = RecordingFormat.Ending(rawValue: flag), hasErrors || ending != .error else {
      throw RecordingError(.invalidValue, "\(flag) does not say how a call ended", at: flagPlace)
    }
    guard ending != .result || layouts.hasResult else {
      throw RecordingError(.invalidValue, "a call of a void block has a result", at: flagPlace)
    }
    var decoder = ValueDecoder(reader: record, partsLeft: partsLeft)
    defer {
      partsLeft = decoder.partsLeft
      record = decoder.reader
    }
    let arguments = try layouts.arguments(&decoder)
    let result = ending == .result ? try layouts.result(&decoder) : nil
    let error = ending == .error ? try RecordedError(&decoder.reader) : nil
    calls.append(
      Recording.Call(
        subject: layouts.subject, number: number, arguments: arguments, result: result, error: error
      )
    )
  }
}
