private import CMessageForwarding.Messages
internal import Invocations

/// The errors of methods that C code calls, which cannot pass them on: they are stored for the
/// innermost message in progress on the thread, or, without one, written to standard error.
enum ThrownErrors {
  /// Passes a method's error through its hooks.
  static let passage = ErrorPassage(collecting: collect, throwing: receive)

  /// An error that waits for the sender of the message.
  private final class Received {
    let error: any Error

    init(_ error: any Error) { self.error = error }
  }

  /// Receives an error that an implementation threw.
  @Sendable
  static func receive(_ error: any Error) {
    // SAFETY: the structure is thread-local.
    let here = unsafe cbr_message_here()
    switch unsafe UInt(bitPattern: here.pointee.error) {
    case 0: unsafe here.pointee.error = unsafe Unmanaged.passRetained(Received(error)).toOpaque()
    case UInt(CBR_OUTSIDE_OF_MESSAGES): reportHandlerError(error)
    default: break
    }
  }

  /// Takes the error that a message has found in the thread's place at its end.
  ///
  /// Before this, the message has stored there what it found at its beginning.
  ///
  /// - Returns: The error; nil if a message that began earlier has ended before, on another stack
  ///   of the thread. Then the place says again that it is outside of messages.
  ///
  /// ## Safety
  /// The address must be one that was in the place, and is used once.
  @unsafe
  @inline(never)
  static func take(_ address: UnsafeMutableRawPointer) -> (any Error)? {
    // SAFETY: the caller has the reference; the structure is thread-local.
    guard UInt(bitPattern: address) == UInt(CBR_OUTSIDE_OF_MESSAGES) else {
      return unsafe Unmanaged<Received>.fromOpaque(address).takeRetainedValue().error
    }
    let here = unsafe cbr_message_here()
    let outer = unsafe here.pointee.error
    unsafe here.pointee.error = unsafe address
    if let outer = unsafe outer, unsafe outer != address, let error = unsafe take(outer) {
      reportHandlerError(error)
    }
    return nil
  }

  /// Runs code that may call methods which throw.
  ///
  /// - Returns: The first error that was thrown.
  @Sendable
  @inline(__always)
  static func collect(_ body: () -> Void) -> (any Error)? {
    collect(from: {
      body()
      return nil
    })
  }

  /// Runs code that returns what it has thrown, and may call methods which throw.
  ///
  /// - Returns: The first error that was thrown.
  @inline(__always)
  static func collect(from body: () -> (any Error)?) -> (any Error)? {
    // SAFETY: the structure is thread-local. The outer error is stored again.
    let here = unsafe cbr_message_here()
    let outer = unsafe here.pointee.error
    unsafe here.pointee.error = nil
    let thrown = body()
    let address = unsafe here.pointee.error
    unsafe here.pointee.error = unsafe outer
    guard let address = unsafe address else { return thrown }
    return unsafe take(address) ?? thrown
  }
}
