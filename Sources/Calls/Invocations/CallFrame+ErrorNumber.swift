private import BlockRuntimeThreads

extension CallFrame {
  /// The `errno` that the call's caller will find.
  ///
  /// In a hook of an imported function it is what the original left, whatever this handler and others have
  /// called since, and what is set stays. Before the original it is what the caller had. Elsewhere it
  /// is the thread's `errno`, which any call may change: read it first, and set it last.
  public var errno: Int32 {
    // SAFETY: the address of the call's memory is only compared.
    get { unsafe ReentrancyGuard.errorNumber(of: memory.address) }
    nonmutating set { unsafe ReentrancyGuard.setErrorNumber(newValue, of: memory.address) }
  }
}
