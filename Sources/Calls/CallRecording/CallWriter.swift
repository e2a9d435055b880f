internal import Invocations
private import TypeEncodings

/// Writes the calls of one block as bodies of records.
struct CallWriter: Sendable {
  let subject: UInt32
  let codec: RecordingCodec

  /// The own arguments, encoded; nil if an argument cannot be encoded.
  func arguments(of call: borrowing CallFrame) -> [UInt8]? {
    // SAFETY: the slots are used during the call only.
    let signature = call.signature
    var encoder = ValueEncoder(References(codec: codec))
    let hidden = signature.form == .block ? 1 : 0
    for index in signature.arguments.indices.dropFirst(hidden) {
      encoder.references.index = index
      do {
        unsafe try encoder.encode(try call.argumentSlot(index))
      } catch { return nil }
    }
    return encoder.bytes
  }

  /// The body of a call's record; nil if the result or an argument cannot be encoded.
  func body(
    _ number: UInt64, _ arguments: [UInt8]?, hasResult: Bool, of call: borrowing CallFrame
  ) -> [UInt8]? {
    guard let arguments else { return nil }
    // SAFETY: the slot is used during the call only.
    let slot = unsafe hasResult ? try? call.memory.resultSlot() : nil
    var bytes = unsafe start(number, slot == nil ? .nothing : .result, arguments)
    if let slot = unsafe slot {
      var encoder = ValueEncoder(References(codec: codec))
      do { unsafe try encoder.encode(slot) } catch { return nil }
      bytes += encoder.bytes
    }
    return bytes
  }

  /// The body of the record of a call that has ended later; nil where an argument cannot be
  /// encoded.
  func body(
    _ number: UInt64, _ arguments: [UInt8]?, awaited result: Result<Any, any Error>
  ) -> [UInt8]? {
    guard let arguments else { return nil }
    switch result {
    case .failure(let error): return body(number, arguments, threw: error)
    case .success(let value):
      var bytes = start(number, .result, arguments)
      References(codec: codec).append(.object(SwiftValue(value)), "\(type(of: value))", to: &bytes)
      return bytes
    }
  }

  /// The body of the record of a call that threw; nil where an argument cannot be encoded.
  func body(_ number: UInt64, _ arguments: [UInt8]?, threw error: any Error) -> [UInt8]? {
    guard let arguments else { return nil }
    var bytes = start(number, .error, arguments)
    return RecordedError(error).append(to: &bytes) ? bytes : nil
  }

  private func start(
    _ number: UInt64, _ ending: RecordingFormat.Ending, _ arguments: [UInt8]
  ) -> [UInt8] {
    var bytes = [RecordingFormat.Kind.call.rawValue]
    bytes.append(littleEndian: subject)
    bytes.append(littleEndian: number)
    bytes.append(ending.rawValue)
    return bytes + arguments
  }

  /// Writes references as the bytes that the codec makes of them, or else as text.
  private struct References: ReferenceEncoder {
    static let distrustsMemory = true

    let codec: RecordingCodec
    var index: Int?

    mutating func encode(reference slot: ValueSlot, to bytes: inout [UInt8]) {
      // SAFETY: the slot contains a reference, or is a union, of a call that is in progress.
      if unsafe slot.kind != .union, unsafe slot.pointerValue == nil {
        return bytes.append(RecordingFormat.Reference.null.rawValue)
      }
      unsafe append(try? slot.value(), slot.text, to: &bytes)
    }

    func append(_ value: CValue?, _ text: @autoclosure () -> String, to bytes: inout [UInt8]) {
      let start = bytes.count
      if let value, let encoded = codec.encode(index, value) {
        bytes.append(RecordingFormat.Reference.encoded.rawValue)
        if bytes.append(counted: encoded) { return }
        bytes.removeSubrange(start...)
      }
      bytes.append(RecordingFormat.Reference.described.rawValue)
      if !bytes.append(counted: text().utf8) { bytes.append(littleEndian: UInt32(0)) }
    }
  }
}
