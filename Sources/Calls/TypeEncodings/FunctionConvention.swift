/// A calling convention of Swift's function types.
package enum FunctionConvention: UInt8 {
  case swift, block, thin, c

  /// Reads the convention of a type; nil if it is not a function type.
  ///
  /// Specification: https://github.com/swiftlang/swift/blob/main/docs/ABI/TypeMetadata.rst
  @inlinable
  package init?(of type: Any.Type) {
    // SAFETY: a metatype is the address of its metadata, whose first word is the kind; the second
    // word of a function type's metadata holds its flags, with the convention in bits 16 to 23.
    let metadata = unsafe unsafeBitCast(type, to: UnsafeRawPointer.self)
    let functionKind = 0x302
    guard unsafe metadata.load(as: Int.self) == functionKind else { return nil }
    let flags = unsafe metadata.load(fromByteOffset: 8, as: Int.self)
    self.init(rawValue: UInt8(truncatingIfNeeded: flags >> 16))
  }
}
