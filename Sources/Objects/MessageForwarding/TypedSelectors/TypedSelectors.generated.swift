// Made by Scripts/generate: change Scripts/Generation.

public import Invocations

// The compiler infers the types of a closure's parameters from those of a method, but not from a
// parameter pack: each number of arguments has a type of its own.

// SAFETY, for the whole file: the hook of a selector runs for instances of its receiver class;
// `installHook` refuses selectors of methods of other classes.

/// The selector of a method with no arguments.
public struct TypedSelector0<Receiver: AnyObject, Outcome>: SyncTypedSelector {
  /// The arguments.
  public typealias Arguments = Void
  /// Runs instead of the method.
  public typealias Handler =
    @Sendable (_ original: () throws -> Outcome, Receiver) throws -> Outcome
  /// Is the method.
  public typealias Body = @Sendable (Receiver) throws -> Outcome

  /// The selector.
  public let selector: Selector

  /// Creates a selector with the types of this type's parameters.
  @inlinable
  public init(_ selector: Selector) { self.selector = selector }

  /// Creates a selector with the types of a method, such as `Weather.degrees`, which is not called.
  public init(_ selector: Selector, _ method: (Receiver) -> () throws -> Outcome) {
    self.selector = selector
  }

  /// The types of the arguments.
  public static var _argumentTypes: [Any.Type] { [] }

  /// Makes a body that runs a handler around another one.
  public static func _wrapping(
    _ handler: @escaping Handler
  ) -> @Sendable (MethodBody<Void, Outcome>) -> MethodBody<Void, Outcome> {
    { original in
      MethodBody { receiver, _ in
        let receiver = unsafe unsafeDowncast(receiver, to: Receiver.self)
        return try handler({ try original.call(receiver, ()) }, receiver)
      }
    }
  }

  /// The method of a closure.
  @inlinable
  public static func _method(_ selector: Selector, _ body: @escaping Body) -> Method {
    Method(selector, body: body)
  }

  /// Makes the method of a reference to one with the types of this type's parameters.
  @inlinable
  public static func method(
    _ selector: Selector,
    _ reference: @escaping @Sendable (Receiver) -> () throws -> Outcome
  ) -> Method { Method(selector, reference) }

  /// Makes the method of a reference to one of the main actor.
  @inlinable
  public static func method(
    _ selector: Selector,
    _ reference: @escaping @Sendable (Receiver) -> @MainActor () throws -> Outcome
  ) -> Method { Method(selector, reference) }
}

/// The selector of a method with one argument.
public struct TypedSelector1<Receiver: AnyObject, A, Outcome>: SyncTypedSelector {
  /// The arguments.
  public typealias Arguments = A
  /// The type of the first argument.
  public typealias First = A
  /// Runs instead of the method.
  public typealias Handler =
    @Sendable (_ original: (A) throws -> Outcome, Receiver, A) throws -> Outcome
  /// Is the method.
  public typealias Body = @Sendable (Receiver, A) throws -> Outcome

  /// The selector.
  public let selector: Selector

  /// Creates a selector with the types of this type's parameters.
  @inlinable
  public init(_ selector: Selector) { self.selector = selector }

  /// Creates a selector with the types of a method, such as `Weather.degrees`, which is not called.
  public init(_ selector: Selector, _ method: (Receiver) -> (A) throws -> Outcome) {
    self.selector = selector
  }

  /// The types of the arguments.
  public static var _argumentTypes: [Any.Type] { [A.self] }

  /// Makes a body that runs a handler around another one.
  public static func _wrapping(
    _ handler: @escaping Handler
  ) -> @Sendable (MethodBody<A, Outcome>) -> MethodBody<A, Outcome> {
    { original in
      MethodBody { receiver, arguments in
        let receiver = unsafe unsafeDowncast(receiver, to: Receiver.self)
        return try handler({ a in try original.call(receiver, a) }, receiver, arguments)
      }
    }
  }

  /// The method of a closure.
  @inlinable
  public static func _method(_ selector: Selector, _ body: @escaping Body) -> Method {
    Method(selector, body: body)
  }

  /// Makes the method of a reference to one with the types of this type's parameters.
  @inlinable
  public static func method(
    _ selector: Selector,
    _ reference: @escaping @Sendable (Receiver) -> (A) throws -> Outcome
  ) -> Method { Method(selector, reference) }

  /// Makes the method of a reference to one of the main actor.
  @inlinable
  public static func method(
    _ selector: Selector,
    _ reference: @escaping @Sendable (Receiver) -> @MainActor (A) throws -> Outcome
  ) -> Method { Method(selector, reference) }
}

/// The selector of a method with two arguments.
public struct TypedSelector2<Receiver: AnyObject, A, B, Outcome>: SyncTypedSelector {
  /// The arguments.
  public typealias Arguments = (A, B)
  /// The type of the first argument.
  public typealias First = A
  /// The type of the second argument.
  public typealias Second = B
  /// Runs instead of the method.
  public typealias Handler =
    @Sendable (_ original: (A, B) throws -> Outcome, Receiver, A, B) throws -> Outcome
  /// Is the method.
  public typealias Body = @Sendable (Receiver, A, B) throws -> Outcome

  /// The selector.
  public let selector: Selector

  /// Creates a selector with the types of this type's parameters.
  @inlinable
  public init(_ selector: Selector) { self.selector = selector }

  /// Creates a selector with the types of a method, such as `Weather.degrees`, which is not called.
  public init(_ selector: Selector, _ method: (Receiver) -> (A, B) throws -> Outcome) {
    self.selector = selector
  }

  /// The types of the arguments.
  public static var _argumentTypes: [Any.Type] { [A.self, B.self] }

  /// Makes a body that runs a handler around another one.
  @inlinable
  @inline(__always)
  public static func _wrapping(
    _ handler: @escaping Handler
  ) -> @Sendable (MethodBody<(A, B), Outcome>) -> MethodBody<(A, B), Outcome> {
    { original in
      MethodBody { receiver, arguments in
        let receiver = unsafe unsafeDowncast(receiver, to: Receiver.self)
        return try handler(
          { a, b in try original.call(receiver, (a, b)) }, receiver, arguments.0, arguments.1)
      }
    }
  }

  /// The method of a closure.
  @inlinable
  public static func _method(_ selector: Selector, _ body: @escaping Body) -> Method {
    Method(selector, body: body)
  }

  /// Makes the method of a reference to one with the types of this type's parameters.
  @inlinable
  public static func method(
    _ selector: Selector,
    _ reference: @escaping @Sendable (Receiver) -> (A, B) throws -> Outcome
  ) -> Method { Method(selector, reference) }

  /// Makes the method of a reference to one of the main actor.
  @inlinable
  public static func method(
    _ selector: Selector,
    _ reference: @escaping @Sendable (Receiver) -> @MainActor (A, B) throws -> Outcome
  ) -> Method { Method(selector, reference) }
}

/// The selector of a method with three arguments.
public struct TypedSelector3<Receiver: AnyObject, A, B, C, Outcome>: SyncTypedSelector {
  /// The arguments.
  public typealias Arguments = (A, B, C)
  /// The type of the first argument.
  public typealias First = A
  /// The type of the second argument.
  public typealias Second = B
  /// The type of the third argument.
  public typealias Third = C
  /// Runs instead of the method.
  public typealias Handler =
    @Sendable (_ original: (A, B, C) throws -> Outcome, Receiver, A, B, C) throws -> Outcome
  /// Is the method.
  public typealias Body = @Sendable (Receiver, A, B, C) throws -> Outcome

  /// The selector.
  public let selector: Selector

  /// Creates a selector with the types of this type's parameters.
  @inlinable
  public init(_ selector: Selector) { self.selector = selector }

  /// Creates a selector with the types of a method, such as `Weather.degrees`, which is not called.
  public init(_ selector: Selector, _ method: (Receiver) -> (A, B, C) throws -> Outcome) {
    self.selector = selector
  }

  /// The types of the arguments.
  public static var _argumentTypes: [Any.Type] { [A.self, B.self, C.self] }

  /// Makes a body that runs a handler around another one.
  @inlinable
  @inline(__always)
  public static func _wrapping(
    _ handler: @escaping Handler
  ) -> @Sendable (MethodBody<(A, B, C), Outcome>) -> MethodBody<(A, B, C), Outcome> {
    { original in
      MethodBody { receiver, arguments in
        let receiver = unsafe unsafeDowncast(receiver, to: Receiver.self)
        return try handler(
          { a, b, c in try original.call(receiver, (a, b, c)) }, receiver, arguments.0, arguments.1,
          arguments.2)
      }
    }
  }

  /// The method of a closure.
  @inlinable
  public static func _method(_ selector: Selector, _ body: @escaping Body) -> Method {
    Method(selector, body: body)
  }

  /// Makes the method of a reference to one with the types of this type's parameters.
  @inlinable
  public static func method(
    _ selector: Selector,
    _ reference: @escaping @Sendable (Receiver) -> (A, B, C) throws -> Outcome
  ) -> Method { Method(selector, reference) }

  /// Makes the method of a reference to one of the main actor.
  @inlinable
  public static func method(
    _ selector: Selector,
    _ reference: @escaping @Sendable (Receiver) -> @MainActor (A, B, C) throws -> Outcome
  ) -> Method { Method(selector, reference) }
}

/// The selector of a method with four arguments.
public struct TypedSelector4<Receiver: AnyObject, A, B, C, D, Outcome>: SyncTypedSelector {
  /// The arguments.
  public typealias Arguments = (A, B, C, D)
  /// The type of the first argument.
  public typealias First = A
  /// The type of the second argument.
  public typealias Second = B
  /// The type of the third argument.
  public typealias Third = C
  /// The type of the fourth argument.
  public typealias Fourth = D
  /// Runs instead of the method.
  public typealias Handler =
    @Sendable (_ original: (A, B, C, D) throws -> Outcome, Receiver, A, B, C, D) throws -> Outcome
  /// Is the method.
  public typealias Body = @Sendable (Receiver, A, B, C, D) throws -> Outcome

  /// The selector.
  public let selector: Selector

  /// Creates a selector with the types of this type's parameters.
  @inlinable
  public init(_ selector: Selector) { self.selector = selector }

  /// Creates a selector with the types of a method, such as `Weather.degrees`, which is not called.
  public init(_ selector: Selector, _ method: (Receiver) -> (A, B, C, D) throws -> Outcome) {
    self.selector = selector
  }

  /// The types of the arguments.
  public static var _argumentTypes: [Any.Type] { [A.self, B.self, C.self, D.self] }

  /// Makes a body that runs a handler around another one.
  @inlinable
  @inline(__always)
  public static func _wrapping(
    _ handler: @escaping Handler
  ) -> @Sendable (MethodBody<(A, B, C, D), Outcome>) -> MethodBody<(A, B, C, D), Outcome> {
    { original in
      MethodBody { receiver, arguments in
        let receiver = unsafe unsafeDowncast(receiver, to: Receiver.self)
        return try handler(
          { a, b, c, d in try original.call(receiver, (a, b, c, d)) }, receiver, arguments.0,
          arguments.1, arguments.2, arguments.3)
      }
    }
  }

  /// The method of a closure.
  @inlinable
  public static func _method(_ selector: Selector, _ body: @escaping Body) -> Method {
    Method(selector, body: body)
  }

  /// Makes the method of a reference to one with the types of this type's parameters.
  @inlinable
  public static func method(
    _ selector: Selector,
    _ reference: @escaping @Sendable (Receiver) -> (A, B, C, D) throws -> Outcome
  ) -> Method { Method(selector, reference) }

  /// Makes the method of a reference to one of the main actor.
  @inlinable
  public static func method(
    _ selector: Selector,
    _ reference: @escaping @Sendable (Receiver) -> @MainActor (A, B, C, D) throws -> Outcome
  ) -> Method { Method(selector, reference) }
}

/// The selector of a method with five arguments.
public struct TypedSelector5<Receiver: AnyObject, A, B, C, D, E, Outcome>: SyncTypedSelector {
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
  @inlinable
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
        let receiver = unsafe unsafeDowncast(receiver, to: Receiver.self)
        return try handler(
          { a, b, c, d, e in try original.call(receiver, (a, b, c, d, e)) }, receiver, arguments.0,
          arguments.1, arguments.2, arguments.3, arguments.4)
      }
    }
  }

  /// The method of a closure.
  @inlinable
  public static func _method(_ selector: Selector, _ body: @escaping Body) -> Method {
    Method(selector, body: body)
  }

  /// Makes the method of a reference to one with the types of this type's parameters.
  @inlinable
  public static func method(
    _ selector: Selector,
    _ reference: @escaping @Sendable (Receiver) -> (A, B, C, D, E) throws -> Outcome
  ) -> Method { Method(selector, reference) }

  /// Makes the method of a reference to one of the main actor.
  @inlinable
  public static func method(
    _ selector: Selector,
    _ reference: @escaping @Sendable (Receiver) -> @MainActor (A, B, C, D, E) throws -> Outcome
  ) -> Method { Method(selector, reference) }
}

/// The selector of a method with six arguments.
public struct TypedSelector6<Receiver: AnyObject, A, B, C, D, E, F, Outcome>: SyncTypedSelector {
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
  @inlinable
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
        let receiver = unsafe unsafeDowncast(receiver, to: Receiver.self)
        return try handler(
          { a, b, c, d, e, f in try original.call(receiver, (a, b, c, d, e, f)) }, receiver,
          arguments.0, arguments.1, arguments.2, arguments.3, arguments.4, arguments.5)
      }
    }
  }

  /// The method of a closure.
  @inlinable
  public static func _method(_ selector: Selector, _ body: @escaping Body) -> Method {
    Method(selector, body: body)
  }

  /// Makes the method of a reference to one with the types of this type's parameters.
  @inlinable
  public static func method(
    _ selector: Selector,
    _ reference: @escaping @Sendable (Receiver) -> (A, B, C, D, E, F) throws -> Outcome
  ) -> Method { Method(selector, reference) }

  /// Makes the method of a reference to one of the main actor.
  @inlinable
  public static func method(
    _ selector: Selector,
    _ reference: @escaping @Sendable (Receiver) -> @MainActor (A, B, C, D, E, F) throws -> Outcome
  ) -> Method { Method(selector, reference) }
}

/// The selector of a method with seven arguments.
public struct TypedSelector7<Receiver: AnyObject, A, B, C, D, E, F, G, Outcome>: SyncTypedSelector {
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
  @inlinable
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
        let receiver = unsafe unsafeDowncast(receiver, to: Receiver.self)
        return try handler(
          { a, b, c, d, e, f, g in try original.call(receiver, (a, b, c, d, e, f, g)) }, receiver,
          arguments.0, arguments.1, arguments.2, arguments.3, arguments.4, arguments.5, arguments.6)
      }
    }
  }

  /// The method of a closure.
  @inlinable
  public static func _method(_ selector: Selector, _ body: @escaping Body) -> Method {
    Method(selector, body: body)
  }

  /// Makes the method of a reference to one with the types of this type's parameters.
  @inlinable
  public static func method(
    _ selector: Selector,
    _ reference: @escaping @Sendable (Receiver) -> (A, B, C, D, E, F, G) throws -> Outcome
  ) -> Method { Method(selector, reference) }

  /// Makes the method of a reference to one of the main actor.
  @inlinable
  public static func method(
    _ selector: Selector,
    _ reference:
      @escaping @Sendable (Receiver) -> @MainActor (A, B, C, D, E, F, G) throws -> Outcome
  ) -> Method { Method(selector, reference) }
}

/// The selector of a method with eight arguments.
public struct TypedSelector8<Receiver: AnyObject, A, B, C, D, E, F, G, H, Outcome>:
  SyncTypedSelector
{
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
  @inlinable
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
        let receiver = unsafe unsafeDowncast(receiver, to: Receiver.self)
        return try handler(
          { a, b, c, d, e, f, g, h in try original.call(receiver, (a, b, c, d, e, f, g, h)) },
          receiver, arguments.0, arguments.1, arguments.2, arguments.3, arguments.4, arguments.5,
          arguments.6, arguments.7)
      }
    }
  }

  /// The method of a closure.
  @inlinable
  public static func _method(_ selector: Selector, _ body: @escaping Body) -> Method {
    Method(selector, body: body)
  }

  /// Makes the method of a reference to one with the types of this type's parameters.
  @inlinable
  public static func method(
    _ selector: Selector,
    _ reference: @escaping @Sendable (Receiver) -> (A, B, C, D, E, F, G, H) throws -> Outcome
  ) -> Method { Method(selector, reference) }

  /// Makes the method of a reference to one of the main actor.
  @inlinable
  public static func method(
    _ selector: Selector,
    _ reference:
      @escaping @Sendable (Receiver) -> @MainActor (A, B, C, D, E, F, G, H) throws -> Outcome
  ) -> Method { Method(selector, reference) }
}

/// The selector of an async method with no arguments.
public struct AsyncTypedSelector0<Receiver: AnyObject & Sendable, Value: Sendable>: TypedSelector {
  /// The arguments.
  public typealias Arguments = Void
  /// The answer as a message has it.
  public typealias Outcome = AsyncAnswer<Value>
  /// Runs instead of the method.
  public typealias Handler =
    @Sendable (_ original: @Sendable () async throws -> Value, Receiver) async throws -> Value
  /// Is the method.
  public typealias Body = @Sendable (Receiver) async throws -> Value

  /// The selector.
  public let selector: Selector

  /// Creates a selector with the types of this type's parameters.
  @inlinable
  public init(_ selector: Selector) { self.selector = selector }

  /// Creates a selector with the types of a method, such as `Weather.degrees`, which is not called.
  public init(_ selector: Selector, _ method: (Receiver) -> () async throws -> Value) {
    self.selector = selector
  }

  /// The types of the arguments.
  public static var _argumentTypes: [Any.Type] { [] }

  /// Makes a body that runs a handler around another one.
  public static func _wrapping(
    _ handler: @escaping Handler
  ) -> @Sendable (MethodBody<Void, Outcome>) -> MethodBody<Void, Outcome> {
    { original in
      MethodBody { receiver, _ in
        let receiver = unsafe unsafeDowncast(receiver, to: Receiver.self)
        return AsyncAnswer {
          try await handler({ try await original.call(receiver, ()).value }, receiver)
        }
      }
    }
  }

  /// The method of a closure.
  public static func _method(_ selector: Selector, _ body: @escaping Body) -> Method {
    Method(selector, body: body)
  }
}

/// The selector of an async method with one argument.
public struct AsyncTypedSelector1<Receiver: AnyObject & Sendable, A: Sendable, Value: Sendable>:
  TypedSelector
{
  /// The arguments.
  public typealias Arguments = A
  /// The type of the first argument.
  public typealias First = A
  /// The answer as a message has it.
  public typealias Outcome = AsyncAnswer<Value>
  /// Runs instead of the method.
  public typealias Handler =
    @Sendable (_ original: @Sendable (A) async throws -> Value, Receiver, A) async throws -> Value
  /// Is the method.
  public typealias Body = @Sendable (Receiver, A) async throws -> Value

  /// The selector.
  public let selector: Selector

  /// Creates a selector with the types of this type's parameters.
  @inlinable
  public init(_ selector: Selector) { self.selector = selector }

  /// Creates a selector with the types of a method, such as `Weather.degrees`, which is not called.
  public init(_ selector: Selector, _ method: (Receiver) -> (A) async throws -> Value) {
    self.selector = selector
  }

  /// The types of the arguments.
  public static var _argumentTypes: [Any.Type] { [A.self] }

  /// Makes a body that runs a handler around another one.
  public static func _wrapping(
    _ handler: @escaping Handler
  ) -> @Sendable (MethodBody<A, Outcome>) -> MethodBody<A, Outcome> {
    { original in
      MethodBody { receiver, arguments in
        let receiver = unsafe unsafeDowncast(receiver, to: Receiver.self)
        return AsyncAnswer {
          try await handler(
            { a in try await original.call(receiver, a).value }, receiver, arguments)
        }
      }
    }
  }

  /// The method of a closure.
  public static func _method(_ selector: Selector, _ body: @escaping Body) -> Method {
    Method(selector, body: body)
  }
}

/// The selector of an async method with two arguments.
public struct AsyncTypedSelector2<
  Receiver: AnyObject & Sendable, A: Sendable, B: Sendable, Value: Sendable
>: TypedSelector {
  /// The arguments.
  public typealias Arguments = (A, B)
  /// The type of the first argument.
  public typealias First = A
  /// The type of the second argument.
  public typealias Second = B
  /// The answer as a message has it.
  public typealias Outcome = AsyncAnswer<Value>
  /// Runs instead of the method.
  public typealias Handler =
    @Sendable (_ original: @Sendable (A, B) async throws -> Value, Receiver, A, B) async throws ->
    Value
  /// Is the method.
  public typealias Body = @Sendable (Receiver, A, B) async throws -> Value

  /// The selector.
  public let selector: Selector

  /// Creates a selector with the types of this type's parameters.
  @inlinable
  public init(_ selector: Selector) { self.selector = selector }

  /// Creates a selector with the types of a method, such as `Weather.degrees`, which is not called.
  public init(_ selector: Selector, _ method: (Receiver) -> (A, B) async throws -> Value) {
    self.selector = selector
  }

  /// The types of the arguments.
  public static var _argumentTypes: [Any.Type] { [A.self, B.self] }

  /// Makes a body that runs a handler around another one.
  public static func _wrapping(
    _ handler: @escaping Handler
  ) -> @Sendable (MethodBody<(A, B), Outcome>) -> MethodBody<(A, B), Outcome> {
    { original in
      MethodBody { receiver, arguments in
        let receiver = unsafe unsafeDowncast(receiver, to: Receiver.self)
        return AsyncAnswer {
          try await handler(
            { a, b in try await original.call(receiver, (a, b)).value }, receiver, arguments.0,
            arguments.1)
        }
      }
    }
  }

  /// The method of a closure.
  public static func _method(_ selector: Selector, _ body: @escaping Body) -> Method {
    Method(selector, body: body)
  }
}

/// The selector of an async method with three arguments.
public struct AsyncTypedSelector3<
  Receiver: AnyObject & Sendable, A: Sendable, B: Sendable, C: Sendable, Value: Sendable
>: TypedSelector {
  /// The arguments.
  public typealias Arguments = (A, B, C)
  /// The type of the first argument.
  public typealias First = A
  /// The type of the second argument.
  public typealias Second = B
  /// The type of the third argument.
  public typealias Third = C
  /// The answer as a message has it.
  public typealias Outcome = AsyncAnswer<Value>
  /// Runs instead of the method.
  public typealias Handler =
    @Sendable (_ original: @Sendable (A, B, C) async throws -> Value, Receiver, A, B, C)
    async throws -> Value
  /// Is the method.
  public typealias Body = @Sendable (Receiver, A, B, C) async throws -> Value

  /// The selector.
  public let selector: Selector

  /// Creates a selector with the types of this type's parameters.
  @inlinable
  public init(_ selector: Selector) { self.selector = selector }

  /// Creates a selector with the types of a method, such as `Weather.degrees`, which is not called.
  public init(_ selector: Selector, _ method: (Receiver) -> (A, B, C) async throws -> Value) {
    self.selector = selector
  }

  /// The types of the arguments.
  public static var _argumentTypes: [Any.Type] { [A.self, B.self, C.self] }

  /// Makes a body that runs a handler around another one.
  public static func _wrapping(
    _ handler: @escaping Handler
  ) -> @Sendable (MethodBody<(A, B, C), Outcome>) -> MethodBody<(A, B, C), Outcome> {
    { original in
      MethodBody { receiver, arguments in
        let receiver = unsafe unsafeDowncast(receiver, to: Receiver.self)
        return AsyncAnswer {
          try await handler(
            { a, b, c in try await original.call(receiver, (a, b, c)).value }, receiver,
            arguments.0, arguments.1, arguments.2)
        }
      }
    }
  }

  /// The method of a closure.
  public static func _method(_ selector: Selector, _ body: @escaping Body) -> Method {
    Method(selector, body: body)
  }
}

/// The selector of an async method with four arguments.
public struct AsyncTypedSelector4<
  Receiver: AnyObject & Sendable, A: Sendable, B: Sendable, C: Sendable, D: Sendable,
  Value: Sendable
>: TypedSelector {
  /// The arguments.
  public typealias Arguments = (A, B, C, D)
  /// The type of the first argument.
  public typealias First = A
  /// The type of the second argument.
  public typealias Second = B
  /// The type of the third argument.
  public typealias Third = C
  /// The type of the fourth argument.
  public typealias Fourth = D
  /// The answer as a message has it.
  public typealias Outcome = AsyncAnswer<Value>
  /// Runs instead of the method.
  public typealias Handler =
    @Sendable (_ original: @Sendable (A, B, C, D) async throws -> Value, Receiver, A, B, C, D)
    async throws -> Value
  /// Is the method.
  public typealias Body = @Sendable (Receiver, A, B, C, D) async throws -> Value

  /// The selector.
  public let selector: Selector

  /// Creates a selector with the types of this type's parameters.
  @inlinable
  public init(_ selector: Selector) { self.selector = selector }

  /// Creates a selector with the types of a method, such as `Weather.degrees`, which is not called.
  public init(_ selector: Selector, _ method: (Receiver) -> (A, B, C, D) async throws -> Value) {
    self.selector = selector
  }

  /// The types of the arguments.
  public static var _argumentTypes: [Any.Type] { [A.self, B.self, C.self, D.self] }

  /// Makes a body that runs a handler around another one.
  public static func _wrapping(
    _ handler: @escaping Handler
  ) -> @Sendable (MethodBody<(A, B, C, D), Outcome>) -> MethodBody<(A, B, C, D), Outcome> {
    { original in
      MethodBody { receiver, arguments in
        let receiver = unsafe unsafeDowncast(receiver, to: Receiver.self)
        return AsyncAnswer {
          try await handler(
            { a, b, c, d in try await original.call(receiver, (a, b, c, d)).value }, receiver,
            arguments.0, arguments.1, arguments.2, arguments.3)
        }
      }
    }
  }

  /// The method of a closure.
  public static func _method(_ selector: Selector, _ body: @escaping Body) -> Method {
    Method(selector, body: body)
  }
}
