public import BlockABI
private import TypeEncodings

extension Block {
  /// Calls the block with Swift values, checked against its signature.
  ///
  /// Integer literals are `Int`, and are converted to the parameter's type if they fit. A `String`
  /// is copied to a C string for the duration of the call. Blocks are passed as `Block`.
  ///
  /// - Parameters:
  ///   - values: The arguments, without the block itself.
  ///   - type: The Swift type of the result.
  /// - Returns: The result; an object or block is retained, and a C string is copied if the type is
  ///   `String`.
  /// - Throws: `noSignature`, `invalidSignature`, `unsupportedType`, `argumentCount`,
  ///   `typeMismatch`, `valueOutOfRange`, `unexpectedNull`, `noResult`.
  public func call<each Value, Result>(
    _ values: repeat each Value, returning type: Result.Type = Result.self
  ) throws(InvocationError) -> Result {
    try callPacked(repeat each values, returning: type)
  }

  /// Calls the block with Swift values and ignores its result.
  ///
  /// - Parameter values: The arguments, without the block itself.
  /// - Throws: As `call(_:returning:)`.
  public func call<each Value>(_ values: repeat each Value) throws(InvocationError) {
    try callPacked(repeat each values)
  }

  /// Calls the block with values described at run time.
  ///
  /// - Parameter values: The arguments, without the block itself.
  /// - Returns: The result; `.void` if there is none.
  /// - Throws: As `call(_:returning:)`.
  public func call(values: [CValue]) throws(InvocationError) -> CValue {
    if let result = unsafe scalarCall.make(values: values, keeping: self) { return result }
    var call = try pendingCall()
    for value in values { try call.add(value: value) }
    return try call.resultValue()
  }

  @usableFromInline
  func callPacked<each Value, Result>(
    _ values: repeat each Value, returning type: Result.Type
  ) throws(InvocationError) -> Result {
    repeat try SwiftType.refuseFunctions((each Value).self)
    try SwiftType.refuseFunctions(Result.self)
    var call = try pendingCall()
    repeat try call.add(each values)
    return try call.result(as: Result.self)
  }

  @usableFromInline
  func callPacked<each Value>(_ values: repeat each Value) throws(InvocationError) {
    repeat try SwiftType.refuseFunctions((each Value).self)
    var call = try pendingCall()
    repeat try call.add(each values)
    try call.result(as: Void.self)
  }

  private func pendingCall() throws(InvocationError) -> PendingCall {
    // SAFETY: the block's code has the block's signature, and the call retains the block.
    unsafe PendingCall(invokeAddress, try callInterface, receiver: reference)
  }
}
