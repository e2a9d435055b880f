public import BlockABI
public import DelayedBlocks
public import Invocations

extension Block {
  /// Installs an interceptor: it decides, now or later, on any thread, whether a call proceeds.
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
  ///   - placeholder: The result for callers of calls that proceed later or never; zero, or null,
  ///     if not given.
  ///   - name: A name for descriptions and removal by name.
  ///   - priority: A hook of a higher priority is outside of those of lower ones; 0 if not given.
  ///   - conditions: Which calls are intercepted; all if not given.
  ///   - timeout: The time limit of a decision; none if not given.
  ///   - timer: The timer that measures it; tests use one with a `ManualClock`.
  ///   - expiry: The decision about a call that was not decided in time; the call is also reported
  ///     as `interceptionTimedOut`.
  ///   - onError: Receives what the interceptor throws, and reports of calls that were dropped or
  ///     timed out, on any thread. If not given, they are written to standard error.
  ///   - interceptor: Receives every call.
  /// - Returns: The token that removes the hook.
  /// - Throws: `invalidPlaceholder`, and the errors of `hook(_:name:priority:when:onError:_:)`.
  @discardableResult
  public func intercept(
    returning placeholder: CValue? = nil, name: String? = nil, priority: Int = 0,
    when conditions: HookConditions = .always, timeout: Duration? = nil,
    timer: DelayTimer = .shared, onTimeout expiry: InterceptedCall.Decision = .cancel,
    onError: @escaping @Sendable (any Error) -> Void = reportHandlerError,
    _ interceptor: @escaping @Sendable (InterceptedCall) throws -> Void
  ) throws(HookError) -> Hook {
    try intercept(
      Interceptor(placeholder, timeout, expiry, timer, onError, interceptor),
      HookDefinition(name: name, priority: priority, when: conditions, onError: onError) { _ in })
  }

  /// Installs an interceptor with a placeholder of a Swift type: of any type that the block's
  /// result can be set to, such as a record or text.
  ///
  /// - Parameters:
  ///   - placeholder: The result for callers of calls that proceed later or never; it converts as
  ///     for `CallFrame.setResult(_:)`.
  ///   - name: A name for descriptions and removal by name.
  ///   - priority: A hook of a higher priority is outside of those of lower ones; 0 if not given.
  ///   - conditions: Which calls are intercepted; all if not given.
  ///   - timeout: The time limit of a decision; none if not given.
  ///   - timer: The timer that measures it; tests use one with a `ManualClock`.
  ///   - expiry: The decision about a call that was not decided in time.
  ///   - onError: Receives what the interceptor throws, and reports of calls that were dropped or
  ///     timed out, on any thread. If not given, they are written to standard error.
  ///   - interceptor: Receives every call.
  /// - Returns: The token that removes the hook.
  /// - Throws: The errors of `intercept` without a placeholder, and `invalidPlaceholder`.
  @_disfavoredOverload
  @_transparent
  @discardableResult
  public func intercept<Value>(
    returning placeholder: Value, name: String? = nil, priority: Int = 0,
    when conditions: HookConditions = .always, timeout: Duration? = nil,
    timer: DelayTimer = .shared, onTimeout expiry: InterceptedCall.Decision = .cancel,
    onError: @escaping @Sendable (any Error) -> Void = reportHandlerError,
    _ interceptor: @escaping @Sendable (InterceptedCall) throws -> Void
  ) throws(HookError) -> Hook {
    try Block.refusePlaceholder(Value.self)
    return try intercept(
      returning: placeholderValue(placeholder), name: name, priority: priority, when: conditions,
      timeout: timeout, timer: timer, onTimeout: expiry, onError: onError, interceptor)
  }

  /// Installs an interceptor that decides about every call in a new task.
  ///
  /// Callers receive the placeholder without waiting. A task that throws without a decision cancels
  /// its call.
  ///
  /// - Parameters:
  ///   - placeholder: The result for callers; zero, or null, if not given.
  ///   - name: A name for descriptions and removal by name.
  ///   - priority: A hook of a higher priority is outside of those of lower ones; 0 if not given.
  ///   - conditions: Which calls are intercepted; all if not given.
  ///   - timeout: The time limit of a decision; none if not given.
  ///   - timer: The timer that measures it; tests use one with a `ManualClock`.
  ///   - expiry: The decision about a call that was not decided in time.
  ///   - onError: Receives what the interceptor throws, and reports of calls that were dropped or
  ///     timed out, on any thread. If not given, they are written to standard error.
  ///   - interceptor: Receives every call, in a new task.
  /// - Returns: The token that removes the hook.
  /// - Throws: The errors of `intercept`.
  @discardableResult
  public func interceptInTask(
    returning placeholder: CValue? = nil, name: String? = nil, priority: Int = 0,
    when conditions: HookConditions = .always, timeout: Duration? = nil,
    timer: DelayTimer = .shared, onTimeout expiry: InterceptedCall.Decision = .cancel,
    onError: @escaping @Sendable (any Error) -> Void = reportHandlerError,
    _ interceptor: @escaping @Sendable (InterceptedCall) async throws -> Void
  ) throws(HookError) -> Hook {
    try intercept(
      returning: placeholder, name: name, priority: priority, when: conditions, timeout: timeout,
      timer: timer, onTimeout: expiry, onError: onError
    ) { call in
      Task {
        do {
          try await interceptor(call)
        } catch {
          onError(error)
          // Fails if the call was decided before the error: that decision stays.
          try? call.cancel()
        }
      }
    }
  }

  /// Installs an interceptor that decides in a task, with a placeholder of a Swift type.
  ///
  /// - Parameters:
  ///   - placeholder: The result for callers; it converts as for `CallFrame.setResult(_:)`.
  ///   - name: A name for descriptions and removal by name.
  ///   - priority: A hook of a higher priority is outside of those of lower ones; 0 if not given.
  ///   - conditions: Which calls are intercepted; all if not given.
  ///   - timeout: The time limit of a decision; none if not given.
  ///   - timer: The timer that measures it; tests use one with a `ManualClock`.
  ///   - expiry: The decision about a call that was not decided in time.
  ///   - onError: Receives what the interceptor throws, and reports of calls that were dropped or
  ///     timed out, on any thread. If not given, they are written to standard error.
  ///   - interceptor: Receives every call, in a new task.
  /// - Returns: The token that removes the hook.
  /// - Throws: The errors of `intercept`.
  @_disfavoredOverload
  @_transparent
  @discardableResult
  public func interceptInTask<Value>(
    returning placeholder: Value, name: String? = nil, priority: Int = 0,
    when conditions: HookConditions = .always, timeout: Duration? = nil,
    timer: DelayTimer = .shared, onTimeout expiry: InterceptedCall.Decision = .cancel,
    onError: @escaping @Sendable (any Error) -> Void = reportHandlerError,
    _ interceptor: @escaping @Sendable (InterceptedCall) async throws -> Void
  ) throws(HookError) -> Hook {
    try Block.refusePlaceholder(Value.self)
    return try interceptInTask(
      returning: placeholderValue(placeholder), name: name, priority: priority, when: conditions,
      timeout: timeout, timer: timer, onTimeout: expiry, onError: onError, interceptor)
  }

  /// - Throws: `invalidPlaceholder` for a function type, whose values lose their calling convention
  ///   in unspecialised generic code.
  @usableFromInline
  static func refusePlaceholder(_ type: Any.Type) throws(HookError) {
    do throws(InvocationError) { try CallFrame.refuseFunctions(type) } catch {
      throw HookError(.invalidPlaceholder, error.message, underlying: error)
    }
  }

  /// Converts a placeholder to a result of the block, described at run time.
  ///
  /// - Throws: `invalidPlaceholder`, and the errors of `hook`.
  @usableFromInline
  func placeholderValue<Value>(_ placeholder: Value) throws(HookError) -> CValue {
    let target = try hookTarget
    let interface: CallInterface
    do { interface = try target.callInterface } catch { throw HookError(passing: error) }
    do throws(InvocationError) {
      let call = Invocation(checking: interface)
      try call.storeResult(placeholder)
      return try call.resultValue()
    } catch {
      throw HookError(
        .invalidPlaceholder,
        "the placeholder cannot be a result of \(interface.signature): " + error.message,
        underlying: error)
    }
  }

  private func intercept(
    _ interceptor: Interceptor, _ definition: HookDefinition
  ) throws(HookError) -> Hook {
    let target = try hookTarget
    let interface: CallInterface
    do { interface = try target.callInterface } catch { throw HookError(passing: error) }
    try interceptor.validate(interface)
    var definition = definition
    definition.handler = { frame in try interceptor.run(&frame) }
    return try target.install(definition)
  }
}
