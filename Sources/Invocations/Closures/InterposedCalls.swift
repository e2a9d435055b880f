private import CBlockRuntime.InterposedCalls

// SAFETY, for the whole file: what C keeps is the calling thread's own; a caller's address is never
// followed.

/// What the current thread does with its calls of interposed functions.
///
/// A hooked `malloc` is called wherever memory is allocated, also by its own handlers and by this
/// library under its locks. Such calls pass: they go straight to the original.
package enum InterposedCalls {
  /// Lets the thread's calls pass while `body` runs.
  @inline(__always)
  package static func passing<Result, Failure: Error>(
    _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    cbr_begin_passing()
    defer { cbr_end_passing() }
    return try body()
  }

  /// Runs a handler of a C function: its calls pass, and it changes `errno` only if it runs instead of
  /// the function and does not call it.
  @inline(__always)
  package static func handling<Failure: Error>(
    isInstead: Bool, _ body: () throws(Failure) -> Void
  ) throws(Failure) {
    cbr_begin_handling(isInstead)
    defer { cbr_end_handling() }
    try body()
  }

  /// Lets none of the thread's calls pass while `body` runs, which is the original's call.
  @inline(__always)
  package static func notPassing<Result, Failure: Error>(
    _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let caller = unsafe cbr_interposed_caller()
    let passes = cbr_exchange_passing(0)
    defer {
      cbr_keep_error()
      _ = cbr_exchange_passing(passes)
      unsafe cbr_set_interposed_caller(caller)
    }
    return try body()
  }

  /// Where the hooked call that the thread is inside of came from.
  package static var caller: UnsafeRawPointer? { unsafe cbr_interposed_caller() }
}

/// The code that takes a C function's place: it goes on to the hooks, or past them.
///
/// It is never freed: whoever read a slot may call it at any time.
@safe
package struct InterposedCode: Sendable {
  // SAFETY: the address is immutable, its code kept for ever.
  nonisolated(unsafe) package let address: UnsafeRawPointer

  /// Makes code.
  ///
  /// - Parameters:
  ///   - hooked: Where calls go on; a function of the original's signature.
  ///   - original: Where calls go on that pass.
  /// - Throws: `noExecutableMemory`.
  ///
  /// ## Safety
  /// Both must be functions that are never freed.
  @unsafe
  package init(
    hooked: UnsafeRawPointer, original: UnsafeRawPointer
  ) throws(InvocationError) {
    guard let code = unsafe cbr_interposed_code() else {
      throw InvocationError(
        .noExecutableMemory, "imports can be hooked on x86-64 only; hook a block instead")
    }
    let target = UnsafeMutablePointer<cbr_interposed>.allocate(capacity: 1)
    unsafe target.initialize(
      to: cbr_interposed(code: code, hooked: hooked, original: original))
    guard let stub = unsafe FunctionStub(leadingTo: UnsafeRawPointer(target)) else {
      unsafe target.deallocate()
      throw InvocationError(
        .noExecutableMemory,
        "the system allows no executable memory for a hooked import; see ExecutableMemory.support")
    }
    unsafe address = unsafe stub.code
    // The stub's place stays taken.
    _ = unsafe Unmanaged.passRetained(stub)
  }
}
