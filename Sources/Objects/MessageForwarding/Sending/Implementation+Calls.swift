public import Invocations
internal import TypeEncodings

extension Implementation {
  /// Calls an implementation that its caller protects or retains, without counting references.
  @usableFromInline
  static func call<Arguments, Outcome>(
    _ address: UnsafeRawPointer, _ receiver: any MessageReceiver,
    _ message: Message<Arguments, Outcome>
  ) throws(MessageError) -> Outcome {
    // SAFETY: the caller vouches for the implementation.
    try unsafe Unmanaged<Implementation>.fromOpaque(address)._withUnsafeGuaranteedRef {
      implementation in
      Result { () throws(MessageError) in try implementation.call(receiver, message) }
    }.get()
  }

  /// Calls the implementation with a message.
  ///
  /// - Throws: `argumentCount`, `typeMismatch`, `valueOutOfRange`, `noResult`, `thrown`.
  @usableFromInline
  func call<Arguments, Outcome>(
    _ receiver: any MessageReceiver, _ message: Message<Arguments, Outcome>
  ) throws(MessageError) -> Outcome {
    guard isTyped else { return try callFrame(receiver, message) }
    do {
      if let typed = self as? TypedImplementation<Arguments, Outcome> {
        return try typed.body(receiver, message.arguments)
      }
      if let typed = self as? ArgumentsImplementation<Arguments>,
        let nothing = NoAnswer.value(of: Outcome.self)
      {
        try typed.callDroppingResult(receiver, message.arguments)
        return nothing
      }
    } catch {
      throw MessageError(thrown: error, by: message.selector)
    }
    return try callFrame(receiver, message)
  }

  /// Calls the implementation through its code.
  private func callFrame<Arguments, Outcome>(
    _ receiver: any MessageReceiver, _ message: Message<Arguments, Outcome>
  ) throws(MessageError) -> Outcome {
    if let isolated = self as? IsolatedImplementation {
      return try isolated.entered().call(receiver, message)
    }
    let interface = try interface
    let types = try ArgumentTypes.of(Arguments.self)
    try interface.requireCount(types.arguments.count, of: message.selector)
    do {
      return try call(receiver, message, types, interface)
    } catch {
      throw MessageError(collected: error, by: message.selector)
    }
  }

  private func call<Arguments, Outcome>(
    _ receiver: any MessageReceiver, _ message: Message<Arguments, Outcome>, _ types: ArgumentTypes,
    _ interface: CallInterface
  ) throws -> Outcome {
    let isIgnored = Outcome.self == Void.self
    guard isIgnored || interface.resultLayout != nil else {
      throw InvocationError(
        .noResult,
        "the method (\(interface.signature)) returns nothing, and \(Outcome.self) is asked for; "
          + "send it as a statement")
    }
    var kept = KeptValues()
    // SAFETY: the memory has room for the arguments and the result of the interface, whose
    // arguments 0 and 1 are pointers; the receiver and the message live during the call.
    let memory = unsafe CallMemory.allocate(interface)
    defer { unsafe memory.deallocate() }
    unsafe memory.setMessage(receiver as AnyObject, message.selector)
    unsafe try types.write(message.arguments, to: memory, interface, keeping: &kept)
    // SAFETY: the code has the signature of the interface, and lives as long as the implementation.
    let code = unsafe try code()
    let thrown = ThrownErrors.collect { unsafe memory.call(code) }
    // A result may point into an argument, so the arguments live until the result has been read.
    defer { withExtendedLifetime((kept, self, receiver)) {} }
    if let thrown { throw thrown }
    if isIgnored, let nothing = NoAnswer.value(of: Outcome.self) {
      if interface.signature.result.isAwaitedAnswer {
        (unsafe try memory.resultSlot().load(as: AnyObject.self) as? any AnyAsyncAnswer)?.start()
      }
      return nothing
    }
    let number = interface.resultNumber
    // SAFETY: the call has written the result, whose number type is `Outcome`'s.
    if number != .none, ScalarKind(of: Outcome.self) == number {
      return unsafe memory.resultAddress.load(as: Outcome.self)
    }
    return unsafe try memory.resultSlot().load(as: Outcome.self)
  }

  /// Calls an implementation with the call's memory on the stack, if all that is passed are numbers
  /// of the method's types.
  ///
  /// - Parameters:
  ///   - address: The implementation, which the caller protects or retains.
  ///   - receiver: The receiver.
  ///   - selector: The message.
  ///   - argumentsType: The type of the tuple of arguments.
  ///   - arguments: The tuple.
  ///   - outcomeType: The type of the answer, which is ignored if that is `Void`.
  ///   - outcome: The answer, a number of that type.
  /// - Returns: False, and nothing is called, if more than that is passed.
  /// - Throws: `invalidMethod`, `invalidSignature`, `unsupportedType`, `thrown`.
  @usableFromInline
  static func callInRegisters(
    _ address: UnsafeRawPointer, _ receiver: any MessageReceiver, _ selector: Selector,
    _ argumentsType: Any.Type, _ arguments: UnsafeRawPointer, _ outcomeType: Any.Type,
    _ outcome: inout UInt64
  ) throws(MessageError) -> Bool {
    // SAFETY: the caller vouches for the implementation, the types are those of the arguments and
    // of the outcome.
    return unsafe try Unmanaged<Implementation>.fromOpaque(address)._withUnsafeGuaranteedRef {
      implementation in
      Result { () throws(MessageError) in
        unsafe try implementation.callInRegisters(
          receiver, selector, argumentsType, arguments, outcomeType, &outcome)
      }
    }.get()
  }

  private func callInRegisters(
    _ receiver: any MessageReceiver, _ selector: Selector, _ argumentsType: Any.Type,
    _ arguments: UnsafeRawPointer, _ outcomeType: Any.Type, _ outcome: inout UInt64
  ) throws(MessageError) -> Bool {
    guard !isTyped, !(self is IsolatedImplementation),
      let numbers = try ArgumentTypes.numbers(of: argumentsType)
    else { return false }
    let hasOutcome = outcomeType != Void.self
    // An object that is ignored may be the answer of an async method, which is to be run.
    guard
      try withInterface({
        hasOutcome
          ? $0.hasNumberResult(outcomeType) : $0.resultLayout == nil || $0.resultNumber != .none
      })
    else { return false }
    let code = unsafe try code()
    var isCalled = false
    var word: UInt64 = 0
    var thrown: (any Error)?
    // SAFETY: the types are those of the arguments. The code has the signature of the interface,
    // whose result is a number of the outcome's type, if it is asked for.
    _ = try withInterface { interface in
      unsafe interface.withRegisterMemory { memory in
        unsafe memory.setMessage(receiver as AnyObject, selector)
        guard unsafe numbers.write(arguments, to: memory, interface) else { return }
        isCalled = true
        thrown = ThrownErrors.collect { unsafe memory.call(code) }
        if hasOutcome { word = unsafe memory.resultAddress.load(as: UInt64.self) }
      }
    }
    withExtendedLifetime((self, receiver)) {}
    if let thrown { throw MessageError(collected: thrown, by: selector) }
    outcome = word
    return isCalled
  }
}

extension MessageError {
  /// Creates an error from one that was thrown behind C code.
  @usableFromInline
  init(collected error: any Error, by selector: Selector) {
    if let error = error as? InvocationError {
      self.init(error, selector)
    } else {
      self.init(thrown: error, by: selector)
    }
  }
}

extension CallInterface {
  /// Checks the number of a message's arguments.
  ///
  /// - Throws: `argumentCount` if the method takes more or fewer.
  func requireCount(_ count: Int, of selector: Selector) throws(MessageError) {
    let expected = argumentCount - 2
    guard count != expected else { return }
    throw MessageError(
      .argumentCount, of: selector,
      "the method (\(signature)) takes \(expected.of("argument")), \(count.areGiven)")
  }
}
