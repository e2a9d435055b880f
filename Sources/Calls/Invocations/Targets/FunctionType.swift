internal import TypeEncodings

/// Checks of Swift's types of C functions.
enum FunctionType {
  /// Checks that a Swift type is the type of C functions of a signature.
  ///
  /// - Throws: `typeMismatch`, with the differences.
  static func require(
    _ type: Any.Type, of signature: MethodSignature
  ) throws(InvocationError) {
    let cSignature: MethodSignature
    do throws(TypeEncodingError) {
      guard try TypeEncoding(of: type).kind == .functionPointer else {
        throw TypeEncodingError(
          code: .unsupportedSwiftType, message: "use @convention(c)", input: "\(type)")
      }
      cSignature = try MethodSignature(ofFunction: type)
    } catch {
      throw InvocationError(
        .typeMismatch, "\(type) is not a @convention(c) function type of C types: \(error.message)",
        underlying: error)
    }
    let differences = cSignature.differences(from: signature, ours: "\(type)", theirs: "function")
    guard differences.isEmpty else {
      throw InvocationError(
        .typeMismatch, differences.map(\.description).joined(separator: "; "))
    }
  }
}
