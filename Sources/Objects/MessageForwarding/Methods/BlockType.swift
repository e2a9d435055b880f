/// Swift's block types, whose values generic code must not copy on Linux.
@usableFromInline
enum BlockType {
  /// Whether a type is a block type; evaluated by the compiler for common types.
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

  /// Whether a type is a block type.
  ///
  /// Optionals of block types need no check: Swift does not support them on Linux.
  @usableFromInline
  static func isBlock(any type: Any.Type) -> Bool {
    // SAFETY: a metatype is the address of its metadata, whose first word is the kind; the second
    // word of a function type's metadata holds its flags, with the convention in bits 16 to 23.
    let metadata = unsafe unsafeBitCast(type, to: UnsafeRawPointer.self)
    guard unsafe metadata.load(as: Int.self) == 0x302 else { return false }
    return unsafe metadata.load(fromByteOffset: 8, as: Int.self) >> 16 & 0xFF == 1
  }
}
