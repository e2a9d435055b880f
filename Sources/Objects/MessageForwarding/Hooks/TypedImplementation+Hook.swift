public import Invocations

/// A method as a closure, which takes the receiver and the tuple of arguments.
///
/// A closure in a generic structure takes its arguments as an implementation's closure does, so that no
/// other one is made of it for the types of a hook.
public struct MethodBody<Arguments, Outcome>: Sendable {
  /// Calls the method.
  @usableFromInline let call:
    @Sendable (_ receiver: AnyObject, _ arguments: Arguments) throws -> Outcome

  @inlinable
  @inline(__always)
  init(
    _ call: @escaping @Sendable (_ receiver: AnyObject, _ arguments: Arguments) throws -> Outcome
  ) {
    self.call = call
  }

  /// The closure of an implementation, or one that calls it.
  @usableFromInline
  init(_ implementation: Implementation, _ selector: Selector) {
    if let typed = implementation as? TypedImplementation<Arguments, Outcome> {
      call = typed.body
    } else {
      call = { receiver, arguments in
        try implementation.answer(receiver, Message(selector, arguments))
      }
    }
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
  ) -> @Sendable (_ inner: Implementation, _ receiverClass: AnyClass) -> Implementation {
    { inner, receiverClass in
      let body = wrap(MethodBody(inner, selector)).call
      return TypedImplementation(around: inner, of: receiverClass, body, BodyInMemory(body))
    }
  }

  @usableFromInline
  convenience init(
    around inner: Implementation, of receiverClass: AnyClass, _ body: @escaping Body,
    _ bodyInMemory: BodyInMemory
  ) {
    self.init(of: receiverClass, isReference: inner.dispatchesDynamically, body, bodyInMemory)
  }
}

extension Implementation {
  /// Calls an implementation of other Swift types, or of none.
  ///
  /// - Throws: What the method throws, and the errors of sending.
  fileprivate func answer<Arguments, Outcome>(
    _ receiver: AnyObject, _ message: Message<Arguments, Outcome>
  ) throws -> Outcome {
    guard let receiver = receiver as? any MessageReceiver else {
      throw MessageError(
        .deadReceiver, "argument 0: the receiver is no message receiver", argument: 0)
    }
    do throws(MessageError) {
      return try call(receiver, message)
    } catch {
      throw error.code == .thrown ? error.underlyingError ?? error : error
    }
  }
}

extension TypedSelector {
  /// Makes the implementation that runs a handler around another one; inlinable, so that the types are
  /// specialised.
  @inlinable
  @inline(__always)
  func wrapping(_ handler: Handler) -> @Sendable (Implementation, AnyClass) -> Implementation {
    TypedImplementation.wrapping(selector, Self._wrapping(handler))
  }
}
