private import CSymbolInterposing.InterposedCalls
internal import Invocations

/// The code that replaces a C function: it calls the hooks, or the original if the current thread's
/// calls are ignored.
///
/// It is never freed, because a thread that has read a slot may call it at any time.
@safe
struct InterposedCode: Sendable {
  // SAFETY: immutable; the code at the address is never freed, nor is its target, which changes
  // atomically.
  nonisolated(unsafe) let address: UnsafeRawPointer
  nonisolated(unsafe) private let target: UnsafeMutablePointer<cbr_interposed>

  /// Allocates the code.
  ///
  /// - Parameters:
  ///   - hooked: The function that runs the hooks; it has the original's signature.
  ///   - original: The function that ignored calls run.
  /// - Throws: `noExecutableMemory`.
  ///
  /// ## Safety
  /// Both must be functions that are never freed.
  @unsafe
  init(
    hooked: UnsafeRawPointer, original: UnsafeRawPointer
  ) throws(InvocationError) {
    // SAFETY: the target is initialised before the stub refers to it.
    guard let code = unsafe cbr_interposed_code() else {
      throw InvocationError(
        .noExecutableMemory, "imports can be hooked on x86-64 only; hook a block instead")
    }
    unsafe target = .allocate(capacity: 1)
    unsafe target.initialize(
      to: cbr_interposed(code: code, hooked: hooked, original: original))
    guard let stub = unsafe FunctionStub(leadingTo: UnsafeRawPointer(target)) else {
      unsafe target.deallocate()
      throw InvocationError(
        .noExecutableMemory,
        "the system allows no executable memory for a hooked import; see ExecutableMemory.support")
    }
    unsafe address = unsafe stub.code
    // Retained permanently, so that the stub's memory is not reused.
    _ = unsafe Unmanaged.passRetained(stub)
  }

  /// Lets calls that are not ignored run another function from now on.
  ///
  /// ## Safety
  /// It must be a function of the original's signature that is never freed.
  @unsafe
  func lead(to hooked: UnsafeRawPointer) { unsafe cbr_lead_interposed(target, hooked) }
}
