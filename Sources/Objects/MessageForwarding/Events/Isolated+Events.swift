@_exported public import IsolatedClosures

extension Isolated {
  /// Adds a handler, which need not be `Sendable`, after all others.
  ///
  /// The handler is called only for events that the actor's code sends, or that of the scope. For
  /// other events it is skipped, and the error `wrongExecutor` is written to standard error.
  ///
  /// ```swift
  /// @MainActor final class Counter {
  ///   var count = 0
  ///   func start(_ button: Button) throws {
  ///     try isolated(button.eventHandlers).add(for: .all) { [weak self] _, _ in self?.count += 1 }
  ///   }
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - events: The handler's events; without any, no handler is added.
  ///   - body: Called with the sender, and with those of the sent events that are the handler's.
  /// - Returns: The token, which need not be stored.
  /// - Throws: The errors of `EventHandlers.add(for:_:)`.
  @discardableResult
  public func add<Sender: AnyObject>(
    for events: EventMask, _ body: @escaping (Sender, EventMask) -> Void
  ) throws(MessageError) -> EventHandler where Base == EventHandlers<Sender> {
    let closure = closure(body)
    let handler = try base.add(for: events) { sender, events in
      closure.report { $0(sender, events) }
    }
    return ending(handler)
  }

  /// Adds a handler, which need not be `Sendable`, and removes its events from all others.
  ///
  /// - Parameters:
  ///   - events: The handler's events.
  ///   - body: Called as by `add(for:_:)`.
  /// - Returns: The token, which need not be stored.
  /// - Throws: The errors of `EventHandlers.add(for:_:)`.
  @discardableResult
  public func set<Sender: AnyObject>(
    for events: EventMask, _ body: @escaping (Sender, EventMask) -> Void
  ) throws(MessageError) -> EventHandler where Base == EventHandlers<Sender> {
    let closure = closure(body)
    let handler = try base.set(for: events) { sender, events in
      closure.report { $0(sender, events) }
    }
    return ending(handler)
  }
}
