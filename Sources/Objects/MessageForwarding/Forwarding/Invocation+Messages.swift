public import Invocations
internal import TypeEncodings

extension MessageReceiver {
  /// Makes an invocation of a message, with receiver and selector set, and without arguments.
  ///
  /// - Parameter selector: The message.
  /// - Returns: The invocation; nil if the receiver has no signature for the message.
  /// - Throws: `unsupportedType`.
  public func makeInvocation(of selector: Selector) throws(MessageError) -> Invocation? {
    // SAFETY: the method is protected until `leave`.
    var receiver: any MessageReceiver = self
    let found = unsafe try MethodLookup.follow(&receiver, selector)
    defer { unsafe found.leave() }
    guard
      let signature = unsafe try found.retained?.interface.signature
        ?? receiver.methodSignature(for: selector)
    else { return nil }
    do throws(InvocationError) {
      let invocation = Invocation(try CallInterface.cached(for: signature), target: nil)
      try invocation.storeArgument(0, self as AnyObject)
      try invocation.storeArgument(1, selector)
      return invocation
    } catch {
      throw MessageError(error, selector)
    }
  }
}

extension Invocation {
  /// Creates an invocation of a message: argument 0 is the receiver, 1 the selector.
  ///
  /// - Parameters:
  ///   - selector: The message.
  ///   - encoding: Its signature with receiver and selector, such as `v@:i`.
  /// - Throws: `invalidSignature`, `invalidMethod`, `unsupportedType`.
  public convenience init(
    message selector: Selector, signature encoding: String
  ) throws(MessageError) {
    let signature = try MethodSignature(method: selector, encoding)
    do throws(InvocationError) {
      self.init(try CallInterface.cached(for: signature), target: nil)
      try storeArgument(1, selector)
    } catch {
      throw MessageError(error, selector)
    }
  }

  /// The message's name; nil if the invocation is not a message, or has no name yet.
  public var selector: Selector? { messageName }

  /// The receiver; nil if the invocation is not a message, or has no receiver yet.
  public var receiver: AnyObject? { messageReceiver }

  /// Sends the message to its receiver: `-invoke`.
  ///
  /// - Throws: `deadReceiver` if it has no receiver of messages, and the errors of `send(to:)`.
  public func send() throws(MessageError) {
    guard let receiver = receiver as? any MessageReceiver else {
      throw MessageError(
        .deadReceiver, "the invocation has no receiver; use send(to:)", selector: selector)
    }
    try send(to: receiver)
  }

  /// Sends the message to a receiver, which replaces the invocation's: `-invokeWithTarget:`.
  ///
  /// The answer becomes the invocation's result; if an error is thrown, a previous result is
  /// removed. The message may be sent any number of times.
  ///
  /// - Parameter receiver: The object that receives the message.
  /// - Throws: `missingArgument`, `typeMismatch` if the receiver's method has another signature,
  ///   `unrecognizedSelector`, `forwardingLoop`; `thrown` with what the method threw.
  public func send(to receiver: any MessageReceiver) throws(MessageError) {
    try send { selector throws(MessageError) in
      setMessage(receiver, selector)
      // SAFETY: the method is protected until `leave`, and retained by the call.
      var last = receiver
      let found = unsafe try MethodLookup.follow(&last, selector)
      defer { unsafe found.leave() }
      if let method = unsafe found.retained { return try call(method, last, selector) }
      guard last.methodSignature(for: selector) != nil else {
        throw MethodLookup.unrecognized(selector, last)
      }
      try ForwardingDepth.descend(selector) { () throws(MessageError) in
        do { try last.forwardInvocation(self) } catch {
          throw MessageError(thrown: error, by: selector)
        }
      }
    }
  }

  /// Sends the message to a receiver whose method has been looked up.
  ///
  /// - Throws: The errors of `send(to:)`.
  func send(
    to receiver: any MessageReceiver, by method: Implementation
  ) throws(MessageError) {
    try send { selector throws(MessageError) in
      setMessage(receiver, selector)
      try call(method, receiver, selector)
    }
  }

  /// Checks the message, sends it by `body`, and leaves a result or an error in the invocation.
  private func send(
    _ body: (Selector) throws(MessageError) -> Void
  ) throws(MessageError) {
    forgetResult()
    do throws(MessageError) {
      guard let selector else {
        throw MessageError(
          .invalidMethod,
          "\(signature) is no message with a selector; make it with message:signature:")
      }
      do throws(InvocationError) { try requireArguments(from: 2) } catch {
        throw MessageError(error, selector)
      }
      try body(selector)
    } catch {
      if error.code == .thrown, let thrown = error.underlyingError {
        fail(with: thrown)
      } else {
        forgetResult()
      }
      throw error
    }
  }

  private func call(
    _ method: Implementation, _ receiver: any MessageReceiver, _ selector: Selector
  ) throws(MessageError) {
    let interface = try method.interface
    do throws(InvocationError) {
      try requireSame(interface, "method")
    } catch {
      throw MessageError(error, selector)
    }
    if self.receiver !== receiver { setMessage(receiver, selector) }
    let code = unsafe try method.code()
    // SAFETY: the signatures have been compared; the code lives as long as the implementation.
    let thrown = ThrownErrors.collect { unsafe call(code) }
    withExtendedLifetime(method) {}
    if let thrown { throw MessageError(thrown: thrown, by: selector) }
  }

  /// Returns the result as the answer to a message.
  ///
  /// - Throws: `noResult`, `typeMismatch`, `valueOutOfRange`, `unexpectedNull`.
  func answer<Outcome>(as type: Outcome.Type) throws(MessageError) -> Outcome {
    if let nothing = NoAnswer.value(of: Outcome.self) { return nothing }
    do throws(InvocationError) {
      guard hasResult || interface.resultLayout == nil else {
        throw InvocationError(
          .noResult, "the invocation was forwarded, but neither sent nor given a result")
      }
      if let number = numberResult(as: Outcome.self) { return number }
      return try loadResult()
    } catch {
      throw MessageError(error, selector)
    }
  }
}
