extension TypeEncoding {
  /// The encoding `^v`.
  static var voidPointer: TypeEncoding { TypeEncoding(.pointer(TypeEncoding(.primitive(.void)))) }

  /// The encoding `r^v`.
  static var constVoidPointer: TypeEncoding {
    TypeEncoding(qualifiers: [.const], voidPointer.type)
  }
}

// SAFETY: the unsafe conformances in this file use types only, never a value or an address.

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

/// A pointer type whose pointee reflection needs.
protocol PointerToType {
  /// The type that the pointer points to.
  static var pointeeType: Any.Type { get }

  /// Whether the pointer does not allow writing to the pointee.
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
  /// The encoding `r*` for characters, otherwise `r^` and the pointee; `r^v` if the pointee has no
  /// encoding.
  public static var typeEncoding: TypeEncoding {
    SwiftTypeEncoder().pointer(to: Pointee.self, isConstant: true)
  }
}

extension UnsafeMutablePointer: @unsafe TypeEncodable {
  /// The encoding `*` for characters, otherwise `^` and the pointee; `^v` if the pointee has no
  /// encoding.
  public static var typeEncoding: TypeEncoding {
    SwiftTypeEncoder().pointer(to: Pointee.self, isConstant: false)
  }
}

/// An Optional of any type.
package protocol OptionalType {
  /// The type that the optional wraps.
  static var wrappedType: Any.Type { get }

  /// Creates nil.
  init(nilLiteral: ())

  /// Whether the value is nil.
  var isNil: Bool { get }
}

extension Optional: OptionalType {
  package static var wrappedType: Any.Type { Wrapped.self }

  package var isNil: Bool { self == nil }
}
