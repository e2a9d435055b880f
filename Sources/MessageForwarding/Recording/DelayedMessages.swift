public import DelayedBlocks
public import Invocations

/// Where the errors of messages go that are sent later, and whose sender does not wait for them.
public typealias MessageErrorHandler = @Sendable (MessageError) -> Void

extension MessageReceiver where Self: Sendable {
  /// Sends a message after a time: `-performSelector:withObject:afterDelay:`.
  ///
  /// The arguments are checked now. The receiver is kept alive until the message has been sent or is
  /// cancelled, unless it is said otherwise; then the message is cancelled when the receiver dies.
  ///
  /// - Parameters:
  ///   - selector: The message; its answer is dropped.
  ///   - arguments: The arguments; they are kept, C strings copied.
  ///   - delay: The time from now.
  ///   - target: Where it is sent; nil is the timer's own target.
  ///   - keepsReceiver: Whether the receiver is kept alive.
  ///   - timer: The timer.
  ///   - onError: Gets what sending throws then; without it, that goes to standard error.
  /// - Returns: The token: cancelling it frees the arguments, and lets go of the receiver.
  /// - Throws: `unrecognizedSelector`, `argumentCount`, `typeMismatch`, `valueOutOfRange`.
  @discardableResult
  public func perform<each Argument: Sendable>(
    _ selector: Selector, _ arguments: repeat each Argument, after delay: Duration,
    on target: DelayTarget? = nil, keepsReceiver: Bool = true, timer: DelayTimer = .shared,
    onError: MessageErrorHandler? = nil
  ) throws(MessageError) -> DelayedBlock {
    for type in repeat (each Argument).self {
      if BlockType.isBlock(any: type) { throw BlockType.refused(selector) }
    }
    guard let signature = try makeInvocation(of: selector)?.signature else {
      throw MethodLookup.unrecognized(selector, self)
    }
    let message = Message<(repeat each Argument), Void>(selector, (repeat each arguments))
    let sent = SentInvocation(try message.makeInvocation(signature: signature, to: nil))
    return timer.perform(
      after: delay, for: self, name: DelayedMessages.name(selector), keepsOwner: keepsReceiver,
      on: target
    ) { receiver in
      DelayedMessages.report(to: onError) { () throws(MessageError) in
        try sent.invocation.send(to: receiver)
      }
    }
  }

  /// Cancels the messages that wait to be sent to the receiver, of all timers:
  /// `+cancelPreviousPerformRequestsWithTarget:`.
  ///
  /// - Parameter selector: Their name; nil means all. Other delayed blocks of the receiver stay.
  /// - Returns: How many it prevented from being sent.
  @discardableResult
  public func cancelPreviousPerforms(of selector: Selector? = nil) -> Int {
    guard let selector else {
      return DelayedBlock.cancelAll(namePrefix: DelayedMessages.prefix, of: self)
    }
    return DelayedBlock.cancelAll(named: DelayedMessages.name(selector), of: self)
  }
}

extension Invocation {
  /// Sends the message after a time, on another queue or thread: a copy of it, as it is now.
  ///
  /// The copy keeps the receiver and the arguments, as `retainArguments()` does; what they refer to is
  /// then used there, and must be safe to use there. The invocation remains the caller's.
  ///
  /// - Parameters:
  ///   - type: The Swift type of the answer; `Void` drops it.
  ///   - delay: The time from now.
  ///   - target: Where it is sent; nil is the timer's own target.
  ///   - timer: The timer.
  /// - Returns: The token, which has the answer, or the error, once it has been sent.
  /// - Throws: `deadReceiver` if it has no receiver; `missingArgument`.
  @discardableResult
  public func perform<Answer: Sendable>(
    returning type: Answer.Type = Void.self, after delay: Duration = .zero,
    on target: DelayTarget? = nil, timer: DelayTimer = .shared
  ) throws(MessageError) -> DelayedValue<Answer> {
    guard receiver is any MessageReceiver else {
      throw MessageError(
        .deadReceiver, "the invocation has no receiver; set argument 0", selector: selector)
    }
    do throws(InvocationError) { try requireArguments(from: 1) } catch {
      throw MessageError(error, selector)
    }
    let sent = SentInvocation(copied())
    sent.invocation.retainArguments()
    return timer.perform(after: delay, on: target) { () throws -> Answer in
      try sent.invocation.send()
      return try sent.invocation.answer(as: Answer.self)
    }
  }
}

/// An invocation on its way to where it is sent: nobody else has it.
private struct SentInvocation: @unchecked Sendable {
  // SAFETY: it is made for one delayed block, which runs once, and is used by that only.
  let invocation: Invocation

  init(_ invocation: Invocation) { self.invocation = invocation }
}

private enum DelayedMessages {
  /// What the names of the blocks begin with that are messages.
  static let prefix = "BlockRuntime message "

  static func name(_ selector: Selector) -> String { prefix + selector.name }

  static func report(
    to handler: MessageErrorHandler?, _ body: () throws(MessageError) -> Void
  ) {
    do throws(MessageError) { try body() } catch {
      if let handler { handler(error) } else { reportHandlerError(error) }
    }
  }
}
