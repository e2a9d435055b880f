package import TypeEncodings

extension CallInterface {
  /// The interface of a type encoding, from a cache.
  ///
  /// The cache has room for about a thousand interfaces; then new ones replace others, which are
  /// made again when needed.
  ///
  /// - Parameter encoding: The type encoding of a block or function, such as `i@?id` or `ddd`.
  /// - Returns: The interface, usually the same object for the same encoding.
  /// - Throws: `invalidSignature`, `unsupportedType`.
  public static func of(_ encoding: String) throws(InvocationError) -> CallInterface {
    try cached(encoding, usesStructReturn: nil, fixedArgumentCount: nil)
  }

  /// The interface of a signature, from the cache.
  ///
  /// - Throws: `invalidSignature`, `unsupportedType`.
  package static func cached(
    for signature: MethodSignature, usesStructReturn: Bool? = nil, fixedArgumentCount: Int? = nil
  ) throws(InvocationError) -> CallInterface {
    let engine = CallEngine.current
    let isPlain = usesStructReturn == nil && fixedArgumentCount == nil
    if isPlain, let known = InterfaceIdentity.find(signature, engine) { return known }
    let interface = try cached(
      signature.description, of: signature, usesStructReturn, fixedArgumentCount, engine)
    if isPlain { InterfaceIdentity.insert(interface, engine) }
    return interface
  }

  /// The interface of a type encoding and of the options that it depends on too.
  ///
  /// - Throws: `invalidSignature`, `unsupportedType`.
  package static func cached(
    _ encoding: String, usesStructReturn: Bool?, fixedArgumentCount: Int?
  ) throws(InvocationError) -> CallInterface {
    try cached(
      encoding, of: MethodSignature(parsing: encoding), usesStructReturn, fixedArgumentCount,
      .current)
  }

  /// The interface of an encoding, which is parsed only if it is not in the cache.
  private static func cached(
    _ encoding: String, of signature: @autoclosure () throws(TypeEncodingError) -> MethodSignature,
    _ usesStructReturn: Bool?, _ fixedArgumentCount: Int?, _ engine: CallEngine
  ) throws(InvocationError) -> CallInterface {
    let options = CallInterfaceCache.Options(
      usesStructReturn: usesStructReturn, fixedArgumentCount: fixedArgumentCount, engine)
    var encoding = encoding
    return try encoding.withUTF8 { bytes in
      Result { () throws(InvocationError) in
        // SAFETY: the bytes are valid during the closure.
        if let known = unsafe CallInterfaceCache.find(bytes, options) { return known }
        let made = try CallInterface(
          InvocationError.passing(signature()), usesStructReturn: usesStructReturn,
          fixedArgumentCount: fixedArgumentCount, engine: engine)
        unsafe CallInterfaceCache.insert(bytes, options, made)
        return made
      }
    }.get()
  }
}

extension CallInterface {
  /// The interface of calls whose signature is unknown, which have no frame; it makes no calls.
  package static let unframed = try? CallInterface(MethodSignature(parsing: "v@?"))

  /// Whether calls have a frame.
  package var isFramed: Bool { self !== Self.unframed }
}
