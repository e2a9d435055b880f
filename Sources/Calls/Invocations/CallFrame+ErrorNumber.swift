private import BlockRuntimeThreads

extension CallFrame {
  /// The `errno` that the call's caller will find.
  ///
  /// In a hook of an imported function this is what the original left, whatever handlers have
  /// called since; before the original it is what the caller had. A number that is set stays.
  /// Elsewhere this is the thread's `errno`, which any call may change: read it first, and set it
  /// last.
  public var errno: Int32 {
    // SAFETY: the address of the call's memory is only compared.
    get { unsafe ReentrancyGuard.errorNumber(of: memory.address) }
    nonmutating set { unsafe ReentrancyGuard.setErrorNumber(newValue, of: memory.address) }
  }
}
