public import Invocations
public import TypeEncodings

/// A call that a spy has seen, with its arguments as they were.
///
/// An argument's index is its place in the signature, hidden arguments included: 1 is a block's
/// first parameter, 2 a method's, 0 a C function's (see `CallContents`).
public struct SpiedCall: @unchecked Sendable {
  // SAFETY: the invocation is this call's own copy, and is only read.

  /// The name of the target.
  public let name: String

  private let invocation: Invocation

  init(_ name: String, _ frame: borrowing CallFrame) {
    self.name = name
    invocation = Invocation(takenFrom: frame)
    // The call is never continued.
    _ = invocation.takeContinuation()
  }

  /// The signature of the call.
  public var signature: MethodSignature { invocation.signature }

  /// The arguments.
  public var arguments: ArgumentList { invocation.arguments }

  /// Reads an argument.
  ///
  /// - Parameters:
  ///   - index: The argument's place in the signature.
  ///   - type: The Swift type to read it as.
  /// - Returns: The value, converted as by `CallFrame.argument(_:as:)`.
  /// - Throws: `argumentIndex`, `typeMismatch`, `valueOutOfRange`, `unexpectedNull`.
  @_transparent
  public func argument<Value>(
    _ index: Int, as type: Value.Type = Value.self
  ) throws(InvocationError) -> Value {
    // A closure would lose its calling convention in the generic function.
    try Self.refuseFunctions(Value.self)
    return try loadArgument(index)
  }

  /// Reads an argument as a value described at run time.
  ///
  /// - Parameter index: The argument's place in the signature.
  /// - Returns: The value.
  /// - Throws: `argumentIndex`, `unsupportedType`.
  public func argumentValue(_ index: Int) throws(InvocationError) -> CValue {
    try invocation.argumentValue(index)
  }

  @usableFromInline
  static func refuseFunctions(_ type: Any.Type) throws(InvocationError) {
    try CallFrame.refuseFunctions(type)
  }

  @usableFromInline
  func loadArgument<Value>(_ index: Int) throws(InvocationError) -> Value {
    try invocation.loadArgument(index)
  }
}

extension SpiedCall: CustomStringConvertible {
  /// The name with the arguments.
  public var description: String {
    "\(name)(\(invocation.argumentTexts.joined(separator: ", ")))"
  }
}
