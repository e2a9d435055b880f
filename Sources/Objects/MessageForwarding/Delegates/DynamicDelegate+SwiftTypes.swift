public import Invocations
internal import TypeEncodings

extension DynamicDelegate {
  /// Implements a message by a Swift closure with any number of arguments, which replaces the
  /// message's previous method.
  ///
  /// The closure is called with the message's arguments, without receiver and selector. The
  /// signature that is derived from its types, as for a `Method`, is compared with the protocol's.
  /// A message whose types are the closure's calls the closure directly.
  ///
  /// Do not pass a function with more than eight arguments that takes a function: the compiler
  /// crashes. Pass a closure that calls it, `{ (a: Int, b: …) in f(a, b) }`.
  ///
  /// - Parameters:
  ///   - selector: The message, which the protocol declares.
  ///   - options: Exceptions from the protocol's declaration.
  ///   - body: The closure; its errors are thrown to the sender.
  /// - Returns: The token that removes the method.
  /// - Throws: `undeclaredSelector`; `typeMismatch` with all differences; `invalidMethod`.
  @discardableResult
  public func implement<each Argument, Outcome>(
    _ selector: Selector, options: ImplementOptions = [],
    _ body: @escaping @Sendable (repeat each Argument) throws -> Outcome
  ) throws(MessageError) -> DelegateMethod {
    try implement(selector, options, Method.types(repeat (each Argument).self)) {
      (_: AnyObject, arguments: (repeat each Argument)) throws -> Outcome in
      try body(repeat each arguments)
    }
  }

  @usableFromInline
  func implement<Arguments, Outcome>(
    _ selector: Selector, _ options: ImplementOptions, _ types: [Any.Type],
    _ body: @escaping @Sendable (AnyObject, Arguments) throws -> Outcome
  ) throws(MessageError) -> DelegateMethod {
    // `Void?` is the result of a closure whose last expression is one like `self?.close()`.
    if Outcome.self == Void?.self {
      return try implement(selector, options, types) {
        (receiver: AnyObject, arguments: Arguments) throws -> Void in
        _ = try body(receiver, arguments)
      }
    }
    if let block = (types + [Outcome.self]).first(where: { BlockType.isBlock(any: $0) }) {
      throw MessageError(.invalidMethod, of: selector, "\(block) is a block type; declare a Block")
    }
    let arguments = try ArgumentTypes.of(Arguments.self)
    return try implement(
      selector, arguments.signature(returning: Outcome.self), "closure", options
    ) { signature, isPrefix in
      guard isPrefix else {
        return TypedImplementation(of: DynamicDelegate.self, isReference: false, body)
      }
      return FrameImplementation(.success(signature)) { frame in
        let receiver = try frame.argument(0, as: AnyObject.self)
        let outcome = try arguments.withArguments(Arguments.self, &frame) { arguments in
          try body(receiver, arguments)
        }
        if Outcome.self != Void.self { try frame.storeResult(outcome) }
      }
    }
  }
}
