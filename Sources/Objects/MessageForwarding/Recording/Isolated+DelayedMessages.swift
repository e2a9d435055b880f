public import DelayedBlocks
public import Invocations
@_exported public import IsolatedClosures

extension Isolated where Base: MessageReceiver {
  /// Sends a message after a delay; neither the receiver nor the arguments need be `Sendable`.
  ///
  /// It is like `MessageReceiver.perform(_:_:after:on:keepsReceiver:timer:onError:)`, but the
  /// message is sent where `isolated(timer)` runs blocks.
  ///
  /// - Parameters:
  ///   - selector: The message; its answer is ignored, and an async method runs in a task of its
  ///     own, whose errors are written to standard error.
  ///   - arguments: The arguments, which are retained; C strings are copied.
  ///   - delay: The time from now.
  ///   - keepsReceiver: Whether the receiver is retained.
  ///   - timer: The timer.
  ///   - onError: Receives the errors of sending; if nil, they are written to standard error.
  /// - Returns: The token; cancelling it releases the arguments and the receiver.
  /// - Throws: `unrecognizedSelector`, `argumentCount`, `typeMismatch`, `valueOutOfRange`.
  @discardableResult
  public func perform<each Argument>(
    _ selector: Selector, _ arguments: repeat each Argument, after delay: Duration,
    keepsReceiver: Bool = true, timer: DelayTimer = .shared,
    onError: ((MessageError) -> Void)? = nil
  ) throws(MessageError) -> DelayedBlock {
    let sent = try SentInvocation(of: base, selector, repeat each arguments)
    return with(timer).perform(
      after: delay, for: base, name: DelayedMessages.name(selector), keepsOwner: keepsReceiver
    ) { receiver in
      DelayedMessages.report(to: onError) { () throws(MessageError) in
        try sent.invocation.send(to: receiver)
        sent.invocation.asyncAnswer?.start()
      }
    }
  }
}
