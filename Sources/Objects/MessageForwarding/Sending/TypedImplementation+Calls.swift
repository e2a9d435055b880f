public import Invocations

extension TypedImplementation {
  /// The address of the class, with which an implementation of these types begins.
  @inlinable
  @inline(__always)
  static var address: UnsafeRawPointer {
    // SAFETY: the address is only compared.
    unsafe unsafeBitCast(TypedImplementation.self, to: UnsafeRawPointer.self)
  }

  /// Calls the implementation at an address, which must begin with `Self.address`.
  ///
  /// Not inlined: inlined code would count references to the closure.
  @usableFromInline
  @inline(never)
  static func call(
    _ address: UnsafeRawPointer, _ receiver: AnyObject, _ arguments: Arguments
  ) throws -> Outcome {
    // SAFETY: the caller has checked the type; it protects or retains the implementation until
    // the call has ended.
    try unsafe Unmanaged<TypedImplementation>.fromOpaque(address)._withUnsafeGuaranteedRef {
      try $0.body(receiver, arguments)
    }
  }

  /// Calls the implementation at an address, which must begin with `Self.address`, and converts its
  /// errors to errors of the message.
  @inlinable
  @inline(__always)
  static func call(
    _ address: UnsafeRawPointer, _ receiver: AnyObject, _ arguments: Arguments,
    by selector: Selector
  ) throws(MessageError) -> Outcome {
    // SAFETY: the caller guarantees what `call(_:_:_:)` requires.
    do {
      return unsafe try call(address, receiver, arguments)
    } catch {
      throw MessageError(thrown: error, by: selector)
    }
  }
}
