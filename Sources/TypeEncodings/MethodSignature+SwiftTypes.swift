extension MethodSignature {
  /// Derives the signature of a `@convention(block)` or `@convention(c)` function type.
  ///
  /// - Parameter type: The function type; only the type is inspected, never a value.
  /// - Throws: `unsupportedSwiftType` where it is no such type, or where a parameter or the result
  ///   has no counterpart in C; `layoutMismatch` as `TypeEncoding.init(of:)`.
  public init(ofFunction type: Any.Type) throws(TypeEncodingError) {
    let encoder = SwiftTypeEncoder()
    guard let function = SwiftTypeMetadata(type).function else {
      throw encoder.refusal(type, "only functions that neither throw nor suspend are known to C")
    }
    switch function.convention {
    case .block: arguments = [Argument(TypeEncoding(.block(nil)))]
    case .c: arguments = []
    case .swift, .thin:
      throw encoder.refusal(
        type, "a Swift closure is no C type; declare it @convention(block) or (c)")
    }
    result = try encoder.encoding(of: function.result)
    for parameter in function.parameters {
      arguments.append(Argument(try encoder.encoding(of: parameter)))
    }
  }
}
