public import DelayedBlocks
public import Invocations

/// Receives the errors of delayed messages, whose senders do not wait for the answer.
public typealias MessageErrorHandler = @Sendable (MessageError) -> Void

extension MessageReceiver where Self: Sendable {
  /// Sends a message after a delay: `-performSelector:withObject:afterDelay:`.
  ///
  /// The arguments are checked before this function returns. By default the receiver is retained
  /// until the message has been sent or cancelled; otherwise the message is cancelled when the
  /// receiver dies.
  ///
  /// - Parameters:
  ///   - selector: The message; its answer is ignored, and an async method runs in a task of its
  ///     own.
  ///   - arguments: The arguments, which are retained; C strings are copied.
  ///   - delay: The time from now.
  ///   - target: Where the message is sent; the timer's own target if nil.
  ///   - keepsReceiver: Whether the receiver is retained.
  ///   - timer: The timer.
  ///   - onError: Receives the errors of sending, and of an async method; if nil, they are written
  ///     to standard error.
  /// - Returns: The token; cancelling it releases the arguments and the receiver.
  /// - Throws: `unrecognizedSelector`, `argumentCount`, `typeMismatch`, `valueOutOfRange`.
  @discardableResult
  public func perform<each Argument: Sendable>(
    _ selector: Selector, _ arguments: repeat each Argument, after delay: Duration,
    on target: DelayTarget? = nil, keepsReceiver: Bool = true, timer: DelayTimer = .shared,
    onError: MessageErrorHandler? = nil
  ) throws(MessageError) -> DelayedBlock {
    let sent = try SentInvocation(of: self, selector, repeat each arguments)
    return timer.perform(
      after: delay, for: self, name: DelayedMessages.name(selector), keepsOwner: keepsReceiver,
      on: target
    ) { receiver in
      DelayedMessages.report(to: onError) { () throws(MessageError) in
        try sent.invocation.send(to: receiver)
        sent.invocation.asyncAnswer?.start { error in
          let error = MessageError(thrown: error, by: selector)
          if let onError { onError(error) } else { reportHandlerError(error) }
        }
      }
    }
  }

  /// Cancels the delayed messages to the receiver, of all timers:
  /// `+cancelPreviousPerformRequestsWithTarget:`.
  ///
  /// - Parameter selector: The messages' name; nil means all. Other delayed blocks of the receiver
  ///   are not cancelled.
  /// - Returns: How many messages were cancelled.
  @discardableResult
  public func cancelPreviousPerforms(of selector: Selector? = nil) -> Int {
    guard let selector else {
      return DelayedBlock.cancelAll(namePrefix: DelayedMessages.prefix, of: self)
    }
    return DelayedBlock.cancelAll(named: DelayedMessages.name(selector), of: self)
  }
}

extension Invocation {
  /// Sends a copy of the message after a delay, on another queue or thread.
  ///
  /// The copy has the current arguments, and retains them and the receiver as `retainArguments()`
  /// does; the objects must be safe to use on the target. The invocation remains the caller's.
  ///
  /// - Parameters:
  ///   - type: The Swift type of the answer; `Void` ignores it.
  ///   - delay: The time from now.
  ///   - target: Where the message is sent; the timer's own target if nil.
  ///   - timer: The timer.
  /// - Returns: The token, which has the answer, or the error, after the message was sent, and its
  ///   async method, if it is one, has ended.
  /// - Throws: `deadReceiver` if the invocation has no receiver; `missingArgument`.
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
    guard isAsync else {
      return timer.perform(after: delay, on: target) { () throws -> Answer in
        try sent.invocation.send()
        return try sent.invocation.answer(as: Answer.self)
      }
    }
    return timer.perform(
      after: delay, on: target,
      awaiting: {
        let wait = try sent.invocation.sendForAnswer()
        return {
          let answer = try await wait?()
          if let answer = NoAnswer.value(of: Answer.self) ?? answer as? Answer { return answer }
          throw MessageError.unexpected(answer, Answer.self, by: sent.invocation.selector)
        }
      })
  }
}

/// An invocation that is sent by a delayed block, which owns it.
struct SentInvocation: @unchecked Sendable {
  // SAFETY: `@unchecked Sendable`: one thread at a time uses it: the one that creates it, and then
  // the delayed block, which runs once. No other code refers to the invocation.
  let invocation: Invocation

  init(_ invocation: Invocation) { self.invocation = invocation }

  /// Makes the invocation of a message.
  ///
  /// - Throws: `unrecognizedSelector`, `argumentCount`, `typeMismatch`, `valueOutOfRange`.
  init<each Argument>(
    of receiver: some MessageReceiver, _ selector: Selector, _ arguments: repeat each Argument
  ) throws(MessageError) {
    try BlockType.refuse(repeat (each Argument).self, in: selector)
    guard let signature = try receiver.makeInvocation(of: selector)?.signature else {
      throw MethodLookup.unrecognized(selector, receiver)
    }
    let message = Message<(repeat each Argument), Void>(selector, (repeat each arguments))
    self.init(try message.makeInvocation(signature: signature, to: nil))
  }
}

/// The names and the errors of delayed blocks that send messages.
enum DelayedMessages {
  /// The prefix of the names of delayed blocks that send messages.
  static let prefix = "BlockRuntime message "

  static func name(_ selector: Selector) -> String { prefix + selector.name }

  static func report(
    to handler: ((MessageError) -> Void)?, _ body: () throws(MessageError) -> Void
  ) {
    do throws(MessageError) { try body() } catch {
      if let handler { handler(error) } else { reportError(error, from: "a delayed message") }
    }
  }
}
