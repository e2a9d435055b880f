internal import Invocations
internal import TypeEncodings

/// What a typed hook asks of the method that it is installed on.
@usableFromInline
struct TypedHookRequest {
  let selector: Selector
  private let receiver: AnyClass
  private let hasBlocks: Bool
  private let signature: Result<MethodSignature, MessageError>

  @usableFromInline
  init<Typed: TypedSelector>(_ typed: Typed) {
    selector = typed.selector
    receiver = Typed.Receiver.self
    hasBlocks = (Typed._argumentTypes + [Typed.Outcome.self]).contains {
      BlockType.isBlock(any: $0)
    }
    signature = Result { () throws(MessageError) in
      try ArgumentTypes.of(Typed.Arguments.self).signature(returning: Typed.Outcome.self)
    }
  }

  /// Checks that a method has the hook's types.
  ///
  /// - Parameters:
  ///   - method: The method.
  ///   - receiverClass: The class of its receivers.
  /// - Returns: The call interface of the hook's types.
  /// - Throws: `invalidMethod`, `typeMismatch`.
  func interface(
    for method: Implementation, of receiverClass: AnyClass
  ) throws(MessageError) -> CallInterface {
    guard Implementation.inherits(receiverClass, from: receiver) else {
      throw MessageError(
        .typeMismatch,
        "`\(selector)`: the hook is for receivers of \(receiver), the method has those of "
          + "\(receiverClass); give a reference to the method of that class", selector: selector)
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

  /// Checks that no type is that of a block.
  ///
  /// - Throws: `typeMismatch`.
  func refuseBlocks() throws(MessageError) {
    if hasBlocks { throw BlockType.refused(selector) }
  }
}

extension ClassObject {
  /// Installs a typed hook of a method of the instances.
  ///
  /// - Throws: `noSuchMethod`, `invalidMethod`, `typeMismatch`.
  @usableFromInline
  func installHook(
    _ request: TypedHookRequest, _ name: String?, _ priority: Int,
    _ make: @escaping @Sendable (Implementation, AnyClass) -> Implementation
  ) throws(MessageError) -> MethodHook {
    try request.refuseBlocks()
    resolve(request.selector)
    return try instanceMethods.installHook(request, name, priority, make)
  }
}

extension MessageReceiver {
  /// Installs a typed hook of a method of this object.
  ///
  /// - Throws: `noSuchMethod`, `invalidMethod`, `typeMismatch`, and the reason if the object can have no
  ///   associated values.
  @usableFromInline
  func installHook(
    _ request: TypedHookRequest, _ name: String?, _ priority: Int,
    _ make: @escaping @Sendable (Implementation, AnyClass) -> Implementation
  ) throws(MessageError) -> MethodHook {
    try request.refuseBlocks()
    // The class may add the method in `resolveMethod(_:)`, as for a message.
    _ = MethodLookup.resolve(self, request.selector)
    let itself = _messageClass
    if itself.isClassItself {
      return try itself.methods.installHook(request, name, priority, make)
    }
    return try InstanceMethods.installHook(request, name, priority, make, of: self)
  }
}

extension MethodDictionary {
  /// Installs a typed hook.
  ///
  /// - Throws: `noSuchMethod`, `invalidMethod`, `typeMismatch`.
  fileprivate func installHook(
    _ request: TypedHookRequest, _ name: String?, _ priority: Int,
    _ make: @escaping @Sendable (Implementation, AnyClass) -> Implementation
  ) throws(MessageError) -> MethodHook {
    let selector = request.selector
    guard let method = innerMethod(selector) else { throw noSuchMethod(selector) }
    let interface = try request.interface(for: method, of: receiverClass)
    let hook = MethodHook(selector, name: name, priority: priority, in: self)
    // Messages find the method with its hooks in a slot.
    _ = slot(selector)
    install(
      TypedHooks.Layer(hook: hook, interface: interface) { [receiverClass] in
        make($0, receiverClass)
      })
    return hook
  }
}
