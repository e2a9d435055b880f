public import Invocations

// The compiler infers the types of a closure's parameters from those of a method, but not from a
// parameter pack, and does not specialise packs: each number of arguments has a type of its own.

// SAFETY, for the whole file: the hook of a selector runs for instances of its receiver class; `installHook`
// refuses selectors of methods of other classes.

/// The selector of a method with no arguments.
public struct TypedSelector0<Receiver: AnyObject, Outcome>: TypedSelector {
  public typealias Arguments = Void
  public typealias Handler =
    @Sendable (_ original: () throws -> Outcome, Receiver) throws -> Outcome
  public typealias Body = @Sendable (Receiver) throws -> Outcome

  public let selector: Selector

  public init(_ selector: Selector) { self.selector = selector }

  /// Creates a selector with the types of a method, such as `Weather.degrees`, which is not called.
  public init(_ selector: Selector, _ method: (Receiver) -> () throws -> Outcome) {
    self.selector = selector
  }

  public static var _argumentTypes: [Any.Type] { [] }

  @inlinable
  @inline(__always)
  public static func _body(
    _ handler: @escaping Handler, around original: OriginalMethod<Void, Outcome>
  ) -> @Sendable (AnyObject, Void) throws -> Outcome {
    { receiver, _ in
      try handler(
        { try original.call(receiver, ()) },
        unsafe unsafeDowncast(receiver, to: Receiver.self))
    }
  }

  @inlinable
  public static func _method(_ selector: Selector, _ body: @escaping Body) -> Method {
    Method(selector, body: body)
  }
}

/// The selector of a method with one argument.
public struct TypedSelector1<Receiver: AnyObject, A, Outcome>: TypedSelector {
  public typealias Arguments = A
  public typealias Handler =
    @Sendable (_ original: (A) throws -> Outcome, Receiver, A) throws -> Outcome
  public typealias Body = @Sendable (Receiver, A) throws -> Outcome

  public let selector: Selector

  public init(_ selector: Selector) { self.selector = selector }

  /// Creates a selector with the types of a method, such as `Weather.degrees`, which is not called.
  public init(_ selector: Selector, _ method: (Receiver) -> (A) throws -> Outcome) {
    self.selector = selector
  }

  public static var _argumentTypes: [Any.Type] { [A.self] }

  @inlinable
  @inline(__always)
  public static func _body(
    _ handler: @escaping Handler, around original: OriginalMethod<A, Outcome>
  ) -> @Sendable (AnyObject, A) throws -> Outcome {
    { receiver, arguments in
      try handler(
        { a in try original.call(receiver, a) },
        unsafe unsafeDowncast(receiver, to: Receiver.self), arguments)
    }
  }

  @inlinable
  public static func _method(_ selector: Selector, _ body: @escaping Body) -> Method {
    Method(selector, body: body)
  }
}

/// The selector of a method with two arguments.
public struct TypedSelector2<Receiver: AnyObject, A, B, Outcome>: TypedSelector {
  public typealias Arguments = (A, B)
  public typealias Handler =
    @Sendable (_ original: (A, B) throws -> Outcome, Receiver, A, B) throws -> Outcome
  public typealias Body = @Sendable (Receiver, A, B) throws -> Outcome

  public let selector: Selector

  public init(_ selector: Selector) { self.selector = selector }

  /// Creates a selector with the types of a method, such as `Weather.degrees`, which is not called.
  public init(_ selector: Selector, _ method: (Receiver) -> (A, B) throws -> Outcome) {
    self.selector = selector
  }

  public static var _argumentTypes: [Any.Type] { [A.self, B.self] }

  @inlinable
  @inline(__always)
  public static func _body(
    _ handler: @escaping Handler, around original: OriginalMethod<(A, B), Outcome>
  ) -> @Sendable (AnyObject, (A, B)) throws -> Outcome {
    { receiver, arguments in
      try handler(
        { a, b in try original.call(receiver, (a, b)) },
        unsafe unsafeDowncast(receiver, to: Receiver.self), arguments.0, arguments.1)
    }
  }

  @inlinable
  public static func _method(_ selector: Selector, _ body: @escaping Body) -> Method {
    Method(selector, body: body)
  }
}

/// The selector of a method with three arguments.
public struct TypedSelector3<Receiver: AnyObject, A, B, C, Outcome>: TypedSelector {
  public typealias Arguments = (A, B, C)
  public typealias Handler =
    @Sendable (_ original: (A, B, C) throws -> Outcome, Receiver, A, B, C) throws -> Outcome
  public typealias Body = @Sendable (Receiver, A, B, C) throws -> Outcome

  public let selector: Selector

  public init(_ selector: Selector) { self.selector = selector }

  /// Creates a selector with the types of a method, such as `Weather.degrees`, which is not called.
  public init(_ selector: Selector, _ method: (Receiver) -> (A, B, C) throws -> Outcome) {
    self.selector = selector
  }

  public static var _argumentTypes: [Any.Type] { [A.self, B.self, C.self] }

  @inlinable
  @inline(__always)
  public static func _body(
    _ handler: @escaping Handler, around original: OriginalMethod<(A, B, C), Outcome>
  ) -> @Sendable (AnyObject, (A, B, C)) throws -> Outcome {
    { receiver, arguments in
      try handler(
        { a, b, c in try original.call(receiver, (a, b, c)) },
        unsafe unsafeDowncast(receiver, to: Receiver.self), arguments.0, arguments.1, arguments.2)
    }
  }

  @inlinable
  public static func _method(_ selector: Selector, _ body: @escaping Body) -> Method {
    Method(selector, body: body)
  }
}

/// The selector of a method with four arguments.
public struct TypedSelector4<Receiver: AnyObject, A, B, C, D, Outcome>: TypedSelector {
  public typealias Arguments = (A, B, C, D)
  public typealias Handler =
    @Sendable (_ original: (A, B, C, D) throws -> Outcome, Receiver, A, B, C, D) throws -> Outcome
  public typealias Body = @Sendable (Receiver, A, B, C, D) throws -> Outcome

  public let selector: Selector

  public init(_ selector: Selector) { self.selector = selector }

  /// Creates a selector with the types of a method, such as `Weather.degrees`, which is not called.
  public init(_ selector: Selector, _ method: (Receiver) -> (A, B, C, D) throws -> Outcome) {
    self.selector = selector
  }

  public static var _argumentTypes: [Any.Type] { [A.self, B.self, C.self, D.self] }

  @inlinable
  @inline(__always)
  public static func _body(
    _ handler: @escaping Handler, around original: OriginalMethod<(A, B, C, D), Outcome>
  ) -> @Sendable (AnyObject, (A, B, C, D)) throws -> Outcome {
    { receiver, arguments in
      try handler(
        { a, b, c, d in try original.call(receiver, (a, b, c, d)) },
        unsafe unsafeDowncast(receiver, to: Receiver.self), arguments.0, arguments.1, arguments.2,
        arguments.3)
    }
  }

  @inlinable
  public static func _method(_ selector: Selector, _ body: @escaping Body) -> Method {
    Method(selector, body: body)
  }
}

/// The selector of a method with five arguments.
public struct TypedSelector5<Receiver: AnyObject, A, B, C, D, E, Outcome>: TypedSelector {
  public typealias Arguments = (A, B, C, D, E)
  public typealias Handler =
    @Sendable (_ original: (A, B, C, D, E) throws -> Outcome, Receiver, A, B, C, D, E) throws ->
    Outcome
  public typealias Body = @Sendable (Receiver, A, B, C, D, E) throws -> Outcome

  public let selector: Selector

  public init(_ selector: Selector) { self.selector = selector }

  /// Creates a selector with the types of a method, such as `Weather.degrees`, which is not called.
  public init(_ selector: Selector, _ method: (Receiver) -> (A, B, C, D, E) throws -> Outcome) {
    self.selector = selector
  }

  public static var _argumentTypes: [Any.Type] { [A.self, B.self, C.self, D.self, E.self] }

  @inlinable
  @inline(__always)
  public static func _body(
    _ handler: @escaping Handler, around original: OriginalMethod<(A, B, C, D, E), Outcome>
  ) -> @Sendable (AnyObject, (A, B, C, D, E)) throws -> Outcome {
    { receiver, arguments in
      try handler(
        { a, b, c, d, e in try original.call(receiver, (a, b, c, d, e)) },
        unsafe unsafeDowncast(receiver, to: Receiver.self), arguments.0, arguments.1, arguments.2,
        arguments.3, arguments.4)
    }
  }

  @inlinable
  public static func _method(_ selector: Selector, _ body: @escaping Body) -> Method {
    Method(selector, body: body)
  }
}

/// The selector of a method with six arguments.
public struct TypedSelector6<Receiver: AnyObject, A, B, C, D, E, F, Outcome>: TypedSelector {
  public typealias Arguments = (A, B, C, D, E, F)
  public typealias Handler =
    @Sendable (_ original: (A, B, C, D, E, F) throws -> Outcome, Receiver, A, B, C, D, E, F) throws
    -> Outcome
  public typealias Body = @Sendable (Receiver, A, B, C, D, E, F) throws -> Outcome

  public let selector: Selector

  public init(_ selector: Selector) { self.selector = selector }

  /// Creates a selector with the types of a method, such as `Weather.degrees`, which is not called.
  public init(_ selector: Selector, _ method: (Receiver) -> (A, B, C, D, E, F) throws -> Outcome) {
    self.selector = selector
  }

  public static var _argumentTypes: [Any.Type] { [A.self, B.self, C.self, D.self, E.self, F.self] }

  @inlinable
  @inline(__always)
  public static func _body(
    _ handler: @escaping Handler, around original: OriginalMethod<(A, B, C, D, E, F), Outcome>
  ) -> @Sendable (AnyObject, (A, B, C, D, E, F)) throws -> Outcome {
    { receiver, arguments in
      try handler(
        { a, b, c, d, e, f in try original.call(receiver, (a, b, c, d, e, f)) },
        unsafe unsafeDowncast(receiver, to: Receiver.self), arguments.0, arguments.1, arguments.2,
        arguments.3, arguments.4, arguments.5)
    }
  }

  @inlinable
  public static func _method(_ selector: Selector, _ body: @escaping Body) -> Method {
    Method(selector, body: body)
  }
}

/// The selector of a method with seven arguments.
public struct TypedSelector7<Receiver: AnyObject, A, B, C, D, E, F, G, Outcome>: TypedSelector {
  public typealias Arguments = (A, B, C, D, E, F, G)
  public typealias Handler =
    @Sendable (_ original: (A, B, C, D, E, F, G) throws -> Outcome, Receiver, A, B, C, D, E, F, G)
    throws -> Outcome
  public typealias Body = @Sendable (Receiver, A, B, C, D, E, F, G) throws -> Outcome

  public let selector: Selector

  public init(_ selector: Selector) { self.selector = selector }

  /// Creates a selector with the types of a method, such as `Weather.degrees`, which is not called.
  public init(_ selector: Selector, _ method: (Receiver) -> (A, B, C, D, E, F, G) throws -> Outcome)
  {
    self.selector = selector
  }

  public static var _argumentTypes: [Any.Type] {
    [A.self, B.self, C.self, D.self, E.self, F.self, G.self]
  }

  @inlinable
  @inline(__always)
  public static func _body(
    _ handler: @escaping Handler, around original: OriginalMethod<(A, B, C, D, E, F, G), Outcome>
  ) -> @Sendable (AnyObject, (A, B, C, D, E, F, G)) throws -> Outcome {
    { receiver, arguments in
      try handler(
        { a, b, c, d, e, f, g in try original.call(receiver, (a, b, c, d, e, f, g)) },
        unsafe unsafeDowncast(receiver, to: Receiver.self), arguments.0, arguments.1, arguments.2,
        arguments.3, arguments.4, arguments.5, arguments.6)
    }
  }

  @inlinable
  public static func _method(_ selector: Selector, _ body: @escaping Body) -> Method {
    Method(selector, body: body)
  }
}

/// The selector of a method with eight arguments.
public struct TypedSelector8<Receiver: AnyObject, A, B, C, D, E, F, G, H, Outcome>: TypedSelector {
  public typealias Arguments = (A, B, C, D, E, F, G, H)
  public typealias Handler =
    @Sendable (
      _ original: (A, B, C, D, E, F, G, H) throws -> Outcome, Receiver, A, B, C, D, E, F, G, H
    ) throws -> Outcome
  public typealias Body = @Sendable (Receiver, A, B, C, D, E, F, G, H) throws -> Outcome

  public let selector: Selector

  public init(_ selector: Selector) { self.selector = selector }

  /// Creates a selector with the types of a method, such as `Weather.degrees`, which is not called.
  public init(
    _ selector: Selector, _ method: (Receiver) -> (A, B, C, D, E, F, G, H) throws -> Outcome
  ) {
    self.selector = selector
  }

  public static var _argumentTypes: [Any.Type] {
    [A.self, B.self, C.self, D.self, E.self, F.self, G.self, H.self]
  }

  @inlinable
  @inline(__always)
  public static func _body(
    _ handler: @escaping Handler, around original: OriginalMethod<(A, B, C, D, E, F, G, H), Outcome>
  ) -> @Sendable (AnyObject, (A, B, C, D, E, F, G, H)) throws -> Outcome {
    { receiver, arguments in
      try handler(
        { a, b, c, d, e, f, g, h in try original.call(receiver, (a, b, c, d, e, f, g, h)) },
        unsafe unsafeDowncast(receiver, to: Receiver.self), arguments.0, arguments.1, arguments.2,
        arguments.3, arguments.4, arguments.5, arguments.6, arguments.7)
    }
  }

  @inlinable
  public static func _method(_ selector: Selector, _ body: @escaping Body) -> Method {
    Method(selector, body: body)
  }
}
