private import CSymbolInterposing.InterposedCalls
internal import Invocations

// SAFETY, for the whole file: the target is immutable, and never freed.

/// The code that takes a C function's place: it goes on to the hooks, or to the original where the
/// current thread's calls are ignored.
///
/// It is never freed: whoever read a slot may call it at any time.
@safe
struct InterposedCode: Sendable {
  // SAFETY: the address is immutable, its code kept for ever.
  nonisolated(unsafe) let address: UnsafeRawPointer

  /// Makes code.
  ///
  /// - Parameters:
  ///   - hooked: Where calls go on; a function of the original's signature.
  ///   - original: Where calls go on that are ignored.
  /// - Throws: `noExecutableMemory`.
  ///
  /// ## Safety
  /// Both must be functions that are never freed.
  @unsafe
  init(
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
