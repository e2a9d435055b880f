private import BlockRuntimeThreads
internal import Invocations

/// Runs a handler under the re-entrancy guard.
///
/// These are methods, not closures around closures, which would add a step to each call.
final class GuardedHandler: Sendable {
  private let handler: HookDefinition.Handler

  /// The hooked function's address, by which its handlers' own calls are told; zero for none.
  private let function: UInt

  init(_ handler: @escaping HookDefinition.Handler, of function: UInt) {
    (self.handler, self.function) = (handler, function)
  }

  @Sendable
  func run(_ call: inout CallFrame) throws {
    let isInstead = call.isInstead
    let memory = unsafe call.memory.address
    unsafe try ReentrancyGuard.handling(memory, isInstead: isInstead) { try handler(&call) }
  }

  /// Runs the handler, except in calls that the function's own handlers make.
  @Sendable
  func runUnlessOwn(_ call: inout CallFrame) throws {
    guard unsafe !ReentrancyGuard.isCallByOwnHandler(of: function, call.memory.address) else {
      if call.isInstead { try call.proceedAsItIs() }
      return
    }
    try run(&call)
  }
}
