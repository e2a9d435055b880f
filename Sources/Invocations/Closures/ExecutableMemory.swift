private import BlockRuntimeThreads
private import CBlockRuntimeFFI
private import Glibc

// SAFETY, for the whole file: both addresses come from libffi's allocator, and are only given back
// to it.

/// Whether this process may make code at run time, as function pointers and made blocks need.
///
/// Calls never need it, and hooks only where somebody else replaced the code of a hooked block, or
/// where the engine is libffi.
public enum ExecutableMemory {
  /// What the system allows.
  public enum Support: String, Hashable, Sendable {
    /// Code can be made, also by forked children.
    case available
    /// Code can be made, but its memory is shared with forked children: they may call what was made
    /// before the fork, and are refused to make more. What was made is never freed here. (A libffi
    /// built with static trampolines looks the same, and is treated so.)
    case availableUntilFork
    /// Code cannot be made: making it throws `noExecutableMemory`.
    case refused
  }

  /// What the system allows now.
  ///
  /// A piece of code is made and freed to find out.
  public static var support: Support {
    if CallEngine.current == .plans, FunctionStub.isSupported { return .available }
    guard let memory = unsafe try? ClosureMemory.allocate() else { return .refused }
    defer { unsafe ClosureMemory.discard(memory) }
    return unsafe memory.isShared ? .availableUntilFork : .available
  }
}

/// libffi's allocator of closures, kept from what libffi does not survive.
enum ClosureMemory {
  /// One closure: where it is written, and where it is executed.
  @unsafe
  struct Allocation {
    let closure: UnsafeMutableRawPointer
    let code: UnsafeMutableRawPointer

    /// Where anonymous executable memory is refused, libffi maps a file twice and shared.
    var isShared: Bool { unsafe closure != code }
  }

  /// The process that first had a shared allocation.
  private static let sharingProcess = Locked<pid_t?>(nil)

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
    var code: UnsafeMutableRawPointer?
    guard let closure = unsafe ffi_closure_alloc(MemoryLayout<ffi_closure>.size, &code),
      let code = unsafe code
    else {
      throw InvocationError(
        .noExecutableMemory,
        "the system refuses executable memory; allow anonymous executable pages or memfd_create, "
          + "and leave room for mappings")
    }
    let allocation = unsafe Allocation(closure: closure, code: code)
    if unsafe allocation.isShared {
      sharingProcess.withLock { process in if process == nil { process = getpid() } }
    }
    return unsafe allocation
  }

  /// Frees a closure; in memory that forked children share, it is kept for ever, since they may call it.
  static func free(_ allocation: Allocation) {
    guard unsafe !allocation.isShared else { return }
    unsafe ffi_closure_free(allocation.closure)
  }

  /// Frees a closure that nobody was ever given.
  static func discard(_ allocation: Allocation) { unsafe ffi_closure_free(allocation.closure) }

  private static var isSharedWithParent: Bool {
    sharingProcess.withLock { process in process.map { $0 != getpid() } ?? false }
  }
}
