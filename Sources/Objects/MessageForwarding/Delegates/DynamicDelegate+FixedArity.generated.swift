// Made by Scripts/generate: change Scripts/Generation.

public import Invocations

// As for methods.

extension DynamicDelegate {
  /// Implements a message by a Swift closure with no arguments.
  @inlinable
  @discardableResult
  public func implement<Outcome>(
    _ selector: Selector, options: ImplementOptions = [],
    _ body: @escaping @Sendable () throws -> Outcome
  ) throws(MessageError) -> DelegateMethod {
    try implement(selector, options, []) { (_: AnyObject, _: Void) in try body() }
  }

  /// Implements a message by a Swift closure with one argument.
  @inlinable
  @discardableResult
  public func implement<A, Outcome>(
    _ selector: Selector, options: ImplementOptions = [],
    _ body: @escaping @Sendable (A) throws -> Outcome
  ) throws(MessageError) -> DelegateMethod {
    try implement(selector, options, [A.self]) { (_: AnyObject, arguments: A) in try body(arguments)
    }
  }

  /// Implements a message by a Swift closure with two arguments.
  @inlinable
  @discardableResult
  public func implement<A, B, Outcome>(
    _ selector: Selector, options: ImplementOptions = [],
    _ body: @escaping @Sendable (A, B) throws -> Outcome
  ) throws(MessageError) -> DelegateMethod {
    try implement(selector, options, [A.self, B.self]) { (_: AnyObject, arguments: (A, B)) in
      try body(arguments.0, arguments.1)
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
      (_: AnyObject, arguments: (A, B, C)) in try body(arguments.0, arguments.1, arguments.2)
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
      (_: AnyObject, arguments: (A, B, C, D)) in
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
      (_: AnyObject, arguments: (A, B, C, D, E)) in
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
      (_: AnyObject, arguments: (A, B, C, D, E, F)) in
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
      (_: AnyObject, arguments: (A, B, C, D, E, F, G)) in
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
    ) { (_: AnyObject, arguments: (A, B, C, D, E, F, G, H)) in
      try body(
        arguments.0, arguments.1, arguments.2, arguments.3, arguments.4, arguments.5, arguments.6,
        arguments.7)
    }
  }
}
