public import Invocations

/// A method as a closure, which takes the receiver and the tuple of arguments.
///
/// A closure in a generic structure takes its arguments as an implementation's closure does, so
/// that no other closure is made of it for the types of a hook.
public struct MethodBody<Arguments, Outcome>: Sendable {
  /// Calls the method.
  public let call: @Sendable (_ receiver: AnyObject, _ arguments: Arguments) throws -> Outcome

  /// Creates the body of a closure.
  ///
  /// - Parameter call: Calls the method.
  @inlinable
  @inline(__always)
  public init(
    _ call: @escaping @Sendable (_ receiver: AnyObject, _ arguments: Arguments) throws -> Outcome
  ) {
    self.call = call
  }

  /// Creates the body from an implementation's closure, or from a closure that calls the
  /// implementation.
  @usableFromInline
  init(_ implementation: Implementation, _ selector: Selector) {
    call = implementation.body(selector)
  }
}

extension TypedImplementation {
  /// Makes implementations that wrap others; inlinable, so that the types are specialised.
  @inlinable
  @inline(__always)
  static func wrapping(
    _ selector: Selector,
    _ wrap:
      @escaping @Sendable (_ original: MethodBody<Arguments, Outcome>) ->
      MethodBody<Arguments, Outcome>
  )
    -> @Sendable (_ inner: Implementation, _ receiverClass: AnyClass, _ mark: HandlerMark) ->
    Implementation
  {
    { inner, receiverClass, mark in
      let body = wrap(MethodBody(inner, selector)).call
      return TypedImplementation(around: inner, of: receiverClass, body, mark)
    }
  }

  @usableFromInline
  convenience init(
    around inner: Implementation, of receiverClass: AnyClass, _ body: @escaping Body,
    _ mark: HandlerMark
  ) {
    self.init(
      of: receiverClass, isReference: inner.dispatchesDynamically, body,
      layer: (mark, inner))
  }
}

extension Implementation {
  /// The closure of a method, or one that calls the implementation.
  fileprivate func body<Arguments, Outcome>(
    _ selector: Selector
  ) -> @Sendable (AnyObject, Arguments) throws -> Outcome {
    let typed = self as? TypedImplementation<Arguments, Outcome>
    if let typed, layer == nil { return typed.body }
    return { receiver, arguments in
      try self.running { implementation in
        if let typed, implementation === typed { return try typed.body(receiver, arguments) }
        return try implementation.answer(receiver, Message(selector, arguments))
      }
    }
  }

  /// Calls an implementation of other Swift types, or of none.
  ///
  /// - Throws: What the method throws, and the errors of sending.
  fileprivate func answer<Arguments, Outcome>(
    _ receiver: AnyObject, _ message: Message<Arguments, Outcome>
  ) throws -> Outcome {
    guard let receiver = receiver as? any MessageReceiver else {
      throw MessageError.noReceiver
    }
    do throws(MessageError) {
      return try message.call(self, receiver)
    } catch {
      // An error of another message, which the method passes on, is what the method has thrown.
      guard error.code == .thrown, error.selector == message.selector else { throw error }
      throw error.underlyingError ?? error
    }
  }
}

extension TypedSelector {
  /// Makes the implementation that runs a handler around another one; inlinable, so that the types
  /// are specialised.
  @inlinable
  @inline(__always)
  func wrapping(
    _ handler: Handler
  ) -> @Sendable (Implementation, AnyClass, HandlerMark) -> Implementation {
    TypedImplementation.wrapping(selector, Self._wrapping(handler))
  }
}
