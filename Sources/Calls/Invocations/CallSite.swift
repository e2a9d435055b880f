public import BlockABI
private import CInvocations.CallStacks

/// A place in code at which a function calls another.
public struct CallSite: Hashable, Sendable {
  /// The address of the code that follows the call.
  public let address: UInt

  /// The function that makes the call; nil if no loaded image holds it.
  ///
  /// The function is looked up each time, which may read the image's file: not to be used in a hook
  /// of `malloc`.
  public var function: CodeSymbol? {
    // A call may be the last instruction of its function.
    // SAFETY: the address is only looked up.
    unsafe UnsafeRawPointer(bitPattern: address - 1).flatMap { unsafe CodeSymbol(at: $0) }
  }

  /// The path of the program or library that makes the call, as the loader has it: empty for the
  /// program, nil if no loaded image holds the call.
  package var imagePath: String? {
    // SAFETY: the address is only looked up.
    unsafe UnsafeRawPointer(bitPattern: address - 1).flatMap { unsafe CodeSymbol.imagePath(at: $0) }
  }
}

extension CallFrame {
  /// The code that made this call, and the calls around it on the thread's stack, the innermost
  /// first.
  ///
  /// The stack is unwound: a caller costs about a microsecond. Code that was inlined has no call of
  /// its own, and code that ended with the call (a tail call) has left the stack: both are missing,
  /// as is what is beyond code without unwinding tables. An asynchronous function's callers are the
  /// code that resumed it. Where this library makes the call, as for a message or a prepared
  /// invocation, and where calls go by libffi, the first callers may be functions of the library or
  /// of libffi.
  ///
  /// This takes no lock, and its own calls are not hooked: a handler of `malloc` may use it. The
  /// corresponding C function is `backtrace`.
  ///
  /// - Parameter limit: The largest number of callers, of which at most 256 are found.
  /// - Returns: The callers; none at a block's death, in calls without a frame, and where the call
  ///   was continued on another stack than that of its caller.
  public func callers(limit: Int) -> [CallSite] {
    guard unsafe memory.hasValues else { return [] }
    let room = min(max(limit, 0), 256)
    return unsafe withUnsafeTemporaryAllocation(of: UnsafeRawPointer?.self, capacity: room) {
      addresses in
      guard room > 0, let start = addresses.baseAddress else { return [] }
      // SAFETY: the buffer has room for the number of addresses that is passed, and those that are
      // returned have been written.
      let count = unsafe cbr_find_call_sites(memory.address, start, room)
      return (0..<count).map { unsafe CallSite(address: UInt(bitPattern: start[$0])) }
    }
  }
}
