private import BlockRuntimeThreads
internal import Invocations

/// Runs a handler under the re-entrancy guard, by methods: a closure in two closures would be called
/// by one more step.
final class GuardedHandler: Sendable {
  private let handler: HookDefinition.Handler
  private let function: UInt

  init(_ handler: @escaping HookDefinition.Handler, of function: UInt) {
    (self.handler, self.function) = (handler, function)
  }

  @Sendable
  func run(_ call: inout CallFrame) throws {
    let isInstead = call.isInstead
    let memory = unsafe call.memory.address
    unsafe try ReentrancyGuard.handling(memory, isInstead: isInstead) {
      do { try handler(&call) } catch {
        // The call goes on without the handler.
        unsafe ReentrancyGuard.keepErrorNumber(of: memory)
        throw error
      }
    }
  }

  /// Leaves out calls that the function's own handlers make.
  @Sendable
  func runUnlessOwn(_ call: inout CallFrame) throws {
    guard unsafe !ReentrancyGuard.isCallByOwnHandler(of: function, call.memory.address) else {
      if call.isInstead { try call.proceedAsItIs() }
      return
    }
    try run(&call)
  }
}
