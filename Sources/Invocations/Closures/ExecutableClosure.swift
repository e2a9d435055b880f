private import BlockRuntimeThreads
private import CBlockRuntimeFFI

// SAFETY, for the whole file: libffi keeps a closure valid from its preparation to its end.

/// Code that libffi makes for one signature.
///
/// The corresponding libffi type is `ffi_closure`.
@safe
final class ExecutableClosure: @unchecked Sendable {
  // SAFETY: everything is set in the initialiser.

  /// The code's address: a function of the interface's signature.
  let code: UnsafeRawPointer

  private let memory: ClosureMemory.Allocation

  /// libffi reads the interface at every call.
  private let interface: CallInterface

  /// Makes code for a signature.
  ///
  /// - Parameters:
  ///   - interface: The signature of the code.
  ///   - context: The entry that calls are given to; it must live as long as the code.
  /// - Throws: `noExecutableMemory`, `unsupportedType`.
  init(_ interface: CallInterface, context: UnsafeMutableRawPointer) throws(InvocationError) {
    RetiredClosures.free()
    let memory = unsafe try ClosureMemory.allocate()
    let entry:
      @convention(c) (
        UnsafeMutablePointer<ffi_cif>?, UnsafeMutableRawPointer?,
        UnsafeMutablePointer<UnsafeMutableRawPointer?>?, UnsafeMutableRawPointer?
      ) -> Void = { _, result, arguments, context in
        guard let result = unsafe result, let context = unsafe context else { return }
        unsafe EnteredCall.foreign(context, result, arguments)
      }
    let status = unsafe ffi_prep_closure_loc(
      memory.closure.assumingMemoryBound(to: ffi_closure.self),
      interface.foreign.closureAddress.assumingMemoryBound(to: ffi_cif.self), entry, context,
      memory.code)
    guard status == FFI_OK else {
      unsafe ClosureMemory.discard(memory)
      throw InvocationError(
        .unsupportedType,
        "libffi refuses a closure of \(interface.signature) (status \(status.rawValue))")
    }
    unsafe code = unsafe UnsafeRawPointer(memory.code)
    unsafe self.memory = unsafe memory
    self.interface = interface
  }

  deinit { unsafe RetiredClosures.retire(unsafe memory) }
}

/// Closures whose last reference is gone, freed when the next one is made.
///
/// A closure may be given up by its own call. libffi forbids freeing one that is being executed, and
/// by the time another is made the entry that gave it up has long left its handler.
private enum RetiredClosures {
  @safe
  private struct Closure: @unchecked Sendable {
    // SAFETY: nobody else refers to the memory any more.
    let memory: ClosureMemory.Allocation
  }

  private static let retired = Locked<[Closure]>([])

  static func retire(_ memory: ClosureMemory.Allocation) {
    retired.withLock { unsafe $0.append(Closure(memory: memory)) }
  }

  static func free() {
    let closures = retired.withLock { list in
      defer { list.removeAll(keepingCapacity: true) }
      return list
    }
    for closure in closures { unsafe ClosureMemory.free(closure.memory) }
  }
}
