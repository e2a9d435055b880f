public import Invocations

extension Optional where Wrapped: MessageReceiver {
  /// Sends a message, which nil answers with zero: with nothing, nil, 0, an empty string or
  /// collection, a structure of zeros.
  ///
  /// This is what every message to nil does in Objective-C; `receiver?.send(…)` answers with nil.
  ///
  /// - Parameters:
  ///   - selector: The message.
  ///   - arguments: The arguments.
  ///   - type: The Swift type of the answer.
  /// - Returns: The answer.
  /// - Throws: `deadReceiver` if the receiver is nil and the type has no zero; as
  ///   `MessageReceiver.send` otherwise.
  @discardableResult
  public func sendOrZero<each Argument, Outcome>(
    _ selector: Selector, _ arguments: repeat each Argument,
    returning type: Outcome.Type = Outcome.self
  ) throws(MessageError) -> Outcome {
    guard let receiver = self else { return try ZeroValue.of(Outcome.self) }
    return try receiver.send(selector, repeat each arguments, returning: type)
  }

  /// Sends a message and ignores the answer; nothing happens where the receiver is nil.
  public func sendOrZero<each Argument>(
    _ selector: Selector, _ arguments: repeat each Argument
  ) throws(MessageError) {
    try self?.send(selector, repeat each arguments)
  }
}

extension Invocation {
  /// Sends the message, by which its receiver becomes another; nil answers it with zero.
  ///
  /// The result of a message to nil is then all zero bytes, where the signature has one. This is what
  /// `-invoke` does in Objective-C.
  ///
  /// - Parameter receiver: Who gets it.
  /// - Throws: As `send(to:)`.
  public func sendOrZero(to receiver: (any MessageReceiver)?) throws(MessageError) {
    if let receiver { try send(to: receiver) } else { setZeroResult() }
  }
}
