/// Whether this process may make code at run time, which function pointers and made blocks need.
///
/// Calls never need it. Hooks need it only if other code has replaced the code of a hooked block,
/// or if the engine is libffi.
public enum ExecutableMemory {
  /// Whether the system allows executable memory.
  public enum Support: String, Hashable, Sendable {
    /// Code can be made, also in forked children.
    case available
    /// Code can be made, but its memory is shared with forked children: they may call code that was
    /// made before the fork, but cannot make more. Such code is never freed.
    case availableUntilFork
    /// Code cannot be made: making it throws `noExecutableMemory`.
    case refused
  }

  /// Whether the system allows executable memory now, determined by making and freeing some code.
  public static var support: Support {
    if CallEngine.current == .plans, FunctionStub.isSupported { return .available }
    // SAFETY: the closure is freed, and never called.
    guard let memory = unsafe try? ClosureMemory.allocate() else { return .refused }
    defer { unsafe ClosureMemory.discard(memory) }
    return unsafe memory.isShared ? .availableUntilFork : .available
  }
}
