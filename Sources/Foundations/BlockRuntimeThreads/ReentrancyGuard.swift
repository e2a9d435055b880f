public import CBlockRuntimeThreads.Reentrancy

/// The guard that decides whether the current thread's calls of hooked functions are ignored.
///
/// A hooked `malloc` is called wherever memory is allocated, also by its own handlers and by this
/// library under its locks. Such calls are ignored: they go straight to the original. The entry
/// code of a hooked function checks the guard; code that runs handlers, and the library's own code,
/// sets it. Functions are given by their addresses, and calls by those of their memory.
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
  /// A handler changes `errno` only if it runs instead of the original and neither calls it nor
  /// throws. The original finds the caller's `errno`.
  ///
  /// - Parameters:
  ///   - call: The handler's call; nil if it has none.
  ///   - isInstead: Whether the handler runs instead of the original.
  ///   - body: Runs the handler.
  /// - Throws: The error of `body`.
  @inlinable @inline(__always)
  public static func handling(
    _ call: UnsafeRawPointer?, isInstead: Bool, _ body: () throws -> Void
  ) rethrows {
    // SAFETY: the state is thread-local, and is restored on the same thread. Its pointers are
    // copied and compared, not dereferenced.
    let around = unsafe cbr_begin_handling(call, isInstead)
    defer { unsafe cbr_end_handling(around) }
    do { try body() } catch {
      // The call goes on without the handler.
      if let call = unsafe call { unsafe keepErrorNumber(of: call) }
      throw error
    }
  }

  /// Runs the part of a handler whose calls of hooked functions are not ignored.
  ///
  /// - Parameters:
  ///   - function: The address of the function whose handler runs.
  ///   - body: The part; it runs within `handling`.
  /// - Throws: The error of `body`.
  public static func handlingOpenly(_ function: UInt, _ body: () throws -> Void) rethrows {
    // SAFETY: the memory is valid until the scope has ended, and its pointers are only compared.
    var handler = unsafe cbr_open_handler()
    unsafe try withUnsafeMutablePointer(to: &handler) { handler in
      unsafe cbr_begin_open_handler(handler, function)
      defer { unsafe cbr_end_open_handler(handler) }
      try body()
    }
  }

  /// Whether a call of a function is made by one of the function's own handlers that run by
  /// `handlingOpenly`: then no handler may run, because handlers could call each other without end.
  @inlinable @inline(__always)
  public static func isCallByOwnHandler(of function: UInt, _ call: UnsafeRawPointer) -> Bool {
    // SAFETY: the address is only compared.
    unsafe cbr_is_call_by_own_handler(function, call)
  }

  /// Runs the original of a call, or its inner handlers: the calls that they make are ignored only
  /// if the call itself was made where calls are ignored.
  @inlinable @inline(__always)
  public static func runningOriginal<Result, Failure: Error>(
    of call: UnsafeRawPointer, _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    // SAFETY: as for a handler.
    let around = unsafe cbr_begin_original(call)
    defer { unsafe cbr_end_original(around) }
    return try body()
  }

  /// The `errno` that a call leaves to its caller, if a handler of it runs; else the thread's.
  public static func errorNumber(of call: UnsafeRawPointer) -> Int32 {
    // SAFETY: the address is only compared; the state is the thread's own.
    unsafe cbr_call_error_number(call)
  }

  /// Sets the `errno` that a call leaves to its caller.
  public static func setErrorNumber(_ number: Int32, of call: UnsafeRawPointer) {
    // SAFETY: as above.
    unsafe cbr_set_call_error_number(call, number)
  }

  /// Has the caller's `errno` restored when a call's handlers have ended: the call goes on then.
  public static func keepErrorNumber(of call: UnsafeRawPointer) {
    // SAFETY: as above.
    unsafe cbr_keep_error_number(call)
  }

  // SAFETY: of these three the address is copied, not dereferenced.

  /// The return address of the hooked call that the thread is in, if the entry code stored it.
  public static var caller: UnsafeRawPointer? { unsafe cbr_current_caller() }

  /// The stack pointer that the caller has after that call, for the first handler that runs.
  public static var callerStack: UnsafeRawPointer? { unsafe cbr_current_stack() }

  /// The `self` that the caller passed in Swift's register for `self`, if it passed one, for the
  /// first handler that runs.
  public static var callerSelf: UnsafeRawPointer? { unsafe cbr_current_self() }
}
