public import CBlockRuntimeThreads.Reentrancy

// SAFETY, for the whole file: what C keeps is the calling thread's own; a caller's address is never
// followed.

/// Which of the current thread's calls of hooked functions are ignored.
///
/// A hooked `malloc` is called wherever memory is allocated, also by its own handlers and by this
/// library under its locks. Such calls are ignored: they go straight to the original. Code that calls come
/// in through asks the guard; whoever runs handlers, or does something of the library's own, sets it.
public enum ReentrancyGuard {
  /// Ignores the thread's calls while `body` runs.
  @inlinable @inline(__always)
  public static func ignoringThread<Result, Failure: Error>(
    _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    cbr_begin_ignoring()
    defer { cbr_end_ignoring() }
    return try body()
  }

  /// Runs a handler: its calls are ignored, and it changes `errno` only if it runs instead of what is
  /// hooked and does not call that.
  @inlinable @inline(__always)
  public static func handling<Failure: Error>(
    isInstead: Bool, _ body: () throws(Failure) -> Void
  ) throws(Failure) {
    cbr_begin_handling(isInstead)
    defer { cbr_end_handling() }
    try body()
  }

  /// Ignores none of the thread's calls while `body` runs, which is the original's call.
  @inlinable @inline(__always)
  public static func runningOriginal<Result, Failure: Error>(
    _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let before = unsafe cbr_begin_original()
    defer { unsafe cbr_end_original(before) }
    return try body()
  }

  /// Where the hooked call came from that the thread is inside of, if its code told the guard.
  public static var caller: UnsafeRawPointer? { unsafe cbr_current_caller() }
}
