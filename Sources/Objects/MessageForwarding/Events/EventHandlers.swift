internal import ObjectLifetimes

/// Handlers of an object's events, for any number of listeners that each choose some events of a
/// set.
///
/// A property with a closure is enough for one listener, and a delegate, or a ``MultiTargetProxy``
/// of several, is better where each event has arguments or an answer of its own. Handlers are
/// called in the order in which they were added.
///
/// ```swift
/// let handlers = EventHandlers(of: button)
/// try handlers.add(for: [.touchDown, .touchUp]) { button, events in print(events) }
/// handlers.send(.touchDown)
/// ```
///
/// Any Swift object can have handlers, which it owns. They do not retain the object if they use the
/// sender that is passed to them and do not capture it. All functions may be called from any
/// thread; handlers are called on the thread that sends, under no lock.
///
/// If the handlers change while events are being sent:
/// - a handler that is added is called from the next send on;
/// - a handler that is removed before its turn is not called;
/// - a handler that loses some of its events is called for the others.
///
/// The corresponding methods are BlocksKit's `bk_addEventHandler:forControlEvents:` and YYKit's
/// `addBlockForControlEvents:block:`.
public struct EventHandlers<Sender: AnyObject> {
  /// The object that has the handlers.
  public let sender: Sender

  /// The handlers of an object.
  ///
  /// - Parameter sender: The object; this value retains it, its handlers do not.
  public init(of sender: Sender) { self.sender = sender }

  /// Adds a handler after all others.
  ///
  /// - Parameters:
  ///   - events: The handler's events; without any, no handler is added.
  ///   - body: Called with the sender, and with those of the sent events that are the handler's.
  /// - Returns: The token, which need not be stored.
  /// - Throws: `deadReceiver` if the object is dying; the reason if objects cannot have associated
  ///   values.
  @discardableResult
  public func add(
    for events: EventMask, _ body: @escaping @Sendable (Sender, EventMask) -> Void
  ) throws(MessageError) -> EventHandler {
    try insert(events, replacing: [], body)
  }

  /// Adds a handler, and removes its events from all others: `setBlockForControlEvents:block:`.
  ///
  /// The others keep their other events.
  ///
  /// - Parameters:
  ///   - events: The handler's events.
  ///   - body: Called as by `add(for:_:)`.
  /// - Returns: The token, which need not be stored.
  /// - Throws: The errors of `add(for:_:)`.
  @discardableResult
  public func set(
    for events: EventMask, _ body: @escaping @Sendable (Sender, EventMask) -> Void
  ) throws(MessageError) -> EventHandler {
    try insert(events, replacing: events, body)
  }

  private func insert(
    _ events: EventMask, replacing replaced: EventMask,
    _ body: @escaping @Sendable (Sender, EventMask) -> Void
  ) throws(MessageError) -> EventHandler {
    do throws(LifetimeError) {
      let list = try EventList.key.value(of: sender, default: EventList())
      return list.insert(events, replacing: replaced) { sender, events in
        // SAFETY: `send` passes the object that the list is associated with, which is a `Sender`.
        body(unsafe unsafeDowncast(sender, to: Sender.self), events)
      }
    } catch {
      throw MessageError(error, consequence: "no handler was added")
    }
  }

  /// Removes events from all handlers; a handler that is left without events is removed.
  ///
  /// - Parameter events: The events.
  /// - Returns: How many handlers were removed.
  @discardableResult
  public func remove(for events: EventMask) -> Int { list?.remove(events) ?? 0 }

  /// Removes all handlers.
  ///
  /// - Returns: How many handlers were removed.
  @discardableResult
  public func removeAll() -> Int { remove(for: .all) }

  /// Whether any handler has at least one of some events.
  ///
  /// - Parameter events: The events.
  /// - Returns: Whether there is such a handler.
  public func contains(anyOf events: EventMask) -> Bool {
    masks.contains { !$0.isDisjoint(with: events) }
  }

  /// Whether any handler has exactly some events.
  ///
  /// - Parameter events: The events.
  /// - Returns: Whether there is such a handler.
  public func contains(exactly events: EventMask) -> Bool { masks.contains(events) }

  /// The events of each handler, in the order in which the handlers are called.
  public var masks: [EventMask] { list?.masks ?? [] }

  /// Sends events: calls each handler that has any of these events once, like
  /// `sendActionsForControlEvents:`.
  ///
  /// - Parameter events: The events.
  /// - Returns: How many handlers were called.
  @discardableResult
  public func send(_ events: EventMask) -> Int { list?.send(events, from: sender) ?? 0 }

  private var list: EventList? { EventList.key.value(of: sender) }
}

/// An object that sends events; a class that conforms has `eventHandlers`.
public protocol EventSender: AnyObject {}

extension EventSender {
  /// The handlers of the object's events.
  public var eventHandlers: EventHandlers<Self> { EventHandlers(of: self) }
}

extension EventHandlers: Sendable where Sender: Sendable {}
