#if Database
internal import CallMemoization
internal import Invocations
internal import TypeEncodings

/// The results of one hook, or the values of a cache, in a database.
///
/// A caller's coding runs on the thread of the call, without a lock held.
struct StoredResults: MemoTier {
  private let writer: Writer
  private let name: String
  private let scope: ResultScope

  /// How results that are objects are stored, and the name of their type.
  private let coding: ResultCoding?
  private let typeName: String?

  /// Decodes a caller's key; nil if the arguments are the key.
  private let decodeKey: (@Sendable ([UInt8]) -> AnyHashable?)?

  /// Creates a store of results of blocks with a signature, or of bytes without one.
  ///
  /// The parts distinguish results whose keys or values differ in their form.
  init(
    _ database: MemoDatabase, named name: String, version: Int, _ signature: StorableSignature?,
    parts: [String], decodeKey: (@Sendable ([UInt8]) -> AnyHashable?)? = nil
  ) {
    writer = database.writer
    self.name = name
    coding = signature?.coding
    typeName = signature?.signature.result.swiftValueTypeName
    self.decodeKey = decodeKey
    let types = signature.map { [$0.signature.description] } ?? []
    scope = ResultScope(
      name: name, version: version, parts: types + parts + [coding?.name ?? ""])
  }

  func code(arguments: [CValue]) -> [UInt8]? {
    CodedValue.encode(.array(arguments), ArgumentObject.encode)
  }

  func find(_ key: [UInt8]) -> (answer: MemoAnswer?, ticket: MemoTicket) {
    let key = RowKey(scope: scope, key: key)
    let (found, ticket) = writer.find(key)
    guard let (row, age) = found, let result = decode(row) else {
      return (nil, ticket)
    }
    return (MemoAnswer(result: result, cost: Int(row.cost), age: age), ticket)
  }

  func ticket(of key: [UInt8]) -> MemoTicket {
    writer.find(RowKey(scope: scope, key: key), isUse: false).ticket
  }

  var time: Int64 { writer.time() }

  func keep(
    _ key: [UInt8], _ result: CValue, cost: Int, at time: Int64, since ticket: MemoTicket
  ) {
    var row: StoredRow?
    do {
      if let bytes = try CodedValue.encode(result, { try coding?.encode($0) }),
        bytes.count + key.count < Self.maximumSize
      {
        row = StoredRow(value: bytes, cost: Int64(cost), written: time)
      }
    } catch {
      writer.fail(
        MemoizationError(
          .databaseFailed, "a result of \(name) cannot be coded: \(error)", underlying: error)
      )
    }
    writer.keep(RowKey(scope: scope, key: key), row, since: ticket)
  }

  func remove(_ keys: [[UInt8]]) -> Int {
    writer.remove(keys.map { RowKey(scope: scope, key: $0) })
  }

  func removeAll() { writer.clear(.scope(scope)) }

  func forEach(_ body: ([UInt8], MemoizedCall) throws -> Void) rethrows {
    try writer.forEach(in: scope) { key, row in
      guard let result = decode(row) else { return }
      var arguments: [CValue] = []
      if decodeKey == nil {
        guard case .array(let values)? = try? CodedValue.decode(key.key, ArgumentObject.decode)
        else {
          return
        }
        arguments = values
      }
      try body(
        key.key,
        MemoizedCall(
          arguments: arguments, key: decodeKey?(key.key), result: result, cost: Int(row.cost)))
    }
  }

  func attach(_ memory: any MemoMemory) { writer.attach(memory, of: scope) }

  /// The largest size of a result: less than the billion bytes that SQLite stores in a row by
  /// default, to leave room for the other rows of a batch.
  private static let maximumSize = 256 << 20

  /// The result of a row; nil for a row that is no result of the block, which is counted.
  private func decode(_ row: StoredRow) -> CValue? {
    do {
      return try CodedValue.decode(row.value) { try coding?.decode($0, typeName) }
    } catch is CodedValue.Damage {
      // The failure is only counted.
    } catch {
      writer.fail(
        MemoizationError(
          .databaseFailed, "a result of \(name) cannot be decoded: \(error)",
          underlying: error))
    }
    writer.countDamage()
    return nil
  }
}
#endif
