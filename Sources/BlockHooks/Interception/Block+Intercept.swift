public import BlockABI
public import DelayedBlocks
public import Invocations

extension Block {
  /// Installs an interceptor: it decides, now or later, on any thread, whether a call runs.
  ///
  /// The interceptor runs on the caller's thread and may decide at once, or keep the call and return.
  /// Its caller then gets the result if the interceptor itself has let the call proceed, on this
  /// thread; otherwise the placeholder. What runs later is what lies below the interceptor: hooks
  /// further in, and the original. Hooks further out see the placeholder as the result, and are not run
  /// again.
  ///
  /// Removing the hook leaves the calls alone that wait for their decision.
  ///
  /// An interceptor that throws before a decision is passed over: the call runs as if it were not
  /// there.
  ///
  /// - Parameters:
  ///   - placeholder: What callers get that cannot wait for the result; zero, or null, if not given.
  ///   - name: A name for descriptions and removal by name.
  ///   - priority: Higher is further out; 0 if not given.
  ///   - conditions: Which calls are intercepted; all if not given.
  ///   - timeout: How long a decision may take; for ever if not given.
  ///   - timer: Whose time that is; tests use one with a `ManualClock`.
  ///   - expiry: What becomes of a call that nobody decided in time; it is also reported as
  ///     `interceptionTimedOut`.
  ///   - onError: Receives what the interceptor throws, and reports of calls that were dropped or
  ///     timed out, on any thread. Standard error if not given.
  ///   - interceptor: Gets every call.
  /// - Returns: The token that removes the hook.
  /// - Throws: `invalidPlaceholder`; else as `hook(_:name:priority:when:onError:_:)`.
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

  /// Installs an interceptor as `intercept(returning:name:priority:when:timeout:timer:onTimeout:onError:_:)`,
  /// with a placeholder of a Swift type: a record, text, whatever the block's result can be set to.
  ///
  /// - Parameters:
  ///   - placeholder: What callers get that cannot wait for the result; it converts as for
  ///     `CallFrame.setResult(_:)`.
  ///   - name: A name for descriptions and removal by name.
  ///   - priority: Higher is further out; 0 if not given.
  ///   - conditions: Which calls are intercepted; all if not given.
  ///   - timeout: How long a decision may take; for ever if not given.
  ///   - timer: Whose time that is; tests use one with a `ManualClock`.
  ///   - expiry: What becomes of a call that nobody decided in time.
  ///   - onError: Receives what the interceptor throws, and reports. Standard error if not given.
  ///   - interceptor: Gets every call.
  /// - Returns: The token that removes the hook.
  /// - Throws: As there.
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

  /// Installs an interceptor that decides in a task of its own for every call.
  ///
  /// Callers get the placeholder at once. A task that throws without a decision cancels its call.
  ///
  /// - Parameters:
  ///   - placeholder: What callers get; zero, or null, if not given.
  ///   - name: A name for descriptions and removal by name.
  ///   - priority: Higher is further out; 0 if not given.
  ///   - conditions: Which calls are intercepted; all if not given.
  ///   - timeout: How long a decision may take; for ever if not given.
  ///   - timer: Whose time that is; tests use one with a `ManualClock`.
  ///   - expiry: What becomes of a call that nobody decided in time.
  ///   - onError: Receives what the interceptor throws, and reports of calls that were dropped or
  ///     timed out, on any thread. Standard error if not given.
  ///   - interceptor: Gets every call, in a new task.
  /// - Returns: The token that removes the hook.
  /// - Throws: As `intercept`.
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
          // Whoever decided before was right.
          try? call.cancel()
        }
      }
    }
  }

  /// Installs an interceptor that decides in a task, with a placeholder of a Swift type.
  ///
  /// - Parameters:
  ///   - placeholder: What callers get; it converts as for `CallFrame.setResult(_:)`.
  ///   - name: A name for descriptions and removal by name.
  ///   - priority: Higher is further out; 0 if not given.
  ///   - conditions: Which calls are intercepted; all if not given.
  ///   - timeout: How long a decision may take; for ever if not given.
  ///   - timer: Whose time that is; tests use one with a `ManualClock`.
  ///   - expiry: What becomes of a call that nobody decided in time.
  ///   - onError: Receives what the interceptor throws, and reports. Standard error if not given.
  ///   - interceptor: Gets every call, in a new task.
  /// - Returns: The token that removes the hook.
  /// - Throws: As `intercept`.
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

  /// - Throws: `invalidPlaceholder` for a block type: its values cannot be passed on unspecialised.
  @usableFromInline
  static func refusePlaceholder(_ type: Any.Type) throws(HookError) {
    do throws(InvocationError) { try CallFrame.refuseFunctions(type) } catch {
      throw HookError(.invalidPlaceholder, error.message, underlying: error)
    }
  }

  /// A result of the block as a value described at run time.
  ///
  /// - Throws: `invalidPlaceholder`; those of `hook`.
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
        "the placeholder is no result of \(interface.signature): " + error.message,
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
