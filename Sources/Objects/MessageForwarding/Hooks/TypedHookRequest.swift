public import BlockHooks
public import Invocations
internal import TypeEncodings

/// A typed hook that is to be installed, with the types that the method must have.
@usableFromInline
struct TypedHookRequest {
  let selector: Selector
  private let receiver: AnyClass
  private let hasBlocks: Bool
  private let signature: Result<MethodSignature, MessageError>
  private let definition: HookDefinition
  private let layer: MethodLayer

  @usableFromInline
  init<Typed: TypedSelector>(
    _ typed: Typed, _ name: String?, _ priority: Int, _ conditions: HookConditions,
    _ make:
      @escaping @Sendable (Implementation, AnyClass, HandlerMark) -> Implementation
  ) {
    self.init(
      typed.selector, of: Typed.Receiver.self, Typed.Arguments.self, Typed.Outcome.self,
      Typed._argumentTypes, name, priority, conditions, make)
  }

  /// Creates the request of a hook of any types; `types` are those of the arguments that may be
  /// blocks.
  init<Arguments, Outcome>(
    _ selector: Selector, of receiver: AnyClass, _: Arguments.Type, _: Outcome.Type,
    _ types: [Any.Type], _ name: String?, _ priority: Int, _ conditions: HookConditions,
    _ make:
      @escaping @Sendable (Implementation, AnyClass, HandlerMark) -> Implementation
  ) {
    self.selector = selector
    self.receiver = receiver
    let gate = conditions.isAlways ? nil : HookGate()
    layer = MethodLayer(make, gate)
    definition = HookDefinition(
      .instead, name: name, priority: priority, when: conditions
    ) { call in try gate?.admit(&call) }
    hasBlocks = (types + [Outcome.self]).contains { BlockType.isBlock(any: $0) }
    signature = Result { () throws(MessageError) in
      try ArgumentTypes.of(Arguments.self).signature(returning: Outcome.self)
    }
  }

  /// Installs the hook.
  ///
  /// - Throws: `noSuchMethod`, `invalidMethod`, `typeMismatch`, and the errors of hooks.
  fileprivate func install(on hooks: MethodHooks) throws(MessageError) -> Hook {
    if hasBlocks { throw BlockType.refused(selector) }
    return try hooks.install(
      definition, interface(for: hooks.method, of: hooks.receiverClass), layer: layer)
  }

  /// Checks that a method has the hook's types.
  ///
  /// - Returns: The call interface of the hook's types.
  private func interface(
    for method: Implementation, of receiverClass: AnyClass
  ) throws(MessageError) -> CallInterface {
    guard Implementation.inherits(receiverClass, from: receiver) else {
      throw MessageError(
        .typeMismatch, of: selector,
        "the hook is for receivers of \(receiver), the method has those of "
          + "\(receiverClass); give a reference to the method of that class")
    }
    let signature = try signature.get()
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
    return interface
  }
}

extension ClassObject {
  /// Installs a typed hook of a method of the instances.
  ///
  /// - Throws: `noSuchMethod`, `invalidMethod`, `typeMismatch`, and the errors of hooks.
  @usableFromInline
  func install(_ request: TypedHookRequest) throws(MessageError) -> Hook {
    try request.install(on: HookedReceiver.instances(self).hooks(of: request.selector))
  }
}

extension MessageReceiver {
  /// Installs a typed hook of a method of this object.
  ///
  /// - Throws: `noSuchMethod`, `invalidMethod`, `typeMismatch`, the errors of hooks, and the reason
  ///   if the object can have no associated values.
  @usableFromInline
  func install(_ request: TypedHookRequest) throws(MessageError) -> Hook {
    try request.install(on: HookedReceiver.object(self).hooks(of: request.selector))
  }
}
