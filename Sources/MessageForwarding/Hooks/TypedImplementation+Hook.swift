public import Invocations

/// A method's closure, which takes the receiver and the tuple of arguments.
@usableFromInline
typealias MethodBody<Arguments, Outcome> =
  @Sendable (_ receiver: AnyObject, _ arguments: Arguments) throws -> Outcome

/// The method inside of a typed hook, as the types of selectors use it.
///
/// A closure in a generic structure takes its arguments as a method's closure does, so that no other one
/// is made of it for the hook's types.
public struct OriginalMethod<Arguments, Outcome>: Sendable {
  /// Calls the method.
  @usableFromInline let call: MethodBody<Arguments, Outcome>

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
  /// Makes an implementation that wraps another one; inlinable, so that the types are specialised.
  @inlinable
  @inline(__always)
  static func wrapping(
    _ inner: Implementation, of receiverClass: AnyClass, _ selector: Selector,
    _ wrap: (_ original: OriginalMethod<Arguments, Outcome>) -> MethodBody<Arguments, Outcome>
  ) -> Implementation {
    let body = wrap(OriginalMethod(inner, selector))
    return TypedImplementation(around: inner, of: receiverClass, body, BodyInMemory(body))
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
    { [selector] inner, receiverClass in
      TypedImplementation<Arguments, Outcome>.wrapping(inner, of: receiverClass, selector) {
        Self._body(handler, around: $0)
      }
    }
  }
}
