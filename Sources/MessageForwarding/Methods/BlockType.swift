/// Swift's block types, values of which must not be copied by generic code on Linux.
@usableFromInline
enum BlockType {
  /// Whether a type is one, or an optional one; no value is touched.
  @usableFromInline
  static func isBlock(_ type: Any.Type) -> Bool {
    // SAFETY: a metatype is the address of its metadata, whose first word is the kind; the second
    // word of a function type's metadata holds its flags, with the convention in bits 16 to 23.
    let metadata = unsafe unsafeBitCast(type, to: UnsafeRawPointer.self)
    guard unsafe metadata.load(as: Int.self) == 0x302 else { return false }
    return unsafe metadata.load(fromByteOffset: 8, as: Int.self) >> 16 & 0xFF == 1
  }
}
