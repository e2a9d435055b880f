public import DelayedBlocks
public import Invocations

extension HookDefinition {
  /// A hook that takes each call out of its frame, and decides, now or later, on any thread,
  /// whether the call proceeds.
  ///
  /// The interceptor runs on the caller's thread and may decide before it returns, or store the
  /// call and return. If it has let the call proceed on this thread, the caller receives the
  /// result; otherwise it receives the placeholder. A call that proceeds later runs the inner hooks
  /// and the original. Outer hooks see the placeholder as the result, and are not run again.
  ///
  /// Removing the hook does not affect the calls that wait for their decision.
  ///
  /// An interceptor that throws before a decision is skipped: the call proceeds as if the
  /// interceptor were not installed.
  ///
  /// - Parameters:
  ///   - placeholder: The result for callers of calls that proceed later or never, a `CValue` or a
  ///     value that converts as for `CallFrame.setResult(_:)`; zero, or null, if not given. If it
  ///     cannot be a result of the target, the installation throws `invalidPlaceholder`.
  ///   - name: A name for descriptions and removal by name.
  ///   - priority: A hook of a higher priority is outside of those of lower ones; 0 if not given.
  ///   - conditions: Which calls are intercepted; all if not given.
  ///   - timeout: The time limit of a decision; none if not given.
  ///   - timer: The timer that measures it; tests use one with a `ManualClock`.
  ///   - expiry: The decision about a call that was not decided in time; the call is also reported
  ///     as `interceptionTimedOut`.
  ///   - onError: Receives what the interceptor throws, reports of calls that were dropped or timed
  ///     out, and what a method throws when its caller has the placeholder, on any thread. If not
  ///     given, they are written to standard error.
  ///   - interceptor: Receives every call.
  /// - Returns: The hook, for any target.
  @_transparent
  public static func intercepting<Placeholder>(
    returning placeholder: Placeholder? = CValue?.none, name: String? = nil, priority: Int = 0,
    when conditions: HookConditions = .always, timeout: Duration? = nil,
    timer: DelayTimer = .shared, onTimeout expiry: InterceptedCall.Decision = .cancel,
    onError: @escaping @Sendable (any Error) -> Void = reportHandlerError,
    _ interceptor: @escaping @Sendable (InterceptedCall) throws -> Void
  ) -> HookDefinition {
    // A closure would lose its calling convention in the generic function.
    intercepting(
      Interceptor.isFunction(Placeholder.self)
        ? Interceptor.Placeholder(refusing: Placeholder.self)
        : Interceptor.Placeholder(placeholder),
      name, priority, conditions, timeout, timer, expiry, onError, interceptor)
  }

  /// A hook that decides about every call in a new task.
  ///
  /// Callers receive the placeholder without waiting. A task that throws without a decision cancels
  /// its call.
  ///
  /// - Parameters:
  ///   - placeholder: The result for callers, as for `intercepting`.
  ///   - name: A name for descriptions and removal by name.
  ///   - priority: A hook of a higher priority is outside of those of lower ones; 0 if not given.
  ///   - conditions: Which calls are intercepted; all if not given.
  ///   - timeout: The time limit of a decision; none if not given.
  ///   - timer: The timer that measures it; tests use one with a `ManualClock`.
  ///   - expiry: The decision about a call that was not decided in time.
  ///   - onError: Receives what the interceptor throws, and reports of calls that were dropped or
  ///     timed out, on any thread. If not given, they are written to standard error.
  ///   - interceptor: Receives every call, in a new task.
  /// - Returns: The hook, for any target.
  @_transparent
  public static func interceptingInTask<Placeholder>(
    returning placeholder: Placeholder? = CValue?.none, name: String? = nil, priority: Int = 0,
    when conditions: HookConditions = .always, timeout: Duration? = nil,
    timer: DelayTimer = .shared, onTimeout expiry: InterceptedCall.Decision = .cancel,
    onError: @escaping @Sendable (any Error) -> Void = reportHandlerError,
    _ interceptor: @escaping @Sendable (InterceptedCall) async throws -> Void
  ) -> HookDefinition {
    intercepting(
      returning: placeholder, name: name, priority: priority, when: conditions, timeout: timeout,
      timer: timer, onTimeout: expiry, onError: onError,
      Interceptor.inTask(onError, interceptor))
  }

  @usableFromInline
  static func intercepting(
    _ placeholder: Interceptor.Placeholder, _ name: String?, _ priority: Int,
    _ conditions: HookConditions, _ timeout: Duration?, _ timer: DelayTimer,
    _ expiry: InterceptedCall.Decision, _ onError: @escaping @Sendable (any Error) -> Void,
    _ body: @escaping @Sendable (InterceptedCall) throws -> Void
  ) -> HookDefinition {
    // The handler is made at the installation.
    var definition = HookDefinition(
      name: name, priority: priority, when: conditions, onError: onError
    ) { _ in }
    definition.prepare = { definition, point throws(HookError) in
      try point.requireFixedArguments()
      let interceptor = Interceptor(
        placeholder: try placeholder.value(for: point.interface), timeout: timeout, expiry: expiry,
        timer: timer, onError: onError, body: body)
      definition.handler = { frame in try interceptor.run(&frame) }
    }
    return definition
  }
}
