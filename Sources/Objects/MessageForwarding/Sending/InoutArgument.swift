/// An `inout` argument of a Swift call whose hooks see it as a value.
///
/// A hook reads and changes `value`; when the call ends, the caller's variable gets that value.
/// Keeping the object longer has no effect.
public final class InoutArgument<Value> {
  /// The argument.
  public var value: Value

  /// Creates the argument of a message.
  ///
  /// - Parameter value: Its value at the beginning.
  public init(_ value: Value) { self.value = value }
}
