private import CMessageForwarding.Messages
internal import Invocations

// SAFETY, for the whole file: the place of an error is a variable of a function that has not
// returned.

/// Errors that methods throw behind C code, which cannot pass them on: they go to the message under
/// way on the thread, or, where there is none, to standard error.
enum ThrownErrors {
  /// The way of a method's error through its hooks.
  static let passage = ErrorPassage(collecting: collect, throwing: receive)

  /// Receives what an implementation threw.
  @Sendable
  static func receive(_ error: any Error) {
    guard let place = unsafe cbr_message_here().pointee.error else {
      reportHandlerError(error)
      return
    }
    let first = unsafe place.assumingMemoryBound(to: (any Error)?.self)
    if unsafe first.pointee == nil { unsafe first.pointee = error }
  }

  /// Runs code behind which methods may throw.
  ///
  /// - Returns: The first error thrown.
  @Sendable
  static func collect(_ body: () -> Void) -> (any Error)? {
    var error: (any Error)?
    unsafe withUnsafeMutablePointer(to: &error) { place in
      let here = unsafe cbr_message_here()
      let outer = unsafe here.pointee.error
      unsafe here.pointee.error = UnsafeMutableRawPointer(place)
      defer { unsafe here.pointee.error = outer }
      body()
    }
    return error
  }
}

/// How many messages are being forwarded on the thread, one inside the other.
enum ForwardingDepth {
  /// Deeper than chains of receivers that make sense, and within a stack of two megabytes.
  ///
  /// Methods that are entered in between are not seen.
  private static let limit = 500

  /// Runs a step of forwarding.
  ///
  /// - Throws: `forwardingLoop` if there are too many, and what `body` throws.
  static func descend<Outcome>(
    _ selector: Selector, _ body: () throws(MessageError) -> Outcome
  ) throws(MessageError) -> Outcome {
    let here = unsafe cbr_message_here()
    guard unsafe here.pointee.forwarding_depth < limit else { throw loop(selector) }
    unsafe here.pointee.forwarding_depth += 1
    defer { unsafe here.pointee.forwarding_depth -= 1 }
    return try body()
  }

  /// Whether so many steps make a loop.
  static func isLoop(_ steps: Int) -> Bool { steps >= limit }

  static func loop(_ selector: Selector) -> MessageError {
    MessageError(
      .forwardingLoop,
      "\(selector) was forwarded \(limit) times: its receivers forward it to each other",
      selector: selector)
  }
}
