public import Invocations
internal import TypeEncodings

// Packs are not specialised: the overloads for zero to four arguments, which the compiler prefers to
// those for any number, are.

extension MessageReceiver {
  // The first of these says what holds for all.

  /// Sends a message: it runs the method of the receiver's class that has the name.
  ///
  /// Where the Swift types of the arguments and of the answer are the method's, its closure is called
  /// at once; otherwise they are converted as for `Block.call`: an `Int` literal to the method's
  /// integer type, if it fits. For a parameter of a Swift type that C has not, what casts to it is
  /// taken: an error for `any Error`, an `Int` for `Int?`, and a number that fits for the optional of
  /// another. In `(try? …) ?? true` Swift makes an Optional of the answer's type: say
  /// `returning: Bool.self`. What `MessageReceiver` says becomes of messages without a method.
  ///
  /// - Parameters:
  ///   - selector: The message; a literal is looked up by its address.
  ///   - type: The Swift type of the answer.
  /// - Returns: The answer.
  /// - Throws: `unrecognizedSelector`, `forwardingLoop`, `argumentCount`, `typeMismatch`,
  ///   `valueOutOfRange`, `unexpectedNull`, `noResult`, `wrongExecutor`, `invalidMethod`; `thrown` with
  ///   the error that the method threw.
  @_transparent
  @discardableResult
  public func send<Outcome>(
    _ selector: Selector, returning type: Outcome.Type = Outcome.self
  ) throws(MessageError) -> Outcome {
    if BlockType.isBlock(Outcome.self) { throw BlockType.refused(selector) }
    return try MessageSending.send(self, selector, ())
  }

  /// Sends a message with no arguments and ignores the answer.
  @_transparent
  public func send(_ selector: Selector) throws(MessageError) {
    try MessageSending.send(self, selector, ()) as Void
  }

  /// Sends a message with one argument.
  @_transparent
  @discardableResult
  public func send<A, Outcome>(
    _ selector: Selector, _ a: A, returning type: Outcome.Type = Outcome.self
  ) throws(MessageError) -> Outcome {
    if BlockType.isBlock(A.self) || BlockType.isBlock(Outcome.self) {
      throw BlockType.refused(selector)
    }
    return try MessageSending.send(self, selector, a)
  }

  /// Sends a message with one argument and ignores the answer.
  @_transparent
  public func send<A>(_ selector: Selector, _ a: A) throws(MessageError) {
    if BlockType.isBlock(A.self) { throw BlockType.refused(selector) }
    try MessageSending.send(self, selector, a) as Void
  }

  /// Sends a message with two arguments.
  @_transparent
  @discardableResult
  public func send<A, B, Outcome>(
    _ selector: Selector, _ a: A, _ b: B, returning type: Outcome.Type = Outcome.self
  ) throws(MessageError) -> Outcome {
    if BlockType.isBlock(A.self) || BlockType.isBlock(B.self) || BlockType.isBlock(Outcome.self) {
      throw BlockType.refused(selector)
    }
    return try MessageSending.send(self, selector, (a, b))
  }

  /// Sends a message with two arguments and ignores the answer.
  @_transparent
  public func send<A, B>(_ selector: Selector, _ a: A, _ b: B) throws(MessageError) {
    if BlockType.isBlock(A.self) || BlockType.isBlock(B.self) { throw BlockType.refused(selector) }
    try MessageSending.send(self, selector, (a, b)) as Void
  }

  /// Sends a message with three arguments.
  @_transparent
  @discardableResult
  public func send<A, B, C, Outcome>(
    _ selector: Selector, _ a: A, _ b: B, _ c: C, returning type: Outcome.Type = Outcome.self
  ) throws(MessageError) -> Outcome {
    if BlockType.isBlock(A.self) || BlockType.isBlock(B.self) || BlockType.isBlock(C.self)
      || BlockType.isBlock(Outcome.self)
    {
      throw BlockType.refused(selector)
    }
    return try MessageSending.send(self, selector, (a, b, c))
  }

  /// Sends a message with three arguments and ignores the answer.
  @_transparent
  public func send<A, B, C>(_ selector: Selector, _ a: A, _ b: B, _ c: C) throws(MessageError) {
    if BlockType.isBlock(A.self) || BlockType.isBlock(B.self) || BlockType.isBlock(C.self) {
      throw BlockType.refused(selector)
    }
    try MessageSending.send(self, selector, (a, b, c)) as Void
  }

  /// Sends a message with four arguments.
  @_transparent
  @discardableResult
  public func send<A, B, C, D, Outcome>(
    _ selector: Selector, _ a: A, _ b: B, _ c: C, _ d: D,
    returning type: Outcome.Type = Outcome.self
  ) throws(MessageError) -> Outcome {
    if BlockType.isBlock(A.self) || BlockType.isBlock(B.self) || BlockType.isBlock(C.self)
      || BlockType.isBlock(D.self) || BlockType.isBlock(Outcome.self)
    {
      throw BlockType.refused(selector)
    }
    return try MessageSending.send(self, selector, (a, b, c, d))
  }

  /// Sends a message with four arguments and ignores the answer.
  @_transparent
  public func send<A, B, C, D>(
    _ selector: Selector, _ a: A, _ b: B, _ c: C, _ d: D
  ) throws(MessageError) {
    if BlockType.isBlock(A.self) || BlockType.isBlock(B.self) || BlockType.isBlock(C.self)
      || BlockType.isBlock(D.self)
    {
      throw BlockType.refused(selector)
    }
    try MessageSending.send(self, selector, (a, b, c, d)) as Void
  }

  /// Sends a message with any number of arguments.
  @discardableResult
  public func send<each Argument, Outcome>(
    _ selector: Selector, _ arguments: repeat each Argument,
    returning type: Outcome.Type = Outcome.self
  ) throws(MessageError) -> Outcome {
    for type in repeat (each Argument).self {
      if BlockType.isBlock(any: type) { throw BlockType.refused(selector) }
    }
    return try MessageSending.send(self, selector, (repeat each arguments))
  }

  /// Sends a message with any number of arguments and ignores the answer.
  public func send<each Argument>(
    _ selector: Selector, _ arguments: repeat each Argument
  ) throws(MessageError) {
    for type in repeat (each Argument).self {
      if BlockType.isBlock(any: type) { throw BlockType.refused(selector) }
    }
    try MessageSending.send(self, selector, (repeat each arguments)) as Void
  }

  /// Sends a message to the class: it runs a class method.
  ///
  /// - Parameters:
  ///   - selector: The message.
  ///   - arguments: The arguments.
  ///   - type: The Swift type of the answer.
  /// - Returns: The answer.
  /// - Throws: As for an instance.
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
  /// - Throws: As for typed arguments.
  @discardableResult
  public func send(
    _ selector: Selector, values arguments: [CValue]
  ) throws(MessageError) -> CValue {
    guard let invocation = try makeInvocation(of: selector) else {
      throw MethodLookup.unrecognized(selector, self)
    }
    let signature = invocation.signature
    guard arguments.count == signature.arguments.count - 2 else {
      throw MessageError(
        .argumentCount,
        "`\(selector)`: the method (\(signature)) takes \(signature.arguments.count - 2) arguments, "
          + "\(arguments.count) are given", selector: selector)
    }
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

/// The way of all messages.
@usableFromInline
enum MessageSending {
  /// Sends a message: into the method at once, if it was looked up lately and has these types.
  @inlinable
  @inline(__always)
  static func send<Receiver: MessageReceiver, Arguments, Outcome>(
    _ receiver: Receiver, _ selector: Selector, _ arguments: Arguments
  ) throws(MessageError) -> Outcome {
    let entered = unsafe EnteredMethod(receiver._messageIdentity.value, selector)
    defer { unsafe entered.leave() }
    if let typed = unsafe TypedImplementation<Arguments, Outcome>.at(entered.implementation) {
      return unsafe try TypedImplementation<Arguments, Outcome>.call(
        typed, receiver, arguments, by: selector)
    }
    let message = Message<Arguments, Outcome>(selector, arguments)
    // Where the receiver's type is known, the second is decided by the compiler.
    if unsafe entered.isAbsent && Receiver._forwardsEverything {
      return try receiver.forward(message)
    }
    return try message.deliver(to: receiver)
  }
}

extension BlockType {
  @usableFromInline
  static func refused(_ selector: Selector) -> MessageError {
    MessageError(
      .typeMismatch, "`\(selector)`: a value of a block type cannot be sent; send a Block",
      selector: selector)
  }
}
