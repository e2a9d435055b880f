internal import BlockABI
public import BlockHooks
internal import Invocations

// SAFETY, for the whole file: the replacement's type is checked against the signature.

extension ImportedFunction {
  /// Has a C function run in the imported one's place.
  ///
  /// The replacement may call the function by its name: what it calls, on its thread, is not hooked.
  /// Hooks that are installed later lie around it, those installed before below it are not run.
  ///
  /// - Parameters:
  ///   - function: A `@convention(c)` function or closure of the signature's type.
  ///   - name: A name for descriptions.
  /// - Returns: The token that undoes it.
  /// - Throws: `typeMismatch` with the differences, and as `hook(_:name:priority:when:onError:_:)`.
  @_transparent
  @discardableResult
  public func replace<Function>(
    with function: Function, name: String? = nil
  ) throws(InterposingError) -> Hook {
    try requireFunctionType(Function.self)
    // SAFETY: a C function type is one pointer.
    return try replace(
      withCodeAt: unsafe UInt(bitPattern: unsafeBitCast(function, to: UnsafeRawPointer.self)), name)
  }

  @usableFromInline
  func requireFunctionType(_ type: Any.Type) throws(InterposingError) {
    let original = try original
    do throws(InvocationError) {
      try original.requireFunctionType(type)
    } catch {
      throw InterposingError(error, symbol)
    }
  }

  @usableFromInline
  func replace(withCodeAt address: UInt, _ name: String?) throws(InterposingError) -> Hook {
    // The replacement stays loaded as long as the handler.
    let image = unsafe UnsafeRawPointer(bitPattern: address).flatMap {
      unsafe LoadedImage(holding: $0)
    }
    return try hook(.instead, name: name) { call in
      guard let code = unsafe UnsafeRawPointer(bitPattern: address) else { return }
      withExtendedLifetime(image) { unsafe call.call(code) }
    }
  }
}
