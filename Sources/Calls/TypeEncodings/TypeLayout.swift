/// The size, alignment and field offsets that the C compiler gives a type on this platform.
public struct TypeLayout: Hashable, Sendable {
  /// The size in bytes, as `sizeof`.
  public var size: Int

  /// The alignment in bytes, as `_Alignof`.
  public var alignment: Int

  /// The members of a structure or union, in the encoding's order; empty for other types.
  public var fields: [Field]

  /// The position of one member.
  public struct Field: Hashable, Sendable {
    /// The offset from the start of the record, in bytes; for a bit-field, that of the byte with
    /// its first bit.
    public var offset: Int

    /// The first bit, counted from the start of the record, of a bit-field; nil for other members.
    public var bitOffset: Int?

    /// The member's own layout; for a bit-field that of its declared type, nil if that is unknown.
    public var layout: TypeLayout?

    /// Whether the encoding settles the position; if not, the field cannot be read or written.
    public internal(set) var isSettled = true

    /// Creates a field's position.
    public init(offset: Int, bitOffset: Int? = nil, layout: TypeLayout?) {
      self.offset = offset
      self.bitOffset = bitOffset
      self.layout = layout
    }
  }

  /// Creates a layout.
  public init(size: Int, alignment: Int, fields: [Field] = []) {
    self.size = size
    self.alignment = alignment
    self.fields = fields
  }
}
