public import BlockHooks
public import Invocations
@_exported public import IsolatedClosures

extension Isolated where Base: MessageReceiver {
  /// Hooks a method of this object only; the handler need not be `Sendable`.
  ///
  /// It is like `MessageReceiver.hook(_:_:name:priority:when:onError:_:)`, but the handler runs only for
  /// messages that the actor's code sends, or that of the scope. Other messages pass by the hook as if it had
  /// been skipped, and `onError` receives `wrongExecutor`.
  ///
  /// - Parameters:
  ///   - selector: The method.
  ///   - positions: Where the handler runs.
  ///   - name: A name for the token.
  ///   - priority: A hook of a higher priority is outside of those of lower ones; 0 if not given.
  ///   - conditions: Which messages run the handler; all if not given.
  ///   - onError: Receives what the handler throws, on any thread.
  ///   - handler: Runs in each position, with the frame of the message.
  /// - Returns: The token that removes the hook. Dropping the token does not remove it.
  /// - Throws: As `MessageReceiver.hook(_:_:name:priority:when:onError:_:)`.
  @discardableResult
  public func hook(
    _ selector: Selector, _ positions: HookPositions = .instead, name: String? = nil,
    priority: Int = 0, when conditions: HookConditions = .always,
    onError: @escaping @Sendable (any Error) -> Void = reportHandlerError,
    _ handler: @escaping (_ call: inout CallFrame) throws -> Void
  ) throws(MessageError) -> Hook {
    let hook = try base.hook(
      selector, positions, name: name, priority: priority, when: conditions, onError: onError,
      handling(handler))
    return ending(hook) { $0.remove() }
  }
}

extension Isolated {
  /// Hooks a method of all instances of a class; the handler need not be `Sendable`.
  ///
  /// ```swift
  /// @MainActor final class Counts {
  ///   var counts: [Int32] = []
  ///   func start() throws {
  ///     try isolated(Page.self).hook("didLoad:", .before) { [weak self] call in
  ///       self?.counts.append(try call.argument(2, as: Int32.self))
  ///     }
  ///   }
  /// }
  /// ```
  ///
  /// Otherwise it is like `hook(_:_:name:priority:when:onError:_:)` of one object.
  ///
  /// - Returns: The token that removes the hook.
  /// - Throws: As `MessageReceiver.hook(_:_:name:priority:when:onError:_:)`.
  @discardableResult
  public func hook<Receiver: MessageReceiver>(
    _ selector: Selector, _ positions: HookPositions = .instead, name: String? = nil,
    priority: Int = 0, when conditions: HookConditions = .always,
    onError: @escaping @Sendable (any Error) -> Void = reportHandlerError,
    _ handler: @escaping (_ call: inout CallFrame) throws -> Void
  ) throws(MessageError) -> Hook where Base == Receiver.Type {
    let hook = try base.hook(
      selector, positions, name: name, priority: priority, when: conditions, onError: onError,
      handling(handler))
    return ending(hook) { $0.remove() }
  }
}
