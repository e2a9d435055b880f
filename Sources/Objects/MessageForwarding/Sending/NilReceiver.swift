public import Invocations

extension Optional where Wrapped: MessageReceiver {
  /// Sends a message; if the receiver is nil, returns zero: nothing, nil, 0, an empty string or
  /// collection, a structure of zeros.
  ///
  /// Every message to nil does this in Objective-C; `receiver?.send(…)` returns nil instead.
  ///
  /// - Parameters:
  ///   - selector: The message.
  ///   - arguments: The arguments.
  ///   - type: The Swift type of the answer.
  /// - Returns: The answer.
  /// - Throws: `deadReceiver` if the receiver is nil and the type has no zero; otherwise the errors
  ///   of `MessageReceiver.send`.
  @discardableResult
  public func sendOrZero<each Argument, Outcome>(
    _ selector: Selector, _ arguments: repeat each Argument,
    returning type: Outcome.Type = Outcome.self
  ) throws(MessageError) -> Outcome {
    guard let receiver = self else { return try ZeroValue.of(Outcome.self) }
    return try receiver.send(selector, repeat each arguments, returning: type)
  }

  /// Sends a message and ignores the answer; does nothing if the receiver is nil.
  public func sendOrZero<each Argument>(
    _ selector: Selector, _ arguments: repeat each Argument
  ) throws(MessageError) {
    try self?.send(selector, repeat each arguments)
  }
}

extension Invocation {
  /// Sends the message to a receiver, which replaces the invocation's; nil sets a zero result.
  ///
  /// After a message to nil the result, if the signature has one, is all zero bytes, as after
  /// `-invoke` in Objective-C.
  ///
  /// - Parameter receiver: The object that receives the message.
  /// - Throws: The errors of `send(to:)`.
  public func sendOrZero(to receiver: (any MessageReceiver)?) throws(MessageError) {
    if let receiver { try send(to: receiver) } else { setZeroResult() }
  }
}
