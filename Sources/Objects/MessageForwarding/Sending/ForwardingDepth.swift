private import CMessageForwarding.Messages
internal import Invocations

/// The number of nested messages that are being forwarded on the thread.
enum ForwardingDepth {
  /// The depth that is taken for a loop: greater than that of reasonable chains of receivers, and
  /// small enough for a stack of two megabytes.
  ///
  /// The stack of methods that run in between is not counted.
  private static let limit = 500

  /// Runs a step of forwarding.
  ///
  /// - Throws: `forwardingLoop` if too many steps are nested, and what `body` throws.
  static func descend<Outcome>(
    _ selector: Selector, _ body: () throws(MessageError) -> Outcome
  ) throws(MessageError) -> Outcome {
    // SAFETY: the structure is thread-local, and `body` returns on this thread.
    let here = unsafe cbr_message_here()
    guard unsafe here.pointee.forwarding_depth < limit else { throw loop(selector) }
    unsafe here.pointee.forwarding_depth += 1
    defer { unsafe here.pointee.forwarding_depth -= 1 }
    return try body()
  }

  /// Whether a number of steps is taken for a loop.
  static func isLoop(_ steps: Int) -> Bool { steps >= limit }

  static func loop(_ selector: Selector) -> MessageError {
    MessageError(
      .forwardingLoop,
      "\(selector) was forwarded \(limit) times: its receivers forward it to each other",
      selector: selector)
  }
}
