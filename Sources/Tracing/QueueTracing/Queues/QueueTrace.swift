internal import BlockHooks
private import BlockRuntimeThreads
package import CallTracing
package import SymbolInterposing

/// A trace of queues, waits and Swift tasks, and the token that ends it.
///
/// With every call that a tracer writes to a stream it records the queue that ran it and how it
/// came there. Queues that were created before are known by their labels only. Dropping the token
/// removes nothing.
package final class QueueTrace: Sendable {
  private let hooks: HookSet
  private let functions: FunctionSubmissions

  /// The number of what forgets unloaded code.
  private let forgetting: Int

  private init(_ hooks: HookSet, _ functions: FunctionSubmissions, forgetting: Int) {
    self.hooks = hooks
    self.functions = functions
    self.forgetting = forgetting
  }

  /// Begins a trace; nil if the tracer has no stream, or without memory.
  ///
  /// - Parameters:
  ///   - tracer: Receives the calls.
  ///   - filter: The blocks that are traced.
  ///   - callerCount: How many callers are recorded of each submission, at most 32.
  /// - Returns: The token.
  /// - Throws: As `EveryBlock.install(_:)`; nothing is traced then.
  package static func begin(
    with tracer: Tracer, matching filter: BlockFilter = .all, callerCount: Int = 1
  ) throws(InterposingError) -> QueueTrace? {
    guard let queues = tracer.queues else { return nil }
    return try ReentrancyGuard.ignoringThread { () throws(InterposingError) in
      guard
        let submissions = SubmissionTrace(queues, matching: filter, callerCount: callerCount)
      else { return nil }
      try BlockWatch.shared.observeSubmissions(with: submissions)
      var hooks = HookSet()
      let functions: FunctionSubmissions
      let tasks: TaskTrace?
      do throws(InterposingError) {
        try QueueHooks.install(tracer, queues, submissions.callers, &hooks)
        try ThreadNames.install(queues, &hooks)
        tasks = try TaskTrace.install(tracer, queues, submissions, &hooks)
        functions = try FunctionSubmissions.install(
          tracer, queues, submissions, tasks, &hooks)
      } catch {
        hooks.removeAll()
        BlockWatch.shared.endSubmissions()
        throw error
      }
      let forgetting = UnloadingWatch.shared.add {
        tracer.forgetUnloadedCode()
        CallerSearch.forgetCallers()
        functions.forgetCode()
        tasks?.forgetCode()
      }
      return QueueTrace(hooks, functions, forgetting: forgetting)
    }
  }

  /// Puts the slots back of what is traced, and of `EveryBlock`, until `resume`.
  ///
  /// What was sent to queues before is still recorded when it runs: blocks as long as they are
  /// hooked.
  package func suspend() {
    ReentrancyGuard.ignoringThread {
      functions.areHandlersTraced = false
      hooks.suspendAll()
      BlockWatch.shared.suspend()
    }
  }

  /// Goes on after `suspend`.
  ///
  /// - Throws: As `EveryBlock.install(_:)`.
  package func resume() throws(InterposingError) {
    try ReentrancyGuard.ignoringThread { () throws(InterposingError) in
      functions.areHandlersTraced = true
      try hooks.resumeAll()
      try BlockWatch.shared.resume()
    }
  }

  /// Ends the trace; a second call does nothing.
  package func remove() {
    ReentrancyGuard.ignoringThread {
      UnloadingWatch.shared.remove(forgetting)
      hooks.removeAll()
      BlockWatch.shared.endSubmissions()
    }
  }
}
