package import TypeEncodings

extension CallInterface {
  /// The interface of a type encoding, from a cache.
  ///
  /// The cache has about a thousand interfaces; then new ones replace others, which are made again
  /// when needed.
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
    let options = CallInterfaceCache.Options(
      usesStructReturn: usesStructReturn, fixedArgumentCount: fixedArgumentCount, engine)
    var encoding = signature.description
    // SAFETY: the bytes are valid during the closure.
    let interface = try encoding.withUTF8 { bytes in
      Result { () throws(InvocationError) in
        unsafe try cached(bytes, options) { () throws(InvocationError) in
          try CallInterface(
            signature, usesStructReturn: usesStructReturn, fixedArgumentCount: fixedArgumentCount,
            engine: engine)
        }
      }
    }.get()
    if isPlain { InterfaceIdentity.insert(interface, engine) }
    return interface
  }

  /// The interface of a type encoding and of the options that it depends on too.
  ///
  /// - Throws: `invalidSignature`, `unsupportedType`.
  package static func cached(
    _ encoding: String, usesStructReturn: Bool?, fixedArgumentCount: Int?
  ) throws(InvocationError) -> CallInterface {
    let engine = CallEngine.current
    let options = CallInterfaceCache.Options(
      usesStructReturn: usesStructReturn, fixedArgumentCount: fixedArgumentCount, engine)
    var encoding = encoding
    // SAFETY: as above.
    return try encoding.withUTF8 { bytes in
      Result { () throws(InvocationError) in
        unsafe try cached(bytes, options) { () throws(InvocationError) in
          let signature: MethodSignature
          do throws(TypeEncodingError) {
            signature = try MethodSignature(
              parsing: unsafe String(decoding: bytes, as: UTF8.self))
          } catch {
            throw InvocationError(error)
          }
          return try CallInterface(
            signature, usesStructReturn: usesStructReturn, fixedArgumentCount: fixedArgumentCount,
            engine: engine)
        }
      }
    }.get()
  }

  private static func cached(
    _ bytes: UnsafeBufferPointer<UInt8>, _ options: CallInterfaceCache.Options,
    _ make: () throws(InvocationError) -> CallInterface
  ) throws(InvocationError) -> CallInterface {
    guard bytes.count <= CallInterfaceCache.longestEncoding else { return try make() }
    // SAFETY: the caller's bytes are valid during the call.
    if let known = unsafe CallInterfaceCache.find(bytes, options) { return known }
    let made = try make()
    unsafe CallInterfaceCache.insert(bytes, options, made)
    return made
  }
}

extension CallInterface {
  /// The interface of calls whose signature is unknown, which have no frame; it makes no calls.
  package static let unframed = try? CallInterface(
    MethodSignature(parsing: "v@?"), usesStructReturn: nil, fixedArgumentCount: nil,
    engine: .current)

  /// Whether calls have a frame.
  package var isFramed: Bool { self !== Self.unframed }
}
