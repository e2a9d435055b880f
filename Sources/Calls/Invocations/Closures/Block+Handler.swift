public import BlockABI
private import TypeEncodings

extension Block {
  /// Makes a block of any signature that calls a Swift closure.
  ///
  /// C code and libdispatch can copy, call and release it like any block; the closure lives as long
  /// as the block. The closure may be called from any thread, by several at once.
  ///
  /// - Parameters:
  ///   - encoding: The block's type encoding. Argument 0, the block, may be left out: `i@?id` and
  ///     `iid` are the same signature. A first argument `@?` is always the block itself.
  ///   - onError: Receives the handler's errors, which its C caller cannot. The call then returns
  ///     the result that was set before the error, or zero. Errors are written to standard error if
  ///     not given.
  ///   - handler: Runs at every call, on the caller's thread.
  /// - Throws: `invalidSignature`, `unsupportedType`, `noExecutableMemory`, and the errors of
  ///   making a block.
  public init(
    signature encoding: String,
    onError: @escaping @Sendable (any Error) -> Void = reportHandlerError,
    _ handler: @escaping @Sendable (inout CallFrame) throws -> Void
  ) throws(InvocationError) {
    var signature: MethodSignature
    do {
      signature = try MethodSignature(parsing: encoding)
      if signature.form != .block {
        let itself = MethodSignature.Argument(TypeEncoding(.block(nil)))
        signature = signature.withoutFrameOffsets()
        signature.arguments.insert(itself, at: 0)
      }
    } catch {
      throw InvocationError(error)
    }
    try self.init(signature, onError, handler)
  }

  /// Makes a block that is declared in C.
  ///
  /// - Parameters:
  ///   - declaration: The block's declaration, such as `int (^)(int, double)`; see
  ///     `TypeEncoding.init(declaration:types:)`.
  ///   - types: Swift types that the declaration names.
  ///   - onError: Receives the handler's errors.
  ///   - handler: Runs at every call, on the caller's thread.
  /// - Throws: `invalidSignature`, with the declaration's error; `unsupportedType`,
  ///   `noExecutableMemory`, and the errors of making a block.
  public init(
    declaration: String, types: [Any.Type] = [],
    onError: @escaping @Sendable (any Error) -> Void = reportHandlerError,
    _ handler: @escaping @Sendable (inout CallFrame) throws -> Void
  ) throws(InvocationError) {
    let (signature, isVariadic) = try CDeclaration.closure(
      declaration, types: types, hiddenCount: 1)
    try self.init(signature, isVariadic: isVariadic, onError, handler)
  }

  private init(
    _ declared: MethodSignature, isVariadic: Bool = false,
    _ onError: @escaping @Sendable (any Error) -> Void,
    _ handler: @escaping @Sendable (inout CallFrame) throws -> Void
  ) throws(InvocationError) {
    // Bit-fields without declared type may leave the frame's size open, but not how it is passed.
    let signature = (try? declared.withFrameOffsets()) ?? declared
    let interface =
      try isVariadic
      ? CallInterface(signature, isVariadic: true) : CallInterface.cached(for: signature)
    let entry = try CallHandler.makeEntry(
      interface, hiddenArgumentCount: 1, onError: onError, handler)
    do {
      // SAFETY: the entry owns the code, and the block owns the entry.
      try unsafe self.init(
        invoke: entry.code, encoding: signature.description,
        usesStructReturn: interface.returnsThroughMemory, owner: entry)
      if isVariadic { self = self.variadic }
    } catch {
      throw InvocationError(passing: error)
    }
  }
}
