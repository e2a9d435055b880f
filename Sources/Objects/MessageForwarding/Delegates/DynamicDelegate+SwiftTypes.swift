public import Invocations
internal import TypeEncodings

// The compiler specialises the overloads for zero to four arguments, which it prefers, but not the
// one with a parameter pack.

extension DynamicDelegate {
  // The comment of the first function applies to all.

  /// Implements a message by a Swift closure with no arguments, which replaces the message's
  /// previous method.
  ///
  /// The closure is called with the message's arguments, without receiver and selector. The
  /// signature that is derived from its types, as for a `Method`, is compared with the protocol's.
  /// If a message's types are the closure's, it is called directly.
  ///
  /// - Parameters:
  ///   - selector: The message, which the protocol declares.
  ///   - options: Exceptions from the protocol's declaration.
  ///   - body: The closure; its errors are thrown to the sender.
  /// - Returns: The token that removes the method.
  /// - Throws: `undeclaredSelector`; `typeMismatch` with all differences; `invalidMethod`.
  @inlinable
  @discardableResult
  public func implement<Outcome>(
    _ selector: Selector, options: ImplementOptions = [],
    _ body: @escaping @Sendable () throws -> Outcome
  ) throws(MessageError) -> DelegateMethod {
    try implement(selector, options, []) {
      (_: AnyObject, _: Void) throws -> Outcome in try body()
    }
  }

  /// Implements a message by a Swift closure with one argument.
  @inlinable
  @discardableResult
  public func implement<A, Outcome>(
    _ selector: Selector, options: ImplementOptions = [],
    _ body: @escaping @Sendable (A) throws -> Outcome
  ) throws(MessageError) -> DelegateMethod {
    try implement(selector, options, [A.self]) {
      (_: AnyObject, arguments: A) throws -> Outcome in try body(arguments)
    }
  }

  /// Implements a message by a Swift closure with two arguments.
  @inlinable
  @discardableResult
  public func implement<A, B, Outcome>(
    _ selector: Selector, options: ImplementOptions = [],
    _ body: @escaping @Sendable (A, B) throws -> Outcome
  ) throws(MessageError) -> DelegateMethod {
    try implement(selector, options, [A.self, B.self]) {
      (_: AnyObject, arguments: (A, B)) throws -> Outcome in try body(arguments.0, arguments.1)
    }
  }

  /// Implements a message by a Swift closure with three arguments.
  @inlinable
  @discardableResult
  public func implement<A, B, C, Outcome>(
    _ selector: Selector, options: ImplementOptions = [],
    _ body: @escaping @Sendable (A, B, C) throws -> Outcome
  ) throws(MessageError) -> DelegateMethod {
    try implement(selector, options, [A.self, B.self, C.self]) {
      (_: AnyObject, arguments: (A, B, C)) throws -> Outcome in
      try body(arguments.0, arguments.1, arguments.2)
    }
  }

  /// Implements a message by a Swift closure with four arguments.
  @inlinable
  @discardableResult
  public func implement<A, B, C, D, Outcome>(
    _ selector: Selector, options: ImplementOptions = [],
    _ body: @escaping @Sendable (A, B, C, D) throws -> Outcome
  ) throws(MessageError) -> DelegateMethod {
    try implement(selector, options, [A.self, B.self, C.self, D.self]) {
      (_: AnyObject, arguments: (A, B, C, D)) throws -> Outcome in
      try body(arguments.0, arguments.1, arguments.2, arguments.3)
    }
  }

  /// Implements a message by a Swift closure with five arguments.
  @inlinable
  @discardableResult
  public func implement<A, B, C, D, E, Outcome>(
    _ selector: Selector, options: ImplementOptions = [],
    _ body: @escaping @Sendable (A, B, C, D, E) throws -> Outcome
  ) throws(MessageError) -> DelegateMethod {
    try implement(selector, options, [A.self, B.self, C.self, D.self, E.self]) {
      (_: AnyObject, arguments: (A, B, C, D, E)) throws -> Outcome in
      try body(arguments.0, arguments.1, arguments.2, arguments.3, arguments.4)
    }
  }

  /// Implements a message by a Swift closure with six arguments.
  @inlinable
  @discardableResult
  public func implement<A, B, C, D, E, F, Outcome>(
    _ selector: Selector, options: ImplementOptions = [],
    _ body: @escaping @Sendable (A, B, C, D, E, F) throws -> Outcome
  ) throws(MessageError) -> DelegateMethod {
    try implement(selector, options, [A.self, B.self, C.self, D.self, E.self, F.self]) {
      (_: AnyObject, arguments: (A, B, C, D, E, F)) throws -> Outcome in
      try body(arguments.0, arguments.1, arguments.2, arguments.3, arguments.4, arguments.5)
    }
  }

  /// Implements a message by a Swift closure with seven arguments.
  @inlinable
  @discardableResult
  public func implement<A, B, C, D, E, F, G, Outcome>(
    _ selector: Selector, options: ImplementOptions = [],
    _ body: @escaping @Sendable (A, B, C, D, E, F, G) throws -> Outcome
  ) throws(MessageError) -> DelegateMethod {
    try implement(selector, options, [A.self, B.self, C.self, D.self, E.self, F.self, G.self]) {
      (_: AnyObject, arguments: (A, B, C, D, E, F, G)) throws -> Outcome in
      try body(
        arguments.0, arguments.1, arguments.2, arguments.3, arguments.4, arguments.5, arguments.6)
    }
  }

  /// Implements a message by a Swift closure with eight arguments.
  @inlinable
  @discardableResult
  public func implement<A, B, C, D, E, F, G, H, Outcome>(
    _ selector: Selector, options: ImplementOptions = [],
    _ body: @escaping @Sendable (A, B, C, D, E, F, G, H) throws -> Outcome
  ) throws(MessageError) -> DelegateMethod {
    try implement(
      selector, options, [A.self, B.self, C.self, D.self, E.self, F.self, G.self, H.self]
    ) {
      (_: AnyObject, arguments: (A, B, C, D, E, F, G, H)) throws -> Outcome in
      try body(
        arguments.0, arguments.1, arguments.2, arguments.3, arguments.4, arguments.5, arguments.6,
        arguments.7)
    }
  }

  /// Implements a message by a Swift closure with any number of arguments.
  ///
  /// A function with more than eight arguments that takes a function is called in a closure that is written here, `{ (a: Int, b: …) in f(a, b) }`:
  /// the compiler ends if it is passed itself.
  @discardableResult
  public func implement<each Argument, Outcome>(
    _ selector: Selector, options: ImplementOptions = [],
    _ body: @escaping @Sendable (repeat each Argument) throws -> Outcome
  ) throws(MessageError) -> DelegateMethod {
    var types: [Any.Type] = []
    for type in repeat (each Argument).self { types.append(type) }
    return try implement(selector, options, types) {
      (_: AnyObject, arguments: (repeat each Argument)) throws -> Outcome in
      try body(repeat each arguments)
    }
  }

  @usableFromInline
  func implement<Arguments, Outcome>(
    _ selector: Selector, _ options: ImplementOptions, _ types: [Any.Type],
    _ body: @escaping @Sendable (AnyObject, Arguments) throws -> Outcome
  ) throws(MessageError) -> DelegateMethod {
    // What `self?.close()` returns, as the closure's last expression.
    if Outcome.self == Void?.self {
      return try implement(selector, options, types) {
        (receiver: AnyObject, arguments: Arguments) throws -> Void in
        _ = try body(receiver, arguments)
      }
    }
    if let block = (types + [Outcome.self]).first(where: { BlockType.isBlock(any: $0) }) {
      throw MessageError(
        .invalidMethod, "`\(selector)`: \(block) is a block type; declare a Block",
        selector: selector)
    }
    let arguments = try ArgumentTypes.of(Arguments.self)
    return try implement(
      selector, arguments.signature(returning: Outcome.self), "closure", options
    ) { signature, isPrefix in
      guard isPrefix else {
        return TypedImplementation(
          of: DynamicDelegate.self, isReference: false, body, BodyInMemory(body))
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
