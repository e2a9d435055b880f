public import Invocations

// Each number of arguments has a type of its own, as in TypedSelectors.swift.

// SAFETY, for the whole file: the hook of a selector runs for instances of its receiver class; `installHook`
// refuses selectors of methods of other classes.

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
          try await handler(
            { try await original.call(receiver, ()).value }, receiver)
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
