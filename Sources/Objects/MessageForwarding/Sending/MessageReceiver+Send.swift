public import Invocations
internal import TypeEncodings

extension MessageReceiver {
  /// Sends a message: it runs the method of the receiver's class that has the selector's name.
  ///
  /// If the Swift types of the arguments and of the answer are the method's, its closure is called
  /// directly; otherwise the values are converted as for `Block.call`: an `Int` literal to the
  /// method's integer type, if it fits. A parameter of a Swift type that C does not have accepts
  /// every value that casts to it: an error for `any Error`, an `Int` for `Int?`, and for the
  /// optional of another number type a number that fits. In `(try? …) ?? true` Swift infers an
  /// Optional as the answer's type: pass `returning: Bool.self`. A message without a method goes
  /// through the steps that `MessageReceiver` lists.
  ///
  /// - Parameters:
  ///   - selector: The message.
  ///   - arguments: The arguments.
  ///   - type: The Swift type of the answer.
  /// - Returns: The answer.
  /// - Throws: `unrecognizedSelector`, `forwardingLoop`, `argumentCount`, `typeMismatch`,
  ///   `valueOutOfRange`, `unexpectedNull`, `noResult`, `wrongExecutor`, `invalidMethod`; `thrown`
  ///   with the error that the method threw.
  @discardableResult
  public func send<each Argument, Outcome>(
    _ selector: Selector, _ arguments: repeat each Argument,
    returning type: Outcome.Type = Outcome.self
  ) throws(MessageError) -> Outcome {
    try BlockType.refuse(repeat (each Argument).self, in: selector)
    return try MessageSending.send(self, selector, (repeat each arguments))
  }

  /// Sends a message with any number of arguments and ignores the answer.
  public func send<each Argument>(
    _ selector: Selector, _ arguments: repeat each Argument
  ) throws(MessageError) {
    try BlockType.refuse(repeat (each Argument).self, in: selector)
    try MessageSending.send(self, selector, (repeat each arguments)) as Void
  }

  /// Sends a message to the class: it runs a class method.
  ///
  /// - Parameters:
  ///   - selector: The message.
  ///   - arguments: The arguments.
  ///   - type: The Swift type of the answer.
  /// - Returns: The answer.
  /// - Throws: The errors of sending to an instance.
  @discardableResult
  public static func send<each Argument, Outcome>(
    _ selector: Selector, _ arguments: repeat each Argument,
    returning type: Outcome.Type = Outcome.self
  ) throws(MessageError) -> Outcome {
    try classObject.send(selector, repeat each arguments, returning: type)
  }

  /// Sends a message to the class and ignores the answer.
  public static func send<each Argument>(
    _ selector: Selector, _ arguments: repeat each Argument
  ) throws(MessageError) {
    try classObject.send(selector, repeat each arguments)
  }

  /// Sends a message with arguments described at run time.
  ///
  /// - Parameters:
  ///   - selector: The message.
  ///   - arguments: The arguments, without receiver and selector.
  /// - Returns: The answer; `.void` if there is none.
  /// - Throws: The errors of sending with typed arguments.
  @discardableResult
  public func send(
    _ selector: Selector, values arguments: [CValue]
  ) throws(MessageError) -> CValue {
    guard let invocation = try makeInvocation(of: selector) else {
      throw MethodLookup.unrecognized(selector, self)
    }
    try invocation.interface.requireCount(arguments.count, of: selector)
    do throws(InvocationError) {
      for (index, argument) in arguments.enumerated() {
        try invocation.setArgumentValue(index + 2, argument)
      }
    } catch {
      throw MessageError(error, selector)
    }
    try invocation.send(to: self)
    guard invocation.hasResult else { return .void }
    do { return try invocation.resultValue() } catch { throw MessageError(error, selector) }
  }
}

/// The common path of all messages with typed arguments.
@usableFromInline
enum MessageSending {
  /// Sends a message, and calls the method directly if the cache has it and it has these types.
  @inlinable
  @inline(__always)
  static func send<Receiver: MessageReceiver, Arguments, Outcome>(
    _ receiver: Receiver, _ selector: Selector, _ arguments: Arguments
  ) throws(MessageError) -> Outcome {
    // SAFETY: the implementation is protected until `leave`, which each way out calls;
    // `implementation(_:)` has checked its type.
    let entered = unsafe EnteredMethod(
      receiver._messageIdentity.value, selector, for: ObjectIdentifier(receiver))
    let types = unsafe TypedImplementation<Arguments, Outcome>.address
    if let typed = unsafe entered.implementation(types) {
      defer { unsafe entered.leave() }
      return unsafe try TypedImplementation<Arguments, Outcome>.call(
        typed, receiver, arguments, by: selector)
    }
    let message = Message<Arguments, Outcome>(selector, arguments)
    // The compiler evaluates this condition if the receiver's type is known.
    if Receiver._forwardsEverything {
      // Nothing is protected where there is no method.
      if unsafe entered.implementation == nil { return try receiver.forward(message) }
    } else if let found = unsafe entered.implementation, let hazard = unsafe entered.hazard,
      unsafe message.isHooked(found, types)
    {
      return unsafe try message.callHooked(found, hazard, receiver)
    }
    return try unsafe message.deliver(to: receiver, entered)
  }
}

extension BlockType {
  /// Refuses block types of arguments.
  ///
  /// - Throws: `typeMismatch` if any of them is a block type.
  static func refuse<each Argument>(
    _ types: repeat (each Argument).Type, in selector: Selector
  ) throws(MessageError) {
    for type in repeat each types {
      if isBlock(any: type) { throw refused(selector) }
    }
  }

  @usableFromInline
  static func refused(_ selector: Selector) -> MessageError {
    MessageError(
      .typeMismatch, of: selector, "a value of a block type cannot be sent; send a Block")
  }
}
