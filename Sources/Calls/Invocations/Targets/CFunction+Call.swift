extension CFunction {
  /// Calls the function with Swift values, checked against its signature.
  ///
  /// Values convert as for `Block.call(_:returning:)`.
  ///
  /// - Parameters:
  ///   - values: The arguments.
  ///   - type: The Swift type of the result.
  /// - Returns: The result.
  /// - Throws: `argumentCount`, `typeMismatch`, `valueOutOfRange`, `unexpectedNull`, `noResult`.
  public func callAsFunction<each Value, Result>(
    _ values: repeat each Value, returning type: Result.Type = Result.self
  ) throws(InvocationError) -> Result {
    try callPacked(repeat each values, returning: type)
  }

  /// Calls the function with Swift values and ignores its result.
  ///
  /// - Parameter values: The arguments.
  /// - Throws: As `callAsFunction(_:returning:)`.
  public func callAsFunction<each Value>(_ values: repeat each Value) throws(InvocationError) {
    try callPacked(repeat each values)
  }

  /// Calls the function with values described at run time.
  ///
  /// - Parameter values: The arguments.
  /// - Returns: The result; `.void` if there is none.
  /// - Throws: As `callAsFunction(_:returning:)`.
  public func call(values: [CValue]) throws(InvocationError) -> CValue {
    if let result = unsafe scalarCall.make(values: values, keeping: self) { return result }
    var call = pendingCall()
    for value in values { try call.add(value: value) }
    return try call.resultValue()
  }

  @usableFromInline
  func callPacked<each Value, Result>(
    _ values: repeat each Value, returning type: Result.Type
  ) throws(InvocationError) -> Result {
    repeat try SwiftType.refuseFunctions((each Value).self)
    try SwiftType.refuseFunctions(Result.self)
    var call = pendingCall()
    repeat try call.add(each values)
    return try call.result(as: Result.self)
  }

  @usableFromInline
  func callPacked<each Value>(_ values: repeat each Value) throws(InvocationError) {
    repeat try SwiftType.refuseFunctions((each Value).self)
    var call = pendingCall()
    repeat try call.add(each values)
    try call.result(as: Void.self)
  }

  // SAFETY: the function's creator vouched for its signature; the caller retains the interface.
  /// The function's call for numbers and pointers only.
  @usableFromInline var scalarCall: ScalarCall {
    @_transparent get { unsafe ScalarCall(interface.plan, address) }
  }

  private func pendingCall() -> PendingCall {
    // SAFETY: the function's creator vouched for its signature.
    unsafe PendingCall(address, interface)
  }
}
