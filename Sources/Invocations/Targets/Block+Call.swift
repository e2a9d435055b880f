public import BlockABI
private import TypeEncodings

extension Block {
  /// Calls the block with Swift values, checked against its signature.
  ///
  /// Integer literals are `Int` and converted to the parameter's type if they fit; text goes to a
  /// C string for the duration of the call; blocks are passed as `Block`.
  ///
  /// - Parameters:
  ///   - values: The arguments, without the block itself.
  ///   - type: The Swift type of the result.
  /// - Returns: The result; an object or block is retained, a C string copied if `String` is asked.
  /// - Throws: `unusableBlock`, `invalidSignature`, `unsupportedType`, `argumentCount`,
  ///   `typeMismatch`, `valueOutOfRange`, `unexpectedNull`, `noResult`.
  public func call<each Value, Result>(
    _ values: repeat each Value, returning type: Result.Type = Result.self
  ) throws(InvocationError) -> Result {
    let interface = try callInterface
    // SAFETY: the block's code has the block's signature.
    return unsafe try interface.call(
      invokeAddress, receiver: reference, repeat each values, returning: type)
  }

  /// Calls the block with Swift values and ignores its result.
  ///
  /// - Parameter values: The arguments, without the block itself.
  /// - Throws: As `call(_:returning:)`.
  public func call<each Value>(_ values: repeat each Value) throws(InvocationError) {
    try call(repeat each values, returning: Void.self)
  }

  /// Calls the block with values described at run time.
  ///
  /// - Parameter values: The arguments, without the block itself.
  /// - Returns: The result; `.void` if there is none.
  /// - Throws: As `call(_:returning:)`.
  public func call(boxed values: [BoxedValue]) throws(InvocationError) -> BoxedValue {
    let interface = try callInterface
    return unsafe try interface.call(invokeAddress, receiver: reference, boxed: values)
  }

  /// The call interface of the block's signature.
  package var callInterface: CallInterface {
    get throws(InvocationError) {
      let signature: MethodSignature
      do { signature = try requireSignature() } catch { throw InvocationError(error) }
      return try CallInterface.cached(
        for: signature, usesStructReturn: flags.contains(.usesStructReturn))
    }
  }
}
