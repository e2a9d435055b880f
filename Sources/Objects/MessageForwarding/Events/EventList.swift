private import BlockRuntimeThreads
internal import ObjectLifetimes

/// The event handlers of one object, associated with the object.
final class EventList: Sendable {
  /// A handler that is in the list.
  private struct Handler: Sendable {
    let token: EventHandler
    let body: EventHandler.Body
  }

  private struct State {
    /// The handlers in the order of their numbers, in which they are called; none is released under
    /// the lock.
    var handlers: [Handler] = []
    var nextNumber = 0
  }

  static let key = AssociationKey<EventList>("event handlers")

  private let state = Locked(State())

  var masks: [EventMask] { state.withLock { $0.handlers.map(\.token.storedEvents) } }

  /// Adds a handler after all others, and removes the events `replaced` from the others.
  func insert(
    _ events: EventMask, replacing replaced: EventMask, _ body: @escaping EventHandler.Body
  ) -> EventHandler {
    let (token, removed) = state.withLock { state in
      let removed = replaced.isEmpty ? [] : Self.take(replaced, from: &state.handlers)
      let token = EventHandler(self, state.nextNumber, for: events)
      state.nextNumber += 1
      if !events.isEmpty { state.handlers.append(Handler(token: token, body: body)) }
      return (token, removed)
    }
    withExtendedLifetime(removed) {}
    return token
  }

  /// Removes events from all handlers; a handler that is left without events is removed.
  ///
  /// - Returns: How many handlers were removed.
  func remove(_ events: EventMask) -> Int {
    let removed = state.withLock { Self.take(events, from: &$0.handlers) }
    return removed.count
  }

  /// Removes a handler.
  ///
  /// - Returns: Whether it was in the list.
  func remove(_ token: EventHandler) -> Bool {
    let removed = state.withLock { state -> Handler? in
      guard !token.storedEvents.isEmpty else { return nil }
      token.take(.all)
      return state.handlers.remove(at: Self.index(of: token, in: state.handlers))
    }
    return removed != nil
  }

  /// Calls the handlers that are in the list, except those that are removed before their turn.
  ///
  /// - Returns: How many were called.
  func send(_ events: EventMask, from sender: AnyObject) -> Int {
    let handlers = state.withLock { $0.handlers }
    return handlers.count { handler in
      let own = handler.token.storedEvents.intersection(events)
      guard !own.isEmpty else { return false }
      handler.body(sender, own)
      return true
    }
  }

  /// Removes events from handlers; removes and returns the handlers that are left without events.
  private static func take(_ events: EventMask, from handlers: inout [Handler]) -> [Handler] {
    for handler in handlers { handler.token.take(events) }
    let removed = handlers.filter(\.token.storedEvents.isEmpty)
    handlers.removeAll(where: \.token.storedEvents.isEmpty)
    return removed
  }

  /// The index of a handler that is in the list, found by its number.
  private static func index(of token: EventHandler, in handlers: [Handler]) -> Int {
    var range = handlers.indices
    while range.count > 1 {
      let middle = range.lowerBound + range.count / 2
      range =
        handlers[middle].token.number > token.number
        ? range.lowerBound..<middle : middle..<range.upperBound
    }
    return range.lowerBound
  }
}

extension EventList: ReferenceTable {
  package var label: String { "event handlers" }
  package var contents: Any { state.withLock { $0 } }
}
