private import CMessageForwarding.Messages
internal import Invocations

/// The errors of methods that C code calls, which cannot pass them on: they are stored for the
/// innermost message in progress on the thread, or, without one, written to standard error.
enum ThrownErrors {
  /// Passes a method's error through its hooks.
  static let passage = ErrorPassage(collecting: collect, throwing: receive)

  /// Receives an error that an implementation threw.
  @Sendable
  static func receive(_ error: any Error) {
    // SAFETY: the thread's place of an error is a variable of a call of `collect` that has not
    // returned.
    guard let place = unsafe cbr_message_here().pointee.error else {
      reportHandlerError(error)
      return
    }
    let first = unsafe place.assumingMemoryBound(to: (any Error)?.self)
    if unsafe first.pointee == nil { unsafe first.pointee = error }
  }

  /// Runs code that may call methods which throw.
  ///
  /// - Returns: The first error that a method threw.
  @Sendable
  @inline(__always)
  static func collect(_ body: () -> Void) -> (any Error)? {
    var error: (any Error)?
    // SAFETY: the place is replaced by the outer one before the variable ends; the structure is
    // thread-local.
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

/// The number of nested messages that are being forwarded on the thread.
enum ForwardingDepth {
  /// The depth that is taken for a loop: greater than that of reasonable chains of receivers, and
  /// small enough for a stack of two megabytes.
  ///
  /// The stack of methods that run in between is not counted.
  private static let limit = 500

  /// Runs a step of forwarding.
  ///
  /// - Throws: `forwardingLoop` if there are too many, and what `body` throws.
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
