public import Invocations

/// One recorded argument or result.
public struct RecordedValue: @unchecked Sendable {
  // SAFETY: what is decoded from bytes holds numbers, text and bytes, never an object or a block.

  enum Content {
    /// A number, text, a union's bytes, or a null pointer.
    case plain(BoxedValue)
    /// Text that could not be read when it was recorded.
    case unreadable
    /// A pointer, an object, a block or a union that may hold one, as text.
    case described(String)
    /// The same, as a codec wrote it.
    case encoded([UInt8])
    case structure([RecordedValue])
    case array([RecordedValue])
  }

  let content: Content

  init(_ content: Content) { self.content = content }

  /// The value, nil where it holds what was only described, or needs a codec.
  public var boxed: BoxedValue? {
    do { return try boxed(nil, nil) } catch { return nil }
  }

  /// The value, with the help of a codec.
  ///
  /// - Throws: Why it cannot be had.
  func boxed(_ codec: RecordingCodec?, _ index: Int?) throws(NotReplayable) -> BoxedValue {
    switch content {
    case .plain(let value): return value
    case .unreadable: throw NotReplayable("a C string could not be read when it was recorded")
    case .described(let text): throw NotReplayable("\(text) was described, not recorded")
    case .encoded(let bytes):
      guard let codec else { throw NotReplayable("\(bytes.count) bytes need a codec") }
      guard let value = codec.decode(index, bytes) else {
        throw NotReplayable("the codec makes nothing of \(bytes.count) bytes")
      }
      return value
    case .structure(let members): return .structure(try Self.boxed(members, codec, index))
    case .array(let elements): return .array(try Self.boxed(elements, codec, index))
    }
  }

  private static func boxed(
    _ parts: [RecordedValue], _ codec: RecordingCodec?, _ index: Int?
  ) throws(NotReplayable) -> [BoxedValue] {
    var values: [BoxedValue] = []
    for part in parts { values.append(try part.boxed(codec, index)) }
    return values
  }

  /// Why a value cannot be replayed.
  struct NotReplayable: Error {
    let reason: String

    init(_ reason: String) { self.reason = reason }
  }
}

extension RecordedValue: CustomStringConvertible {
  /// The value as a person reads it.
  public var description: String {
    switch content {
    case .plain(let value): value.shortText
    case .unreadable: "unreadable"
    case .described(let text): text.onOneLine
    case .encoded(let bytes): "encoded(\(bytes.hexadecimal))"
    case .structure(let members): "{\(members.map(\.description).joined(separator: ", "))}"
    case .array(let elements): "[\(elements.map(\.description).joined(separator: ", "))]"
    }
  }
}

extension BoxedValue {
  /// The value as a person reads it.
  var shortText: String {
    switch self {
    case .void: "void"
    case .bool(let value): "\(value)"
    case .integer(let value): "\(value)"
    case .unsignedInteger(let value): "\(value)"
    case .float(let value): "\(value)"
    case .double(let value): "\(value)"
    case .longDouble(let value): "\(value)"
    case .complex(let real, let imaginary): "\(real)\(imaginary < 0 ? "" : "+")\(imaginary)i"
    case .cString(let text): text.map { "\($0.debugDescription)" } ?? "null"
    case .bytes(let bytes): "bytes(\(bytes.hexadecimal))"
    case .pointer(0): "null"
    case .pointer(let address): "pointer 0x\(String(address, radix: 16))"
    case .object(let object): object.map { "object \(type(of: $0))" } ?? "null"
    case .block(let block): block.map { "\($0)" } ?? "null"
    case .structure(let members): "{\(members.map(\.shortText).joined(separator: ", "))}"
    case .array(let elements): "[\(elements.map(\.shortText).joined(separator: ", "))]"
    case .member(let index, let value): "member \(index): \(value.shortText)"
    }
  }
}

extension String {
  /// The text with spaces in place of control characters: a file may hold anything.
  var onOneLine: String {
    String(decoding: utf8.map { $0 < 0x20 || $0 == 0x7F ? 0x20 : $0 }, as: UTF8.self)
  }
}

extension [UInt8] {
  /// Two digits for each byte.
  fileprivate var hexadecimal: String {
    map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }
}
