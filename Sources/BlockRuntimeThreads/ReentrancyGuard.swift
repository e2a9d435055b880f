public import CBlockRuntimeThreads.Reentrancy

/// The guard that decides whether the current thread's calls of hooked functions are ignored.
///
/// A hooked `malloc` is called wherever memory is allocated, also by its own handlers and by this
/// library under its locks. Such calls are ignored: they go straight to the original. The entry
/// code of a hooked function checks the guard; code that runs handlers, and the library's own code,
/// sets it.
public enum ReentrancyGuard {
  /// Runs `body`; meanwhile this thread's calls of hooked functions go straight to the originals.
  @inlinable @inline(__always)
  public static func ignoringThread<Result, Failure: Error>(
    _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    cbr_begin_ignoring()
    defer { cbr_end_ignoring() }
    return try body()
  }

  /// Runs a handler; meanwhile this thread's calls of hooked functions go straight to the
  /// originals.
  ///
  /// A handler changes `errno` only if it runs instead of the original and does not call it.
  @inlinable @inline(__always)
  public static func handling<Failure: Error>(
    isInstead: Bool, _ body: () throws(Failure) -> Void
  ) throws(Failure) {
    cbr_begin_handling(isInstead)
    defer { cbr_end_handling() }
    try body()
  }

  /// Ignores none of the thread's calls while `body` calls the original.
  @inlinable @inline(__always)
  public static func runningOriginal<Result, Failure: Error>(
    _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    // SAFETY: the state is thread-local, and is restored on the same thread. Its pointer to the
    // caller is copied, not dereferenced.
    let before = unsafe cbr_begin_original()
    defer { unsafe cbr_end_original(before) }
    return try body()
  }

  // SAFETY: the address is copied, not dereferenced.
  /// The return address of the hooked call that the thread is in, if the entry code stored it.
  public static var caller: UnsafeRawPointer? { unsafe cbr_current_caller() }
}
