public import Invocations
public import TypeEncodings

/// A message that is being sent: a selector, and arguments of Swift types.
///
/// It can be sent to any receivers, any number of times, as proxies do; sending it allocates
/// nothing if the receiver's method has the same types.
public struct Message<Arguments, Outcome> {
  /// The message's name.
  public let selector: Selector

  /// The arguments: a tuple, or the argument itself if there is only one.
  public let arguments: Arguments

  @usableFromInline
  init(_ selector: Selector, _ arguments: Arguments) {
    self.selector = selector
    self.arguments = arguments
  }

  /// Sends the message.
  ///
  /// - Parameter receiver: The object that receives the message.
  /// - Returns: The answer.
  /// - Throws: The errors of `MessageReceiver.send`.
  @inlinable
  public func send(to receiver: any MessageReceiver) throws(MessageError) -> Outcome {
    try send(to: receiver, receiver._messageIdentity)
  }

  /// Sends the message to a receiver whose methods are found by a key.
  @inlinable
  @inline(__always)
  func send(
    to receiver: any MessageReceiver, _ identity: MessageIdentity
  ) throws(MessageError) -> Outcome {
    // SAFETY: the implementation is protected until `leave`; `implementation(_:)` has checked its
    // type.
    let entered = unsafe EnteredMethod(identity.value, selector, for: ObjectIdentifier(receiver))
    // The most frequent case of `callDirectly`, which costs proxies 60 instructions if it is all
    // here.
    if let typed = unsafe entered.implementation(TypedImplementation<Arguments, Outcome>.address) {
      defer { unsafe entered.leave() }
      return unsafe try TypedImplementation<Arguments, Outcome>.call(
        typed, receiver, arguments, by: selector)
    }
    return try unsafe deliver(to: receiver, entered)
  }

  /// Calls a method of the message's types, or a hooked one whose types are numbers, and ends its
  /// protection; another method stays protected.
  ///
  /// - Returns: Nil if it is another method, or if there is none.
  @inlinable
  @inline(__always)
  func callDirectly(
    _ entered: EnteredMethod, _ receiver: AnyObject
  ) throws(MessageError) -> Outcome? {
    // SAFETY: the implementation is protected or retained until `leave`; its type is checked.
    let types = unsafe TypedImplementation<Arguments, Outcome>.address
    if let typed = unsafe entered.implementation(types) {
      defer { unsafe entered.leave() }
      return .some(
        unsafe try TypedImplementation<Arguments, Outcome>.call(
          typed, receiver, arguments, by: selector))
    }
    if let implementation = unsafe entered.implementation, let hazard = unsafe entered.hazard,
      unsafe isHooked(implementation, types)
    {
      return .some(unsafe try callHooked(implementation, hazard, receiver))
    }
    return nil
  }

  /// Sends the message with a method that was found, or else looks it up; inlinable, so that the
  /// types are specialised.
  ///
  /// The protection of `entered` is ended.
  @inlinable
  @inline(never)
  func deliver(
    to receiver: any MessageReceiver, _ entered: EnteredMethod
  ) throws(MessageError) -> Outcome {
    // SAFETY: the implementation is protected until `leave`; it is not retained, because calls on
    // several threads share it.
    if let answer = unsafe try callDirectly(entered, receiver) { return answer }
    defer { unsafe entered.leave() }
    if let implementation = unsafe entered.implementation {
      if unsafe EnteredMethod.isOfClass(implementation) {
        return unsafe try convert(implementation, receiver)
      }
      if let answer = try callFound(receiver) { return answer }
    }
    if receiver._resolve(selector), let answer = try callFound(receiver) { return answer }
    guard let target = receiver.forwardingTarget(for: selector), target !== receiver else {
      return try forward(to: receiver)
    }
    let ofTarget = unsafe EnteredMethod(
      target._messageIdentity.value, selector, for: ObjectIdentifier(target))
    if let answer = unsafe try callDirectly(ofTarget, target) { return answer }
    unsafe ofTarget.leave()
    return try deliver(toTarget: target)
  }

  /// Looks a method up, and calls it.
  ///
  /// - Returns: Nil if there is none.
  @inlinable
  @inline(never)
  func callFound(_ receiver: any MessageReceiver) throws(MessageError) -> Outcome? {
    unsafe try call(MethodLookup.look(receiver, selector), receiver)
  }

  /// Sends the message to a forwarding target, or to the receiver that it leads to.
  @inlinable
  @inline(never)
  func deliver(toTarget target: any MessageReceiver) throws(MessageError) -> Outcome {
    var receiver = target
    let found = unsafe try MethodLookup.follow(&receiver, selector, after: 1)
    if let answer = unsafe try call(found, receiver) { return answer }
    return try forward(to: receiver)
  }

  /// Calls the method that a look-up has found, and ends its protection.
  ///
  /// - Returns: Nil if there is none.
  @inlinable
  @inline(__always)
  func call(
    _ found: FoundMethod, _ receiver: any MessageReceiver
  ) throws(MessageError) -> Outcome? {
    // SAFETY: the method is protected or retained until `leave`; nothing is protected if there is
    // none.
    guard let implementation = unsafe found.entered.implementation else { return nil }
    defer { unsafe withExtendedLifetime(found.owner) {} }
    if let answer = unsafe try callDirectly(found.entered, receiver) { return answer }
    defer { unsafe found.entered.leave() }
    return unsafe try convert(implementation, receiver)
  }

  /// Calls a method that has been looked up.
  @inlinable
  func call(
    _ implementation: Implementation, _ receiver: any MessageReceiver
  ) throws(MessageError) -> Outcome {
    defer { withExtendedLifetime(implementation) {} }
    // SAFETY: `implementation` is retained until the call has ended.
    let entered = unsafe EnteredMethod(retained: implementation)
    if let answer = unsafe try callDirectly(entered, receiver) { return answer }
    return unsafe try convert(
      UnsafeRawPointer(Unmanaged.passUnretained(implementation).toOpaque()), receiver)
  }

  /// Whether arguments and outcome may be numbers, which the compiler knows: by the size, and by
  /// whether there are references in the arguments.
  @inlinable
  @inline(__always)
  static var mayBeNumbers: Bool {
    MemoryLayout<Outcome>.size <= MemoryLayout<UInt64>.size && _isPOD(Arguments.self)
  }

  /// Whether an implementation is a hooked method whose types are numbers, and the message's.
  @inlinable
  @inline(__always)
  func isHooked(_ implementation: UnsafeRawPointer, _ types: UnsafeRawPointer) -> Bool {
    // SAFETY: the caller protects or retains the implementation.
    unsafe Self.mayBeNumbers && EnteredMethod.isHooked(implementation, types)
  }

  /// Calls a method for which `isHooked` is true, and clears the hazard pointer that protects it.
  ///
  /// Not inlined: a message has several places that call it.
  @inlinable
  @inline(never)
  func callHooked(
    _ implementation: UnsafeRawPointer, _ hazard: UnsafeMutableRawPointer, _ receiver: AnyObject
  ) throws(MessageError) -> Outcome {
    unsafe try runHooked(implementation, hazard, receiver)
  }

  /// Does what `callHooked` does, inline, for Swift calls, which have only one place that calls it.
  @inlinable
  @inline(__always)
  func runHooked(
    _ implementation: UnsafeRawPointer, _ hazard: UnsafeMutableRawPointer, _ receiver: AnyObject
  ) throws(MessageError) -> Outcome {
    // SAFETY: the arguments are those of the method's types; the word holds a number of the
    // outcome's type, if that is not `Void`.
    var message = unsafe MessageMemory(receiver, selector, arguments)
    let error = unsafe _withUnprotectedUnsafeMutablePointer(to: &message) {
      unsafe EnteredMethod.callHooked(implementation, hazard, UnsafeMutableRawPointer($0))
    }
    if let address = unsafe error, let error = unsafe MessageError.received(address, by: selector) {
      throw error
    }
    return unsafe _withUnprotectedUnsafeBytes(of: &message.answer) {
      unsafe $0.load(as: Outcome.self)
    }
  }

  /// Calls a method of other types, or one with hooks, which is protected or retained until the
  /// call has ended.
  @inlinable
  @inline(never)
  func convert(
    _ implementation: UnsafeRawPointer, _ receiver: any MessageReceiver
  ) throws(MessageError) -> Outcome {
    let types = unsafe TypedImplementation<Arguments, Outcome>.address
    if unsafe isHooked(implementation, types)
      || (Self.mayBeNumbers
        && EnteredMethod.learns(implementation, types, Arguments.self, Outcome.self))
    {
      return unsafe try callHooked(implementation, EnteredMethod.protect(implementation), receiver)
    }
    // The compiler knows the size.
    if MemoryLayout<Outcome>.size <= MemoryLayout<UInt64>.size {
      var word: UInt64 = 0
      let isCalled = unsafe try withUnsafePointer(to: arguments) {
        arguments throws(MessageError) in
        unsafe try Implementation.callInRegisters(
          implementation, receiver, selector, Arguments.self, arguments, Outcome.self, &word)
      }
      // SAFETY: the word holds a number of the outcome's type, if that is not `Void`.
      if isCalled {
        return unsafe withUnsafeBytes(of: &word) { unsafe $0.load(as: Outcome.self) }
      }
    }
    return unsafe try Implementation.call(implementation, receiver, self)
  }

  /// Forwards the message by a receiver that has no method for it.
  @usableFromInline
  func forward(to receiver: any MessageReceiver) throws(MessageError) -> Outcome {
    try ForwardingDepth.descend(selector) { () throws(MessageError) in
      try receiver.forward(self)
    }
  }

  /// Makes an invocation of the message.
  ///
  /// - Parameters:
  ///   - signature: The message's signature, receiver and selector included.
  ///   - receiver: Argument 0.
  /// - Returns: The invocation, with all arguments set.
  /// - Throws: `invalidMethod`, `argumentCount`, `typeMismatch`, `valueOutOfRange`,
  ///   `unsupportedType`.
  public func makeInvocation(
    signature: MethodSignature, to receiver: (any MessageReceiver)?
  ) throws(MessageError) -> Invocation {
    guard signature.form == .method else {
      throw MessageError(
        .invalidMethod, of: selector,
        "a message's signature begins with a receiver and a selector (@:), but it is \(signature)")
    }
    let types = try ArgumentTypes.of(Arguments.self)
    do {
      let interface = try CallInterface.cached(for: signature)
      let invocation = Invocation(interface, target: nil)
      try interface.requireCount(types.arguments.count, of: selector)
      invocation.setMessage(receiver, selector)
      try types.write(arguments, to: invocation)
      return invocation
    } catch {
      throw MessageError(collected: error, by: selector)
    }
  }
}
