public import Invocations

// Each number of arguments has a type of its own, as in TypedSelectors.swift.

// SAFETY, for the whole file: the hook of a selector runs for instances of its receiver class; `installHook`
// refuses selectors of methods of other classes.

/// The selector of an async method with no arguments.
public struct AsyncTypedSelector0<Receiver: AnyObject & Sendable, Value: Sendable>: TypedSelector {
  public typealias Arguments = Void
  public typealias Outcome = AsyncAnswer<Value>
  public typealias Handler =
    @Sendable (_ original: @Sendable () async throws -> Value, Receiver) async throws -> Value
  public typealias Body = @Sendable (Receiver) async throws -> Value

  public let selector: Selector

  public init(_ selector: Selector) { self.selector = selector }

  /// Creates a selector with the types of a method, such as `Weather.degrees`, which is not called.
  public init(_ selector: Selector, _ method: (Receiver) -> () async throws -> Value) {
    self.selector = selector
  }

  public static var _argumentTypes: [Any.Type] { [] }

  public static func _body(
    _ handler: @escaping Handler, around original: OriginalMethod<Void, Outcome>
  ) -> @Sendable (AnyObject, Void) throws -> Outcome {
    { receiver, _ in
      let receiver = unsafe unsafeDowncast(receiver, to: Receiver.self)
      return AsyncAnswer {
        try await handler(
          { try await original.call(receiver, ()).value }, receiver)
      }
    }
  }

  public static func _method(_ selector: Selector, _ body: @escaping Body) -> Method {
    Method(selector, body: body)
  }
}

/// The selector of an async method with one argument.
public struct AsyncTypedSelector1<Receiver: AnyObject & Sendable, A: Sendable, Value: Sendable>:
  TypedSelector
{
  public typealias Arguments = A
  public typealias Outcome = AsyncAnswer<Value>
  public typealias Handler =
    @Sendable (_ original: @Sendable (A) async throws -> Value, Receiver, A) async throws -> Value
  public typealias Body = @Sendable (Receiver, A) async throws -> Value

  public let selector: Selector

  public init(_ selector: Selector) { self.selector = selector }

  /// Creates a selector with the types of a method, such as `Weather.degrees`, which is not called.
  public init(_ selector: Selector, _ method: (Receiver) -> (A) async throws -> Value) {
    self.selector = selector
  }

  public static var _argumentTypes: [Any.Type] { [A.self] }

  public static func _body(
    _ handler: @escaping Handler, around original: OriginalMethod<A, Outcome>
  ) -> @Sendable (AnyObject, A) throws -> Outcome {
    { receiver, arguments in
      let receiver = unsafe unsafeDowncast(receiver, to: Receiver.self)
      return AsyncAnswer {
        try await handler(
          { a in try await original.call(receiver, a).value }, receiver, arguments)
      }
    }
  }

  public static func _method(_ selector: Selector, _ body: @escaping Body) -> Method {
    Method(selector, body: body)
  }
}

/// The selector of an async method with two arguments.
public struct AsyncTypedSelector2<
  Receiver: AnyObject & Sendable, A: Sendable, B: Sendable, Value: Sendable
>: TypedSelector {
  public typealias Arguments = (A, B)
  public typealias Outcome = AsyncAnswer<Value>
  public typealias Handler =
    @Sendable (_ original: @Sendable (A, B) async throws -> Value, Receiver, A, B) async throws ->
    Value
  public typealias Body = @Sendable (Receiver, A, B) async throws -> Value

  public let selector: Selector

  public init(_ selector: Selector) { self.selector = selector }

  /// Creates a selector with the types of a method, such as `Weather.degrees`, which is not called.
  public init(_ selector: Selector, _ method: (Receiver) -> (A, B) async throws -> Value) {
    self.selector = selector
  }

  public static var _argumentTypes: [Any.Type] { [A.self, B.self] }

  public static func _body(
    _ handler: @escaping Handler, around original: OriginalMethod<(A, B), Outcome>
  ) -> @Sendable (AnyObject, (A, B)) throws -> Outcome {
    { receiver, arguments in
      let receiver = unsafe unsafeDowncast(receiver, to: Receiver.self)
      return AsyncAnswer {
        try await handler(
          { a, b in try await original.call(receiver, (a, b)).value }, receiver, arguments.0,
          arguments.1)
      }
    }
  }

  public static func _method(_ selector: Selector, _ body: @escaping Body) -> Method {
    Method(selector, body: body)
  }
}

/// The selector of an async method with three arguments.
public struct AsyncTypedSelector3<
  Receiver: AnyObject & Sendable, A: Sendable, B: Sendable, C: Sendable, Value: Sendable
>: TypedSelector {
  public typealias Arguments = (A, B, C)
  public typealias Outcome = AsyncAnswer<Value>
  public typealias Handler =
    @Sendable (_ original: @Sendable (A, B, C) async throws -> Value, Receiver, A, B, C)
    async throws -> Value
  public typealias Body = @Sendable (Receiver, A, B, C) async throws -> Value

  public let selector: Selector

  public init(_ selector: Selector) { self.selector = selector }

  /// Creates a selector with the types of a method, such as `Weather.degrees`, which is not called.
  public init(_ selector: Selector, _ method: (Receiver) -> (A, B, C) async throws -> Value) {
    self.selector = selector
  }

  public static var _argumentTypes: [Any.Type] { [A.self, B.self, C.self] }

  public static func _body(
    _ handler: @escaping Handler, around original: OriginalMethod<(A, B, C), Outcome>
  ) -> @Sendable (AnyObject, (A, B, C)) throws -> Outcome {
    { receiver, arguments in
      let receiver = unsafe unsafeDowncast(receiver, to: Receiver.self)
      return AsyncAnswer {
        try await handler(
          { a, b, c in try await original.call(receiver, (a, b, c)).value }, receiver, arguments.0,
          arguments.1, arguments.2)
      }
    }
  }

  public static func _method(_ selector: Selector, _ body: @escaping Body) -> Method {
    Method(selector, body: body)
  }
}

/// The selector of an async method with four arguments.
public struct AsyncTypedSelector4<
  Receiver: AnyObject & Sendable, A: Sendable, B: Sendable, C: Sendable, D: Sendable,
  Value: Sendable
>: TypedSelector {
  public typealias Arguments = (A, B, C, D)
  public typealias Outcome = AsyncAnswer<Value>
  public typealias Handler =
    @Sendable (_ original: @Sendable (A, B, C, D) async throws -> Value, Receiver, A, B, C, D)
    async throws -> Value
  public typealias Body = @Sendable (Receiver, A, B, C, D) async throws -> Value

  public let selector: Selector

  public init(_ selector: Selector) { self.selector = selector }

  /// Creates a selector with the types of a method, such as `Weather.degrees`, which is not called.
  public init(_ selector: Selector, _ method: (Receiver) -> (A, B, C, D) async throws -> Value) {
    self.selector = selector
  }

  public static var _argumentTypes: [Any.Type] { [A.self, B.self, C.self, D.self] }

  public static func _body(
    _ handler: @escaping Handler, around original: OriginalMethod<(A, B, C, D), Outcome>
  ) -> @Sendable (AnyObject, (A, B, C, D)) throws -> Outcome {
    { receiver, arguments in
      let receiver = unsafe unsafeDowncast(receiver, to: Receiver.self)
      return AsyncAnswer {
        try await handler(
          { a, b, c, d in try await original.call(receiver, (a, b, c, d)).value }, receiver,
          arguments.0, arguments.1, arguments.2, arguments.3)
      }
    }
  }

  public static func _method(_ selector: Selector, _ body: @escaping Body) -> Method {
    Method(selector, body: body)
  }
}
