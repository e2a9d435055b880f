internal import Invocations
internal import TypeEncodings

/// What the values of a type consist of: determined once for all values.
final class ValueShape: Sendable {
  enum Content: Sendable {
    /// Members, without bit-fields of zero width.
    case structure([ValueShape])
    case array(count: Int, ValueShape)
    /// A union's bytes.
    case bytes(Int)
    case bits(BitFieldEncoding)
    /// A value without parts.
    case single(TypeEncoding, size: Int)
    /// No value can be read.
    case unknown(TypeEncoding)
  }

  let content: Content

  private init(_ content: Content) { self.content = content }

  /// Determines a type's shape.
  ///
  /// - Parameters:
  ///   - encoding: The type.
  ///   - layout: Its layout.
  ///   - isArgument: Whether an array is a pointer.
  init(_ encoding: TypeEncoding, _ layout: TypeLayout, isArgument: Bool = false) {
    switch encoding.type {
    case .structure(let record): content = .structure(Self.members(of: record, layout))
    case .array(let count, let element) where !isArgument:
      guard let layout = try? element.layout() else {
        content = .unknown(element)
        return
      }
      // Empty elements hold nothing, however many there are.
      content = .array(count: layout.size > 0 ? count : 0, ValueShape(element, layout))
    case .union where !encoding.holdsRawPointer(): content = .bytes(layout.size)
    default: content = .single(encoding, size: layout.size)
    }
  }

  private static func members(of record: RecordEncoding, _ layout: TypeLayout) -> [ValueShape] {
    zip(record.fields ?? [], layout.fields).compactMap { field, place in
      if case .bitField(let bits) = field.encoding.type {
        return bits.width > 0 ? ValueShape(.bits(bits)) : nil
      }
      return place.layout.map { ValueShape(field.encoding, $0) }
        ?? ValueShape(.unknown(field.encoding))
    }
  }
}
