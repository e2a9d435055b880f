private import BlockRuntimeThreads
private import CBlockRuntimeFFI

/// Code that libffi makes for a signature.
///
/// The corresponding libffi type is `ffi_closure`.
@safe
final class ExecutableClosure {
  // SAFETY: all properties are immutable. libffi keeps the closure's memory and code valid until it
  // is freed, which is after the release of this object.

  /// The code's address: a function of the interface's signature.
  let code: UnsafeRawPointer

  private let memory: ClosureMemory.Allocation

  /// The signature's interface, which libffi reads at every call.
  private let interface: CallInterface

  /// Makes code for a signature.
  ///
  /// - Parameters:
  ///   - interface: The signature of the code.
  ///   - context: The entry that receives the calls; it must live as long as the code.
  /// - Throws: `noExecutableMemory`, `unsupportedType`.
  init(_ interface: CallInterface, context: UnsafeMutableRawPointer) throws(InvocationError) {
    guard let foreign = interface.foreign else {
      throw InvocationError(
        .noExecutableMemory, "vectors need code of their own, for which the system refuses memory")
    }
    RetiredClosures.free()
    // SAFETY: the memory is new and has room for an `ffi_closure`; this object retains the
    // interface.
    let memory = unsafe try ClosureMemory.allocate()
    let entry:
      @convention(c) (
        UnsafeMutablePointer<ffi_cif>?, UnsafeMutableRawPointer?,
        UnsafeMutablePointer<UnsafeMutableRawPointer?>?, UnsafeMutableRawPointer?
      ) -> Void = { _, result, arguments, context in
        // SAFETY: libffi passes the arguments of the signature, and the context from below.
        guard let result = unsafe result, let context = unsafe context else { return }
        unsafe EnteredCall.foreign(context, result, arguments)
      }
    let status = unsafe ffi_prep_closure_loc(
      memory.closure.assumingMemoryBound(to: ffi_closure.self),
      foreign.closureAddress.assumingMemoryBound(to: ffi_cif.self), entry, context,
      memory.code)
    guard status == FFI_OK else {
      // SAFETY: no other code has the closure.
      unsafe ClosureMemory.discard(memory)
      throw InvocationError(
        .unsupportedType,
        "libffi refuses a closure of \(interface.signature) (status \(status.rawValue))")
    }
    unsafe code = unsafe UnsafeRawPointer(memory.code)
    unsafe self.memory = unsafe memory
    self.interface = interface
  }

  // SAFETY: only calls in progress still use the memory.
  deinit { unsafe RetiredClosures.retire(unsafe memory) }
}

/// Closures whose owner was released, which are freed when the next closure is made.
///
/// A closure's own call may release its owner, and libffi does not allow a closure to be freed
/// while it runs. The delay lets that call end.
private enum RetiredClosures {
  @safe
  private struct Closure {
    // SAFETY: an immutable value with the only reference to the memory.
    let memory: ClosureMemory.Allocation
  }

  private static let retired = GatedLock<[Closure]>([])

  static func retire(_ memory: ClosureMemory.Allocation) {
    // SAFETY: the list takes over the memory.
    retired.withLock { unsafe $0.append(Closure(memory: memory)) }
  }

  static func free() {
    let closures = retired.withLock { list in
      defer { list.removeAll(keepingCapacity: true) }
      return list
    }
    // SAFETY: the closures were removed from the list, so each is freed once.
    for closure in closures { unsafe ClosureMemory.free(closure.memory) }
  }
}
