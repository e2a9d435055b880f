internal import TypeEncodings

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
  static func isBlock(any type: Any.Type) -> Bool { FunctionConvention(of: type) == .block }
}
