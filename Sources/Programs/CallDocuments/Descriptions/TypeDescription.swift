import TypeEncodings

/// The description of an encoded type that `hook-demo encoding` and `signature` print.
struct TypeDescription {
  /// The type's encoding, qualifiers included.
  let encoding: TypeEncoding

  /// The size and alignment, nil if the type has no layout.
  let extent: TypeLayout?

  /// Why there is no layout, or why it may be wrong.
  var note: String?

  let contents: Contents

  /// The parts of a type.
  indirect enum Contents {
    case nothing
    case fields([Field])
    case elements(count: Int, element: TypeDescription)
    case pointee(TypeDescription?)
    case bits(offset: Int?, width: Int)
  }

  /// A member of a record.
  struct Field {
    /// The name, nil if the encoding does not contain it.
    let name: String?

    /// The offset in bytes from the start of the record; nil if it is unknown.
    let offset: Int?

    let type: TypeDescription
  }

  /// Describes a type.
  ///
  /// - Parameters:
  ///   - encoding: The type.
  ///   - layout: Its layout, if its context determines it; by default it is computed from the type.
  init(_ encoding: TypeEncoding, layout: TypeLayout? = nil) {
    if case .bitField(let bits) = encoding.type {
      self.init(encoding, bits: bits, bitOffset: bits.placement?.bitOffset)
      return
    }
    if let layout {
      self.init(encoding, layout: layout, note: nil)
      return
    }
    do throws(TypeEncodingError) {
      self.init(encoding, layout: try encoding.layout(), note: nil)
    } catch {
      self.init(encoding, layout: nil, note: error.message)
    }
  }

  /// Describes a type with its layout, or with the reason why it has none.
  init(_ encoding: TypeEncoding, layout: TypeLayout?, note: String?) {
    self.encoding = encoding
    self.note = note
    extent = layout
    if let (count, element) = encoding.listedElements {
      contents = .elements(count: count, element: TypeDescription(element))
      return
    }
    switch encoding.type {
    case .structure(let record):
      contents = .fields(Self.fields(of: record, layout, isUnion: false))
    case .union(let record):
      contents = .fields(Self.fields(of: record, layout, isUnion: true))
    case .pointer(let pointee):
      let isKnown = pointee.type != .unknown && pointee.type != .vanished
      contents = .pointee(isKnown ? TypeDescription(pointee) : nil)
    default:
      contents = .nothing
    }
  }

  /// Describes a bit-field, by its declared type.
  private init(_ encoding: TypeEncoding, bits: BitFieldEncoding, bitOffset: Int?) {
    self.encoding = encoding
    contents = .bits(offset: bitOffset, width: bits.width)
    guard let placement = bits.placement else {
      extent = nil
      note =
        "the bit-field does not say its declared type; write it as b<offset><type><width> if it "
        + "has a name, or pass the record by pointer"
      return
    }
    let declared = TypeDescription(TypeEncoding(.primitive(placement.base)))
    extent = declared.extent
    note = declared.note
  }

  /// The record's name, nil if the type is an anonymous record or not a record.
  var recordName: String? { encoding.record?.name }

  /// The members of a record; without a layout, only with the offsets that the encoding contains.
  private static func fields(
    of record: RecordEncoding, _ layout: TypeLayout?, isUnion: Bool
  ) -> [Field] {
    (record.fields ?? []).enumerated().map { index, field in
      let place = layout.flatMap { $0.fields.indices.contains(index) ? $0.fields[index] : nil }
      if case .bitField(let bits) = field.encoding.type {
        let bitOffset = isUnion ? 0 : place?.bitOffset ?? bits.placement?.bitOffset
        return Field(
          name: field.name, offset: bitOffset.map { $0 / 8 },
          type: TypeDescription(field.encoding, bits: bits, bitOffset: bitOffset))
      }
      return Field(
        name: field.name, offset: isUnion ? 0 : place?.offset,
        type: TypeDescription(field.encoding, layout: place?.layout))
    }
  }
}
