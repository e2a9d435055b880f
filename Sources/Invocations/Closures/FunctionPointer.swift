private import BlockABI
private import BlockRuntimeThreads
public import TypeEncodings

// SAFETY, for the whole file: the code lives as long as the entry, which this object keeps.

/// A C function pointer that calls a Swift closure, of any signature.
///
/// The code lives as long as this object: keep it while C may call. The closure may be called from
/// any thread, by several at once.
///
/// The corresponding function for methods is `imp_implementationWithBlock`.
@safe
public final class FunctionPointer: Sendable {
  /// The signature of the function.
  public var signature: MethodSignature { entry.interface.signature }

  private let entry: CallEntry

  /// Makes a function pointer.
  ///
  /// - Parameters:
  ///   - encoding: The function's type encoding, such as `i^v^v` for a comparison.
  ///   - onError: Receives what the handler throws, since its C caller cannot; the call then returns
  ///     the result set so far, or zero. Standard error if not given.
  ///   - handler: Runs at every call, on the caller's thread.
  /// - Throws: `invalidSignature`, `unsupportedType`, `noExecutableMemory`.
  public init(
    signature encoding: String,
    onError: @escaping @Sendable (any Error) -> Void = reportHandlerError,
    _ handler: @escaping @Sendable (inout CallFrame) throws -> Void
  ) throws(InvocationError) {
    entry = try CallHandler.makeEntry(
      CallInterface.of(encoding), hiddenArgumentCount: 0, onError: onError, handler)
  }

  /// The address of the code.
  ///
  /// ## Safety
  /// It must not be called once this object is gone, nor with another signature.
  @unsafe
  public var unsafeAddress: UnsafeRawPointer { unsafe entry.code }

  /// Makes a function pointer for the duration of a scope.
  ///
  /// - Parameters:
  ///   - encoding: The function's type encoding.
  ///   - handler: Runs at every call.
  ///   - body: Receives the function pointer; the code is gone soon after it returns.
  /// - Returns: What `body` returns.
  /// - Throws: What `init(signature:onError:_:)` and `body` throw.
  public static func withFunctionPointer<Result>(
    signature encoding: String, _ handler: @escaping @Sendable (inout CallFrame) throws -> Void,
    _ body: (FunctionPointer) throws -> Result
  ) throws -> Result {
    let pointer = try FunctionPointer(signature: encoding, handler)
    return try withExtendedLifetime(pointer) { try body(pointer) }
  }

  /// Makes a function pointer that is called once and then frees itself.
  ///
  /// Nobody needs to keep it. Later calls are misuse, as of any freed function. If it is never called
  /// it is never freed.
  ///
  /// - Parameters:
  ///   - encoding: The function's type encoding.
  ///   - onError: Receives what the handler throws.
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
      // The code stays until this handler has returned.
      guard let pointer = itself.take() else { return }
      defer { withExtendedLifetime(pointer) {} }
      try handler(&call)
    }
    itself.keep(pointer)
    return unsafe pointer.unsafeAddress
  }
}

/// The reference by which a one-shot function pointer keeps itself until it is called.
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
  /// - Returns: The function; it must not be called once this object is gone.
  /// - Throws: `typeMismatch`.
  @_transparent
  public func value<Value>(as type: Value.Type) throws(InvocationError) -> Value {
    try requireFunctionType(Value.self)
    // SAFETY: a C function type is one pointer.
    return unsafe unsafeBitCast(unsafeAddress, to: Value.self)
  }

  @usableFromInline
  func requireFunctionType(_ type: Any.Type) throws(InvocationError) {
    try FunctionType.require(type, of: signature)
  }
}

extension FunctionPointer: CustomStringConvertible {
  /// The signature and the address of the code.
  public var description: String {
    "<function \(signature) 0x\(String(unsafe UInt(bitPattern: entry.code), radix: 16))>"
  }
}
