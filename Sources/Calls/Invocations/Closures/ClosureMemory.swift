private import BlockABI
private import BlockRuntimeThreads
private import CBlockRuntimeFFI
private import Glibc

/// libffi's allocator of closures, with checks for memory that is shared with forked processes.
enum ClosureMemory {
  /// One closure: the address to write it, and the address to execute it.
  @unsafe
  struct Allocation {
    // SAFETY: both addresses come from libffi's allocator, and are valid until `free` or `discard`.

    let closure: UnsafeMutableRawPointer
    let code: UnsafeMutableRawPointer

    /// Whether the memory is shared with forked children: if the system refuses anonymous
    /// executable memory, libffi maps a file twice, both shared.
    let isShared: Bool

    init(_ closure: UnsafeMutableRawPointer, _ code: UnsafeMutableRawPointer) {
      unsafe self.closure = unsafe closure
      unsafe self.code = unsafe code
      // SAFETY: the addresses are only compared.
      unsafe isShared = unsafe closure != code && ClosureMemory.isShared(UInt(bitPattern: code))
    }
  }

  /// Whether code that is written through another mapping is in shared memory; nil until that is
  /// known.
  ///
  /// The code of static trampolines is not. A process has only one kind of code.
  private static let sharesCode = GatedLock<Bool?>(nil)

  private static func isShared(_ code: UInt) -> Bool {
    sharesCode.withLock { known in
      if let known { return known }
      known = (try? MemoryMap.read())?.isShared(at: code)
      return known ?? true
    }
  }

  /// The process that first had a shared allocation.
  private static let sharingProcess = GatedLock<pid_t?>(nil)

  /// Allocates a closure.
  ///
  /// - Throws: `noExecutableMemory`.
  static func allocate() throws(InvocationError) -> Allocation {
    guard !isSharedWithParent else {
      throw InvocationError(
        .noExecutableMemory,
        "this process was forked, and shares its executable memory with its parent; "
          + "make hooks and function pointers before the fork, or execute a program in the child")
    }
    // SAFETY: libffi stores the second address in `code`.
    var code: UnsafeMutableRawPointer?
    guard let closure = unsafe ffi_closure_alloc(MemoryLayout<ffi_closure>.size, &code),
      let code = unsafe code
    else {
      throw InvocationError(
        .noExecutableMemory,
        "the system refuses executable memory; allow anonymous executable pages or memfd_create, "
          + "and leave room for mappings")
    }
    let allocation = unsafe Allocation(closure, code)
    if unsafe allocation.isShared {
      sharingProcess.withLock { process in if process == nil { process = getpid() } }
    }
    return unsafe allocation
  }

  /// Frees a closure, unless forked children share its memory, as they may call it.
  static func free(_ allocation: Allocation) {
    // SAFETY: the caller has the only reference to the closure, which is not running.
    guard unsafe !allocation.isShared else { return }
    unsafe ffi_closure_free(allocation.closure)
  }

  // SAFETY: the closure was never called, so it is not running.
  /// Frees a closure that no other code has received.
  static func discard(_ allocation: Allocation) { unsafe ffi_closure_free(allocation.closure) }

  private static var isSharedWithParent: Bool {
    sharingProcess.withLock { process in process.map { $0 != getpid() } ?? false }
  }
}
