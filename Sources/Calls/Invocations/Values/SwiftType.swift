private import BlockRuntimeThreads
internal import TypeEncodings

/// Checks of Swift types, which are made before a value of the type is accessed.
enum SwiftType {
  private static let encodings = GatedLock<[ObjectIdentifier: TypeEncoding]>([:])

  /// The encoding of a Swift type, which is computed once.
  ///
  /// - Throws: `typeMismatch` if the type has none.
  static func encoding(of type: Any.Type) throws(InvocationError) -> TypeEncoding {
    let key = ObjectIdentifier(type)
    if let known = encodings.withLock({ $0[key] }) { return known }
    let encoding: TypeEncoding
    do {
      encoding = try TypeEncoding(of: type)
    } catch {
      throw InvocationError(.typeMismatch, error.message, underlying: error)
    }
    encodings.withLock { $0[key] = encoding }
    return encoding
  }

  /// Whether values of the type are references to objects.
  static func isObject(_ type: Any.Type) -> Bool {
    type is AnyClass || type == AnyObject.self
  }

  /// Whether a Swift type asks for a value of any type.
  static func isAny(_ type: Any.Type) -> Bool { type == Any.self || type == Any?.self }

  /// Refuses closures: a value of a block type must not be copied by generic code on Linux.
  ///
  /// - Throws: `typeMismatch`.
  static func refuseFunctions(_ type: Any.Type) throws(InvocationError) {
    if FunctionConvention(of: type) != nil {
      throw InvocationError(
        .typeMismatch,
        "\(type) is a closure type; pass or ask for a Block, made with Block(closure), or a FunctionPointer"
      )
    }
  }
}
