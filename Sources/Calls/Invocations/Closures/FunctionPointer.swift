private import BlockABI
private import BlockRuntimeThreads
private import CBlockRuntimeThreads.Barriers
public import TypeEncodings

/// A C function pointer of any signature that calls a Swift closure.
///
/// The code lives as long as this object: retain it while C may call. The closure may be called
/// from any thread, by several at once.
///
/// The corresponding function for methods is `imp_implementationWithBlock`.
@safe
public final class FunctionPointer: Sendable {
  /// The signature of the function.
  public var signature: MethodSignature { interface.signature }

  private let interface: CallInterface

  // SAFETY: immutable; the owner owns the code, which lives as long as this object.
  private nonisolated(unsafe) let code: UnsafeRawPointer
  let owner: any AnyObject & Sendable

  /// Makes a function pointer of code.
  ///
  /// ## Safety
  /// The owner must own the code, which must have the interface's signature.
  @unsafe
  init(_ interface: CallInterface, _ code: UnsafeRawPointer, owner: any AnyObject & Sendable) {
    self.interface = interface
    unsafe self.code = unsafe code
    self.owner = owner
    // Other threads may find the pointer in a structure, by loads without any order.
    cbr_publish_code()
  }

  /// Makes a function pointer.
  ///
  /// - Parameters:
  ///   - encoding: The function's type encoding, such as `i^v^v` for a comparison.
  ///   - onError: Receives the handler's errors, which its C caller cannot. The call then returns
  ///     the result that was set before the error, or zero. Errors are written to standard error if
  ///     not given.
  ///   - handler: Runs at every call, on the caller's thread.
  /// - Throws: `invalidSignature`, `unsupportedType`, `noExecutableMemory`.
  public convenience init(
    signature encoding: String,
    onError: @escaping @Sendable (any Error) -> Void = reportHandlerError,
    _ handler: @escaping @Sendable (inout CallFrame) throws -> Void
  ) throws(InvocationError) {
    try self.init(CallInterface.of(encoding), onError, handler)
  }

  /// Makes a function pointer that is declared in C.
  ///
  /// - Parameters:
  ///   - declaration: The pointer's or function's declaration, such as `int (*)(const void *, const
  ///     void *)`; see `TypeEncoding.init(declaration:types:)`. The handler reads the
  ///     arguments in place of `...` by `call.variadic`.
  ///   - types: Swift types that the declaration names.
  ///   - onError: Receives the handler's errors.
  ///   - handler: Runs at every call, on the caller's thread.
  /// - Throws: `invalidSignature`, with the declaration's error; `unsupportedType`,
  ///   `noExecutableMemory`.
  public convenience init(
    _ declaration: String, types: [Any.Type] = [],
    onError: @escaping @Sendable (any Error) -> Void = reportHandlerError,
    _ handler: @escaping @Sendable (inout CallFrame) throws -> Void
  ) throws(InvocationError) {
    let (signature, isVariadic) = try CDeclaration.closure(
      declaration, types: types, hiddenCount: 0)
    let interface =
      try isVariadic
      ? CallInterface(signature, isVariadic: true) : CallInterface.cached(for: signature)
    try self.init(interface, onError, handler)
  }

  private convenience init(
    _ interface: CallInterface, _ onError: @escaping @Sendable (any Error) -> Void,
    _ handler: @escaping @Sendable (inout CallFrame) throws -> Void
  ) throws(InvocationError) {
    let entry = try CallHandler.makeEntry(
      interface, hiddenArgumentCount: 0, onError: onError, handler)
    // SAFETY: the entry owns the code.
    unsafe self.init(entry.interface, entry.code, owner: entry)
  }

  /// The address of the code.
  ///
  /// ## Safety
  /// The code must not be called after this object was released, nor with another signature; an
  /// object that was made for a block must not be released during a call either.
  @unsafe
  public var unsafeAddress: UnsafeRawPointer { unsafe code }

  /// Makes a function pointer for the duration of a scope.
  ///
  /// - Parameters:
  ///   - encoding: The function's type encoding.
  ///   - handler: Runs at every call.
  ///   - body: Receives the function pointer, whose code must not be called after it returns.
  /// - Returns: The result of `body`.
  /// - Throws: The errors of `init(signature:onError:_:)` and of `body`.
  public static func withFunctionPointer<Result>(
    signature encoding: String, _ handler: @escaping @Sendable (inout CallFrame) throws -> Void,
    _ body: (FunctionPointer) throws -> Result
  ) throws -> Result {
    let pointer = try FunctionPointer(signature: encoding, handler)
    return try withExtendedLifetime(pointer) { try body(pointer) }
  }

  /// Makes a function pointer that is called once and then frees itself.
  ///
  /// The caller need not retain anything. A function that is never called is never freed.
  ///
  /// - Parameters:
  ///   - encoding: The function's type encoding.
  ///   - onError: Receives the handler's errors.
  ///   - handler: Runs at the call.
  /// - Returns: The code's address.
  /// - Throws: `invalidSignature`, `unsupportedType`, `noExecutableMemory`.
  ///
  /// ## Safety
  /// The address must be called at most once, with the signature given.
  @unsafe
  public static func makeOneShot(
    signature encoding: String,
    onError: @escaping @Sendable (any Error) -> Void = reportHandlerError,
    _ handler: @escaping @Sendable (inout CallFrame) throws -> Void
  ) throws(InvocationError) -> UnsafeRawPointer {
    let itself = OwnReference()
    let pointer = try FunctionPointer(signature: encoding, onError: onError) { call in
      // The code must live until this handler has returned.
      guard let pointer = itself.take() else { return }
      defer { withExtendedLifetime(pointer) {} }
      try handler(&call)
    }
    itself.keep(pointer)
    // SAFETY: the reference in `itself` keeps the code alive until the call.
    return unsafe pointer.unsafeAddress
  }
}

/// The reference of a one-shot function pointer to itself, until it is called.
private final class OwnReference: Sendable {
  private let pointer = Locked<FunctionPointer?>(nil)

  func keep(_ pointer: FunctionPointer) { self.pointer.withLock { $0 = pointer } }

  func take() -> FunctionPointer? {
    pointer.withLock { pointer in
      defer { pointer = nil }
      return pointer
    }
  }
}

extension FunctionPointer {
  /// The function as a value of its Swift type, checked against its signature.
  ///
  /// - Parameter type: A C function type such as `(@convention(c) (Int32) -> Int32).self`.
  /// - Returns: The function; it must not be called after this object was released.
  /// - Throws: `typeMismatch`.
  @_transparent
  public func value<Value>(as type: Value.Type) throws(InvocationError) -> Value {
    try requireFunctionType(Value.self)
    // SAFETY: the type is that of a C function of the signature, so it is one pointer.
    return unsafe unsafeBitCast(unsafeAddress, to: Value.self)
  }

  @usableFromInline
  func requireFunctionType(_ type: Any.Type) throws(InvocationError) {
    try FunctionType.require(type, of: signature)
  }
}

extension FunctionPointer: CustomStringConvertible {
  // SAFETY: the address is only printed.
  /// The signature and the address of the code.
  public var description: String {
    "<function \(signature) 0x\(String(unsafe UInt(bitPattern: code), radix: 16))>"
  }
}
