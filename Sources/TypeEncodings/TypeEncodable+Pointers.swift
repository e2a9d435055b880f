// SAFETY, for the whole file: only types are looked at, no value and no address.

extension TypeEncoding {
  /// The encoding `^v`.
  static var voidPointer: TypeEncoding { TypeEncoding(.pointer(TypeEncoding(.primitive(.void)))) }

  /// The encoding `r^v`.
  static var constVoidPointer: TypeEncoding {
    TypeEncoding(qualifiers: [.const], voidPointer.type)
  }
}

extension OpaquePointer: @unsafe TypeEncodable {
  /// The encoding `^v`.
  public static var typeEncoding: TypeEncoding { .voidPointer }
}

extension UnsafeMutableRawPointer: @unsafe TypeEncodable {
  /// The encoding `^v`.
  public static var typeEncoding: TypeEncoding { .voidPointer }
}

extension UnsafeRawPointer: @unsafe TypeEncodable {
  /// The encoding `r^v`.
  public static var typeEncoding: TypeEncoding { .constVoidPointer }
}

/// A pointer type of which reflection wants to know the pointee.
protocol PointerToType {
  /// What the pointer points to.
  static var pointeeType: Any.Type { get }

  /// Whether the pointee may not be written through the pointer.
  static var isConstant: Bool { get }
}

extension UnsafePointer: @unsafe PointerToType {
  static var pointeeType: Any.Type { Pointee.self }
  static var isConstant: Bool { true }
}

extension UnsafeMutablePointer: @unsafe PointerToType {
  static var pointeeType: Any.Type { Pointee.self }
  static var isConstant: Bool { false }
}

extension UnsafePointer: @unsafe TypeEncodable {
  /// The encoding `r*` for characters, else `r^` and the pointee, `r^v` where that has no encoding.
  public static var typeEncoding: TypeEncoding {
    SwiftTypeEncoder().pointer(to: Pointee.self, isConstant: true)
  }
}

extension UnsafeMutablePointer: @unsafe TypeEncodable {
  /// The encoding `*` for characters, else `^` and the pointee, `^v` where that has no encoding.
  public static var typeEncoding: TypeEncoding {
    SwiftTypeEncoder().pointer(to: Pointee.self, isConstant: false)
  }
}

/// An optional of which reflection wants to know the wrapped type.
protocol OptionalType {
  /// What the optional wraps.
  static var wrappedType: Any.Type { get }
}

extension Optional: OptionalType {
  static var wrappedType: Any.Type { Wrapped.self }
}
