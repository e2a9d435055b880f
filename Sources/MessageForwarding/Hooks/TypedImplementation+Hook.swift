public import Invocations

/// A method's closure, which takes the receiver and the tuple of arguments.
@usableFromInline
typealias MethodBody<Arguments, Outcome> =
  @Sendable (_ receiver: AnyObject, _ arguments: Arguments) throws -> Outcome

/// The method inside of a typed hook.
///
/// A closure in a generic structure takes its arguments as a method's closure does, so that no other one
/// is made of it for the hook's types.
@usableFromInline
struct OriginalMethod<Arguments, Outcome>: Sendable {
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

extension ClassObject {
  /// Installs a typed hook of a method of the instances; inlinable, so that the types are specialised.
  @inlinable
  @inline(__always)
  func installHook<Receiver: AnyObject, Arguments, Outcome>(
    _ selector: Selector, _ name: String?, _ priority: Int, of receiver: Receiver.Type,
    _ argumentTypes: [Any.Type],
    _ wrap:
      @escaping @Sendable (
        _ original: OriginalMethod<Arguments, Outcome>
      ) -> MethodBody<Arguments, Outcome>
  ) throws(MessageError) -> MethodHook {
    try installHook(
      selector, name, priority, receiver, argumentTypes, Arguments.self, Outcome.self
    ) {
      inner, receiverClass in
      TypedImplementation<Arguments, Outcome>.wrapping(inner, of: receiverClass, selector, wrap)
    }
  }

  /// Installs a typed hook of a method of the instances.
  ///
  /// - Throws: `noSuchMethod`, `invalidMethod`, `typeMismatch`.
  @usableFromInline
  func installHook<Arguments, Outcome>(
    _ selector: Selector, _ name: String?, _ priority: Int, _ receiver: AnyClass,
    _ argumentTypes: [Any.Type], _ arguments: Arguments.Type, _ outcome: Outcome.Type,
    _ make: @escaping @Sendable (Implementation, AnyClass) -> Implementation
  ) throws(MessageError) -> MethodHook {
    if (argumentTypes + [outcome]).contains(where: { BlockType.isBlock(any: $0) }) {
      throw BlockType.refused(selector)
    }
    resolve(selector)
    let methods = instanceMethods
    guard let method = methods.below(selector) else { throw methods.noSuchMethod(selector) }
    guard Implementation.inherits(methods.receiverClass, from: receiver) else {
      throw MessageError(
        .typeMismatch,
        "`\(selector)`: the hook is for receivers of \(receiver), the method has those of "
          + "\(methods.receiverClass); give a reference to the method of that class",
        selector: selector)
    }
    let signature = try ArgumentTypes.of(arguments).signature(returning: outcome)
    let interface: CallInterface
    do { interface = try CallInterface.cached(for: signature) } catch {
      throw MessageError(error, selector)
    }
    guard interface.isCalled(as: try method.interface) else {
      throw MessageError(
        .typeMismatch,
        "`\(selector)` is a method of the signature \(try method.interface.signature), and the hook's "
          + "is \(signature); give the method's own types", selector: selector)
    }
    let hook = MethodHook(selector, name: name, priority: priority, in: methods)
    // Messages find the method with its hooks in a slot.
    _ = methods.slot(selector)
    methods.installTypedHook(
      TypedHooks.Layer(hook: hook, interface: interface) {
        [receiverClass = methods.receiverClass] in
        make($0, receiverClass)
      }, of: selector)
    return hook
  }
}
