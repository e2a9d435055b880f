internal import BlockABI
public import BlockHooks
internal import Invocations

extension ImportedFunction {
  /// Runs a C function instead of the imported one.
  ///
  /// The replacement may call the imported function by its name: its calls are not hooked on its
  /// thread. Hooks that are installed later are outer and run around the replacement; those that
  /// were installed before are inner and do not run.
  ///
  /// - Parameters:
  ///   - function: A `@convention(c)` function or closure of the signature's type.
  ///   - name: A name for descriptions.
  /// - Returns: The token that ends the replacement. Dropping it does not.
  /// - Throws: `typeMismatch` with the differences, and as `hook(_:name:priority:when:onError:_:)`.
  @_transparent
  @discardableResult
  public func replace<Function>(
    with function: Function, name: String? = nil
  ) throws(InterposingError) -> Hook {
    try requireFunctionType(Function.self)
    // SAFETY: the type was checked to be that of a C function, which is one pointer.
    return try replace(
      withCodeAt: unsafe UInt(bitPattern: unsafeBitCast(function, to: UnsafeRawPointer.self)), name)
  }

  @usableFromInline
  func requireFunctionType(_ type: Any.Type) throws(InterposingError) {
    let original = try original
    try InterposingError.about(symbol) { () throws(InvocationError) in
      try original.requireFunctionType(type)
    }
  }

  @usableFromInline
  func replace(withCodeAt address: UInt, _ name: String?) throws(InterposingError) -> Hook {
    // SAFETY: the address is that of a function whose type was checked against the signature; the
    // handler retains its image.
    let image = unsafe UnsafeRawPointer(bitPattern: address).flatMap {
      unsafe LoadedImage(holding: $0)
    }
    return try hook(.instead, name: name) { call in
      guard let code = unsafe UnsafeRawPointer(bitPattern: address) else { return }
      withExtendedLifetime(image) { unsafe call.call(code) }
    }
  }
}
