public import Invocations

// Each number of arguments has a type of its own, as in TypedSelectors.swift.

// SAFETY, for the whole file: the hook of a selector runs for instances of its receiver class; `installHook`
// refuses selectors of methods of other classes.

/// The selector of a method with five arguments.
public struct TypedSelector5<Receiver: AnyObject, A, B, C, D, E, Outcome>: TypedSelector {
  /// The arguments.
  public typealias Arguments = (A, B, C, D, E)
  /// Runs instead of the method.
  public typealias Handler =
    @Sendable (_ original: (A, B, C, D, E) throws -> Outcome, Receiver, A, B, C, D, E) throws ->
    Outcome
  /// Is the method.
  public typealias Body = @Sendable (Receiver, A, B, C, D, E) throws -> Outcome

  /// The selector.
  public let selector: Selector

  /// Creates a selector with the types of this type's parameters.
  public init(_ selector: Selector) { self.selector = selector }

  /// Creates a selector with the types of a method, such as `Weather.degrees`, which is not called.
  public init(_ selector: Selector, _ method: (Receiver) -> (A, B, C, D, E) throws -> Outcome) {
    self.selector = selector
  }

  /// The types of the arguments.
  public static var _argumentTypes: [Any.Type] { [A.self, B.self, C.self, D.self, E.self] }

  /// Makes a body that runs a handler around another one.
  @inlinable
  @inline(__always)
  public static func _wrapping(
    _ handler: @escaping Handler
  ) -> @Sendable (MethodBody<(A, B, C, D, E), Outcome>) -> MethodBody<(A, B, C, D, E), Outcome> {
    { original in
      MethodBody { receiver, arguments in
        try handler(
          { a, b, c, d, e in try original.call(receiver, (a, b, c, d, e)) },
          unsafe unsafeDowncast(receiver, to: Receiver.self), arguments.0, arguments.1, arguments.2,
          arguments.3, arguments.4)
      }
    }
  }

  /// The method of a closure.
  @inlinable
  public static func _method(_ selector: Selector, _ body: @escaping Body) -> Method {
    Method(selector, body: body)
  }
}

/// The selector of a method with six arguments.
public struct TypedSelector6<Receiver: AnyObject, A, B, C, D, E, F, Outcome>: TypedSelector {
  /// The arguments.
  public typealias Arguments = (A, B, C, D, E, F)
  /// Runs instead of the method.
  public typealias Handler =
    @Sendable (_ original: (A, B, C, D, E, F) throws -> Outcome, Receiver, A, B, C, D, E, F) throws
    -> Outcome
  /// Is the method.
  public typealias Body = @Sendable (Receiver, A, B, C, D, E, F) throws -> Outcome

  /// The selector.
  public let selector: Selector

  /// Creates a selector with the types of this type's parameters.
  public init(_ selector: Selector) { self.selector = selector }

  /// Creates a selector with the types of a method, such as `Weather.degrees`, which is not called.
  public init(_ selector: Selector, _ method: (Receiver) -> (A, B, C, D, E, F) throws -> Outcome) {
    self.selector = selector
  }

  /// The types of the arguments.
  public static var _argumentTypes: [Any.Type] { [A.self, B.self, C.self, D.self, E.self, F.self] }

  /// Makes a body that runs a handler around another one.
  @inlinable
  @inline(__always)
  public static func _wrapping(
    _ handler: @escaping Handler
  )
    -> @Sendable (MethodBody<(A, B, C, D, E, F), Outcome>) -> MethodBody<
      (A, B, C, D, E, F), Outcome
    >
  {
    { original in
      MethodBody { receiver, arguments in
        try handler(
          { a, b, c, d, e, f in try original.call(receiver, (a, b, c, d, e, f)) },
          unsafe unsafeDowncast(receiver, to: Receiver.self), arguments.0, arguments.1, arguments.2,
          arguments.3, arguments.4, arguments.5)
      }
    }
  }

  /// The method of a closure.
  @inlinable
  public static func _method(_ selector: Selector, _ body: @escaping Body) -> Method {
    Method(selector, body: body)
  }
}

/// The selector of a method with seven arguments.
public struct TypedSelector7<Receiver: AnyObject, A, B, C, D, E, F, G, Outcome>: TypedSelector {
  /// The arguments.
  public typealias Arguments = (A, B, C, D, E, F, G)
  /// Runs instead of the method.
  public typealias Handler =
    @Sendable (_ original: (A, B, C, D, E, F, G) throws -> Outcome, Receiver, A, B, C, D, E, F, G)
    throws -> Outcome
  /// Is the method.
  public typealias Body = @Sendable (Receiver, A, B, C, D, E, F, G) throws -> Outcome

  /// The selector.
  public let selector: Selector

  /// Creates a selector with the types of this type's parameters.
  public init(_ selector: Selector) { self.selector = selector }

  /// Creates a selector with the types of a method, such as `Weather.degrees`, which is not called.
  public init(_ selector: Selector, _ method: (Receiver) -> (A, B, C, D, E, F, G) throws -> Outcome)
  {
    self.selector = selector
  }

  /// The types of the arguments.
  public static var _argumentTypes: [Any.Type] {
    [A.self, B.self, C.self, D.self, E.self, F.self, G.self]
  }

  /// Makes a body that runs a handler around another one.
  @inlinable
  @inline(__always)
  public static func _wrapping(
    _ handler: @escaping Handler
  )
    -> @Sendable (MethodBody<(A, B, C, D, E, F, G), Outcome>) -> MethodBody<
      (A, B, C, D, E, F, G), Outcome
    >
  {
    { original in
      MethodBody { receiver, arguments in
        try handler(
          { a, b, c, d, e, f, g in try original.call(receiver, (a, b, c, d, e, f, g)) },
          unsafe unsafeDowncast(receiver, to: Receiver.self), arguments.0, arguments.1, arguments.2,
          arguments.3, arguments.4, arguments.5, arguments.6)
      }
    }
  }

  /// The method of a closure.
  @inlinable
  public static func _method(_ selector: Selector, _ body: @escaping Body) -> Method {
    Method(selector, body: body)
  }
}

/// The selector of a method with eight arguments.
public struct TypedSelector8<Receiver: AnyObject, A, B, C, D, E, F, G, H, Outcome>: TypedSelector {
  /// The arguments.
  public typealias Arguments = (A, B, C, D, E, F, G, H)
  /// Runs instead of the method.
  public typealias Handler =
    @Sendable (
      _ original: (A, B, C, D, E, F, G, H) throws -> Outcome, Receiver, A, B, C, D, E, F, G, H
    ) throws -> Outcome
  /// Is the method.
  public typealias Body = @Sendable (Receiver, A, B, C, D, E, F, G, H) throws -> Outcome

  /// The selector.
  public let selector: Selector

  /// Creates a selector with the types of this type's parameters.
  public init(_ selector: Selector) { self.selector = selector }

  /// Creates a selector with the types of a method, such as `Weather.degrees`, which is not called.
  public init(
    _ selector: Selector, _ method: (Receiver) -> (A, B, C, D, E, F, G, H) throws -> Outcome
  ) {
    self.selector = selector
  }

  /// The types of the arguments.
  public static var _argumentTypes: [Any.Type] {
    [A.self, B.self, C.self, D.self, E.self, F.self, G.self, H.self]
  }

  /// Makes a body that runs a handler around another one.
  @inlinable
  @inline(__always)
  public static func _wrapping(
    _ handler: @escaping Handler
  )
    -> @Sendable (MethodBody<(A, B, C, D, E, F, G, H), Outcome>) -> MethodBody<
      (A, B, C, D, E, F, G, H), Outcome
    >
  {
    { original in
      MethodBody { receiver, arguments in
        try handler(
          { a, b, c, d, e, f, g, h in try original.call(receiver, (a, b, c, d, e, f, g, h)) },
          unsafe unsafeDowncast(receiver, to: Receiver.self), arguments.0, arguments.1, arguments.2,
          arguments.3, arguments.4, arguments.5, arguments.6, arguments.7)
      }
    }
  }

  /// The method of a closure.
  @inlinable
  public static func _method(_ selector: Selector, _ body: @escaping Body) -> Method {
    Method(selector, body: body)
  }
}
