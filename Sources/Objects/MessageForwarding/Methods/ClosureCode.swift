private import CMessageForwarding.Closures

/// The code of a closure of Swift types, which is called with the addresses of its arguments and of
/// its outcome.
///
/// Its callers need not know the types, and no other closure is made for theirs.
struct ClosureCode: Sendable {
  private let code, context: UInt

  /// The closure in a structure that is generic over its types: there it takes and returns all
  /// values of these types in memory.
  private struct Stored<Arguments, Outcome> {
    let closure: @Sendable (AnyObject, Arguments) throws -> Outcome
  }

  /// Creates the code of a closure, which the caller retains.
  init<Arguments, Outcome>(of closure: @escaping @Sendable (AnyObject, Arguments) throws -> Outcome)
  {
    // SAFETY: a closure is its code and its context.
    (code, context) = unsafe unsafeBitCast(
      Stored(closure: closure), to: (UInt, UInt).self)
  }

  /// Calls the closure.
  ///
  /// - Returns: The error that the closure throws, which leaves the outcome uninitialised; nil for
  ///   none.
  ///
  /// ## Safety
  /// The closure must be alive. The arguments must be in memory of the tuple's type; there must be
  /// room for the outcome, which is uninitialised before.
  @unsafe
  @inline(__always)
  func run(
    _ receiver: AnyObject, _ arguments: UnsafeRawPointer, _ outcome: UnsafeMutableRawPointer
  ) -> (any Error)? {
    var error = unsafe cbr_call_closure(
      code, context, Unmanaged.passUnretained(receiver).toOpaque(), arguments, outcome)
    // SAFETY: an error in Swift is one reference, which `move()` takes over.
    return unsafe _withUnprotectedUnsafeMutablePointer(to: &error) {
      unsafe UnsafeMutableRawPointer($0).assumingMemoryBound(to: (any Error)?.self).move()
    }
  }
}
