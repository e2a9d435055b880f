private import IsolatedClosures

/// A choice of the tasks whose calls run the hooks that share it; at first no task.
///
/// So tests that run in parallel can hook the same target without seeing each other's calls. The
/// rules are those of task-local values: what a task begins by `Task { }`, `async let` or a task
/// group is chosen with the task, for as long as it runs; detached tasks, threads and blocks that
/// are sent to queues are not. Code outside of tasks is chosen with its thread.
public final class HookTasks: Sendable {
  /// The task-local value, which is this object.
  ///
  /// Tasks that have the value retain the object with its key, so no later object can have the same
  /// key.
  private let key = TaskLocal<HookTasks?>(wrappedValue: nil)

  /// Creates a choice of no task.
  public init() {}

  /// Includes the calls of this task, and of the tasks that it begins, while a closure runs.
  ///
  /// - Parameter body: Runs in this task, or on this thread outside of tasks, under no lock.
  /// - Returns: What `body` returns.
  /// - Throws: What `body` throws.
  public func includingCurrentTask<Result>(_ body: () throws -> Result) rethrows -> Result {
    try key.withValue(self, operation: body)
  }

  /// Includes the calls of this task, and of the tasks that it begins, while a closure runs.
  ///
  /// - Parameter body: Runs in this task, where its caller is isolated.
  /// - Returns: What `body` returns.
  /// - Throws: What `body` throws.
  nonisolated(nonsending)
    public func includingCurrentTask<Result>(
      _ body: nonisolated(nonsending) () async throws -> Result
    ) async rethrows -> Result
  {
    try await key.withValue(self, operation: body, isolation: #isolation)
  }

  /// Whether calls of the current task run the hooks.
  @inline(__always)
  var admitsCurrentTask: Bool { key.isSet }
}

extension HookTarget {
  /// Installs a hook for the calls of this task, and of the tasks that it begins, runs a closure,
  /// and removes the hook.
  ///
  /// Calls made elsewhere skip the hook: any number of tests can each hook one target at the same
  /// time. The rules are those of `HookTasks`, which several hooks can share.
  ///
  /// - Parameters:
  ///   - definition: The hook; its conditions apply to the task's calls.
  ///   - body: Runs in this task, or on this thread outside of tasks.
  /// - Returns: What `body` returns.
  /// - Throws: What `install(_:)` throws, and then `body` has not run; what `body` throws.
  public func withHook<Result>(
    _ definition: HookDefinition, _ body: () throws -> Result
  ) throws -> Result {
    let tasks = HookTasks()
    let hook = try install(definition.inTask(tasks))
    defer { hook.remove() }
    return try tasks.includingCurrentTask(body)
  }

  /// Installs a hook for the calls of this task, and of the tasks that it begins, runs an
  /// asynchronous closure, and removes the hook.
  ///
  /// - Parameters:
  ///   - definition: The hook; its conditions apply to the task's calls.
  ///   - body: Runs in this task, where its caller is isolated.
  /// - Returns: What `body` returns.
  /// - Throws: What `install(_:)` throws, and then `body` has not run; what `body` throws.
  nonisolated(nonsending)
    public func withHook<Result>(
      _ definition: HookDefinition,
      _ body: nonisolated(nonsending) () async throws -> Result
    ) async throws -> Result
  {
    let tasks = HookTasks()
    let hook = try install(definition.inTask(tasks))
    defer { hook.remove() }
    return try await tasks.includingCurrentTask(body)
  }
}

extension HookDefinition {
  /// The same hook, of the calls of chosen tasks only.
  fileprivate func inTask(_ tasks: HookTasks) -> HookDefinition {
    var copy = self
    copy.conditions = conditions.inTask(tasks)
    return copy
  }
}
