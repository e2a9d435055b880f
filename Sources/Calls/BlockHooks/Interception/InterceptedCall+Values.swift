public import Invocations
public import TypeEncodings

extension InterceptedCall {
  /// The signature of the calls.
  public var signature: MethodSignature { locked { invocation, _ in invocation.signature } }

  /// The arguments, as they are now.
  public var arguments: ArgumentList { locked { invocation, _ in invocation.arguments } }

  /// Whether the call has finished with a result.
  public var hasResult: Bool {
    locked { invocation, state in state == .finished && invocation.hasResult }
  }

  private var argumentTexts: String {
    locked { invocation, _ in invocation.argumentTexts.joined(separator: ", ") }
  }

  /// The error that the method threw; nil until the call is finished, if there is a result, and for
  /// calls of other code.
  ///
  /// The caller receives it, if the call has proceeded on its thread and the interceptor has not
  /// set a result in its place. Otherwise it has the placeholder already, and `onError` receives
  /// the error, too.
  public var error: (any Error)? {
    locked { invocation, state in state == .finished ? invocation.error : nil }
  }

  /// The result as text, nil until the call is finished.
  public var resultText: String? {
    locked { invocation, state in state == .finished ? invocation.resultText : nil }
  }

  /// Reads an argument.
  ///
  /// - Parameters:
  ///   - index: 0 for the block, 1 for its first parameter.
  ///   - type: The Swift type to read it as.
  /// - Returns: The value, converted as by `CallFrame.argument(_:as:)`.
  /// - Throws: `argumentIndex`, `typeMismatch`, `valueOutOfRange`, `unexpectedNull`.
  @_transparent
  public func argument<Value>(
    _ index: Int, as type: Value.Type = Value.self
  ) throws(InvocationError) -> Value {
    try InterceptedCall.refuseFunctions(Value.self)
    return try loadArgument(index)
  }

  /// Changes an argument that the inner hooks and the original will receive.
  ///
  /// - Parameters:
  ///   - index: 1 for the block's first parameter; the block itself cannot be changed.
  ///   - value: The new value; it converts as for `CallFrame.setArgument(_:_:)`.
  /// - Throws: `cannotProceed` after the call was decided; `argumentIndex`, `typeMismatch`,
  ///   `valueOutOfRange`.
  @_transparent
  public func setArgument<Value>(_ index: Int, _ value: Value) throws(InvocationError) {
    try InterceptedCall.refuseFunctions(Value.self)
    try storeArgument(index, value)
  }

  /// Reads the result.
  ///
  /// - Parameter type: The Swift type to read it as.
  /// - Returns: The value.
  /// - Throws: `noResult` until the call is finished; `typeMismatch`, `valueOutOfRange`,
  ///   `unexpectedNull`.
  @_transparent
  public func result<Value>(as type: Value.Type = Value.self) throws(InvocationError) -> Value {
    try InterceptedCall.refuseFunctions(Value.self)
    return try loadResult()
  }

  /// Changes the result, for the caller too if the call proceeded on its thread and the interceptor
  /// has not returned.
  ///
  /// - Parameter value: The result.
  /// - Throws: `noResult` if the block returns nothing, or the call is not finished;
  ///   `typeMismatch`, `valueOutOfRange`.
  @_transparent
  public func setResult<Value>(_ value: Value) throws(InvocationError) {
    try InterceptedCall.refuseFunctions(Value.self)
    try storeResult(value)
  }

  /// Reads an argument as a value described at run time.
  ///
  /// A C string that memory does not hold, as behind a pointer to other bytes, is an opaque value.
  ///
  /// - Parameter index: 0 for the block, 1 for its first parameter.
  /// - Returns: The value.
  /// - Throws: `argumentIndex`, `unsupportedType`.
  public func argumentValue(_ index: Int) throws(InvocationError) -> CValue {
    try locked { invocation, _ throws(InvocationError) in try invocation.argumentValue(index) }
  }

  /// Changes an argument to a value described at run time.
  ///
  /// - Parameters:
  ///   - index: 1 for the block's first parameter; the block itself cannot be changed.
  ///   - value: The new value.
  /// - Throws: `cannotProceed` once the call is decided; `argumentIndex`, `typeMismatch`,
  ///   `valueOutOfRange`, `unsupportedType`.
  public func setArgumentValue(_ index: Int, _ value: CValue) throws(InvocationError) {
    try change(index) { invocation throws(InvocationError) in
      try invocation.setArgumentValue(index, value)
    }
  }

  /// Changes the result to a value described at run time.
  ///
  /// - Parameter value: The result.
  /// - Throws: `noResult` if the block returns nothing, and until the call is finished;
  ///   `typeMismatch`, `valueOutOfRange`, `unsupportedType`.
  public func setResultValue(_ value: CValue) throws(InvocationError) {
    try locked { invocation, state throws(InvocationError) in
      try InterceptedCall.requireResult(state)
      try invocation.setResultValue(value)
    }
  }

  /// Reads the result as a value described at run time.
  ///
  /// - Throws: `noResult` until the call is finished; `unsupportedType`.
  public func resultValue() throws(InvocationError) -> CValue {
    try locked { invocation, state throws(InvocationError) in
      try InterceptedCall.requireResult(state)
      return try invocation.resultValue()
    }
  }

  @usableFromInline
  static func refuseFunctions(_ type: Any.Type) throws(InvocationError) {
    try CallFrame.refuseFunctions(type)
  }

  @usableFromInline
  func loadArgument<Value>(_ index: Int) throws(InvocationError) -> Value {
    try locked { invocation, _ throws(InvocationError) in try invocation.loadArgument(index) }
  }

  @usableFromInline
  func storeArgument<Value>(_ index: Int, _ value: Value) throws(InvocationError) {
    try change(index) { invocation throws(InvocationError) in
      try invocation.storeArgument(index, value)
    }
  }

  private func change(
    _ index: Int, _ store: (Invocation) throws(InvocationError) -> Void
  ) throws(InvocationError) {
    let last = try locked { invocation, state throws(InvocationError) in
      guard state == .pending else {
        throw InvocationError(
          .cannotProceed, "the call is \(state.rawValue): its arguments are no longer read",
          argument: index)
      }
      guard index != 0 || invocation.signature.form != .block else {
        throw InvocationError(
          .typeMismatch, "argument 0 is the called block, and cannot be changed", argument: 0)
      }
      let last = invocation.keptValues(index)
      try store(invocation)
      return last
    }
    // Releasing the previous values may run foreign code, so they are released after the lock.
    withExtendedLifetime(last) {}
  }

  @usableFromInline
  func loadResult<Value>() throws(InvocationError) -> Value {
    try locked { invocation, state throws(InvocationError) in
      try InterceptedCall.requireResult(state)
      return try invocation.loadResult()
    }
  }

  @usableFromInline
  func storeResult<Value>(_ value: Value) throws(InvocationError) {
    try locked { invocation, state throws(InvocationError) in
      try InterceptedCall.requireResult(state)
      try invocation.storeResult(value)
    }
  }

  private static func requireResult(_ state: State) throws(InvocationError) {
    guard state == .finished else {
      throw InvocationError(
        .noResult, "the call is \(state.rawValue): it has a result after it has proceeded")
    }
  }
}

extension InterceptedCall: CustomStringConvertible {
  /// The state, the signature, the arguments, and the result if there is one.
  public var description: String {
    let call = "<\(state.rawValue) call of \(signature) with \(argumentTexts)"
    return resultText.map { "\(call), result \($0)>" } ?? "\(call)>"
  }
}

extension InterceptedCall: CallContents {}
