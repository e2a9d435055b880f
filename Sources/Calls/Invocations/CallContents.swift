public import TypeEncodings

/// A call whose arguments, result and error can be read and changed: a `CallFrame`, an `Invocation`
/// or an intercepted call.
///
/// Each argument has one index everywhere: its place in the signature, counted from 0, hidden ones
/// included. Argument 0 of a block's call is the block and 1 its first parameter; argument 0 of a
/// method's call is the receiver, 1 the selector and 2 the first parameter; a C function has no
/// hidden arguments, so 0 is its first parameter. Calls that take only parameters, such as
/// `block.call(3, 4.5)`, have no indices.
public protocol CallContents: ~Copyable {
  /// The signature of the call.
  var signature: MethodSignature { get }

  /// The arguments, as they are now.
  var arguments: ArgumentList { get }

  /// Reads an argument, converted to a Swift type.
  func argument<Value>(_ index: Int, as type: Value.Type) throws(InvocationError) -> Value

  /// Changes an argument.
  mutating func setArgument<Value>(_ index: Int, _ value: Value) throws(InvocationError)

  /// Reads an argument as a value described at run time.
  func argumentValue(_ index: Int) throws(InvocationError) -> CValue

  /// Changes an argument to a value described at run time.
  mutating func setArgumentValue(_ index: Int, _ value: CValue) throws(InvocationError)

  /// Whether there is a result.
  var hasResult: Bool { get }

  /// Reads the result, converted to a Swift type.
  func result<Value>(as type: Value.Type) throws(InvocationError) -> Value

  /// Changes the result.
  mutating func setResult<Value>(_ value: Value) throws(InvocationError)

  /// Reads the result as a value described at run time.
  func resultValue() throws(InvocationError) -> CValue

  /// Changes the result to a value described at run time.
  mutating func setResultValue(_ value: CValue) throws(InvocationError)

  /// The result as text, nil while there is none.
  var resultText: String? { get }

  /// The error that the called method threw; nil if there is a result, and for calls of other code.
  var error: (any Error)? { get }
}

extension CallContents where Self: ~Copyable {
  /// The number of hidden arguments, which callers do not write: 1 for a block, 2 for a method.
  public var hiddenArgumentCount: Int { signature.form.hiddenCount }

  /// The indices of the parameters that a caller writes.
  public var ownArgumentIndices: Range<Int> {
    hiddenArgumentCount..<max(hiddenArgumentCount, signature.arguments.count)
  }
}

extension CallFrame: CallContents {}

extension Invocation: CallContents {}
