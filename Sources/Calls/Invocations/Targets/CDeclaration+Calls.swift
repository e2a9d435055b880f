package import TypeEncodings

extension CDeclaration {
  /// Whether a word of a command line is a function's declaration rather than its name.
  package static func isWritten(_ word: String) -> Bool { word.contains("(") }

  /// Reads the declaration of a function with its name.
  ///
  /// - Parameters:
  ///   - text: The declaration.
  ///   - types: Swift types that it names.
  ///   - variadic: The types of the arguments that are passed in place of `...`.
  /// - Returns: The name, the signature of what is passed, and, for a variadic function, how many
  ///   arguments are declared.
  /// - Throws: `invalidSignature`, with the declaration's error.
  package static func function(
    _ text: String, types: [Any.Type] = [], variadic: [Any.Type] = []
  ) throws(InvocationError) -> (name: String, signature: MethodSignature, fixedCount: Int?) {
    do throws(TypeEncodingError) {
      let declaration = try CDeclaration(text, types: types)
      var signature = try declaration.requiredSignature(of: text)
      guard declaration.kind == .function, let name = declaration.name else {
        throw TypeEncodingError(
          code: .noFunction,
          message: declaration.name == nil
            ? "the declaration does not name the function; write the name before the parameters"
            : "this declares a variable; a function has its parameters behind its name",
          input: text)
      }
      for type in variadic { signature.arguments.append(.init(try TypeEncoding(of: type))) }
      guard variadic.isEmpty || declaration.fixedArgumentCount != nil else {
        throw TypeEncodingError(
          code: .argumentCount,
          message: "\(name) takes no further arguments; write ... behind its parameters",
          input: text)
      }
      return (name, signature, declaration.fixedArgumentCount)
    } catch { throw InvocationError(error) }
  }

  /// The interface of a declared function whose calls are hooked.
  ///
  /// - Throws: The errors of `function(_:types:variadic:)`; `unsupportedType`.
  package static func hookedFunction(
    _ text: String, types: [Any.Type] = []
  ) throws(InvocationError) -> (name: String, interface: CallInterface) {
    let (name, signature, fixedCount) = try function(text, types: types)
    return (name, try .hooked(name, signature, isVariadic: fixedCount != nil))
  }

  /// Reads the declaration of a block or function that a closure becomes.
  ///
  /// - Parameters:
  ///   - text: The declaration, with or without a name.
  ///   - types: Swift types that it names.
  ///   - hiddenCount: 1 for a block, which is argument 0, else 0.
  /// - Returns: The signature, and whether more arguments may be passed than it lists.
  /// - Throws: `invalidSignature`.
  static func closure(
    _ text: String, types: [Any.Type], hiddenCount: Int
  ) throws(InvocationError) -> (MethodSignature, isVariadic: Bool) {
    do throws(TypeEncodingError) {
      let declaration = try CDeclaration(text, types: types)
      let signature = try declaration.requiredSignature(of: text)
      let isBlock = declaration.kind == .block
      guard isBlock == (hiddenCount == 1) else {
        throw TypeEncodingError(
          code: .noFunction,
          message: isBlock
            ? "this declares a block; write (*) in place of (^), or make a Block"
            : "this declares no block; write (^) before the parameters, as in int (^)(int)",
          input: text)
      }
      return (signature, declaration.fixedArgumentCount != nil)
    } catch { throw InvocationError(error) }
  }
}

extension CallInterface {
  /// The interface of a function whose calls are hooked.
  ///
  /// - Throws: `unsupportedType`.
  static func hooked(
    _ name: String, _ signature: MethodSignature, isVariadic: Bool
  ) throws(InvocationError) -> CallInterface {
    guard isVariadic else { return try cached(for: signature) }
    return try CallInterface(
      signature, isVariadic: true, format: VariadicFunction.format(of: name))
  }

  /// The interface of a function whose calls are hooked, by its encoding: that of a variadic
  /// function is followed by three dots.
  ///
  /// - Throws: `invalidSignature`, `unsupportedType`.
  package static func hooked(
    _ name: String, _ encoding: String
  ) throws(InvocationError) -> CallInterface {
    guard encoding.hasSuffix("...") else { return try of(encoding) }
    return try hooked(name, of(String(encoding.dropLast(3))).signature, isVariadic: true)
  }
}
