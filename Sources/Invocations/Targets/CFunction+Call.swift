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
    // SAFETY: whoever made this value vouched for the signature.
    unsafe try interface.call(address, receiver: nil, repeat each values, returning: type)
  }

  /// Calls the function with Swift values and ignores its result.
  ///
  /// - Parameter values: The arguments.
  /// - Throws: As `callAsFunction(_:returning:)`.
  public func callAsFunction<each Value>(_ values: repeat each Value) throws(InvocationError) {
    unsafe try interface.call(address, receiver: nil, repeat each values, returning: Void.self)
  }

  /// Calls the function with values described at run time.
  ///
  /// - Parameter values: The arguments.
  /// - Returns: The result; `.void` if there is none.
  /// - Throws: As `callAsFunction(_:returning:)`.
  public func call(boxed values: [BoxedValue]) throws(InvocationError) -> BoxedValue {
    unsafe try interface.call(address, receiver: nil, boxed: values)
  }
}
