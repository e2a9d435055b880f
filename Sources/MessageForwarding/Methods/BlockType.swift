/// Swift's block types, values of which must not be copied by generic code on Linux.
@usableFromInline
enum BlockType {
  /// Whether a type is one; known to the compiler for common types.
  @inlinable
  @inline(__always)
  static func isBlock<Value>(_ type: Value.Type) -> Bool {
    if Value.self == Int.self || Value.self == Int32.self || Value.self == Double.self
      || Value.self == String.self || Value.self == Bool.self || Value.self == Void.self
      || Value.self == Int64.self || Value.self == UInt64.self || Value.self == Float.self
    {
      return false
    }
    return isBlock(any: type)
  }

  /// Whether a type is one; no value is touched.
  ///
  /// Swift itself makes no optional of one on Linux.
  @usableFromInline
  static func isBlock(any type: Any.Type) -> Bool {
    // SAFETY: a metatype is the address of its metadata, whose first word is the kind; the second
    // word of a function type's metadata holds its flags, with the convention in bits 16 to 23.
    let metadata = unsafe unsafeBitCast(type, to: UnsafeRawPointer.self)
    guard unsafe metadata.load(as: Int.self) == 0x302 else { return false }
    return unsafe metadata.load(fromByteOffset: 8, as: Int.self) >> 16 & 0xFF == 1
  }
}
