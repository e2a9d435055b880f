internal import ObjectLifetimes

/// The handlers of an object's events: closures that are called, in the order in which they were added,
/// when the object sends events that they are for.
///
/// ```swift
/// let handlers = EventHandlers(of: button)
/// try handlers.add(for: [.touchDown, .touchUp]) { button, events in print(events) }
/// handlers.send(.touchDown)
/// ```
///
/// Any Swift object can have them; they live with it and do not keep it alive, as long as they use the
/// sender that they get and do not capture it. All functions may be called from any thread; handlers
/// are called on the thread that sends, under no lock.
///
/// While events are sent:
/// - a handler that is added is called from the next time on;
/// - one that is removed before its turn is not called;
/// - one whose events are removed in part is called for what is left.
///
/// The corresponding methods are BlocksKit's `bk_addEventHandler:forControlEvents:` and YYKit's
/// `addBlockForControlEvents:block:`.
public struct EventHandlers<Sender: AnyObject> {
  /// The object that has the handlers.
  public let sender: Sender

  /// The handlers of an object.
  ///
  /// - Parameter sender: The object; it is kept alive by this value only, not by its handlers.
  public init(of sender: Sender) { self.sender = sender }

  /// Adds a handler, behind those that there are.
  ///
  /// - Parameters:
  ///   - events: What it is for; a handler for nothing is none.
  ///   - body: Gets the sender, and which of the events that were sent are among the handler's.
  /// - Returns: The token, which need not be kept.
  /// - Throws: `deadReceiver` if the object is dying; where objects cannot have values, the reason.
  @discardableResult
  public func add(
    for events: EventMask, _ body: @escaping @Sendable (Sender, EventMask) -> Void
  ) throws(MessageError) -> EventHandler {
    try insert(events, replacing: [], body)
  }

  /// Adds a handler, and takes its events from all others: `setBlockForControlEvents:block:`.
  ///
  /// Handlers of other events keep those.
  ///
  /// - Parameters:
  ///   - events: What it is for.
  ///   - body: As for `add(for:_:)`.
  /// - Returns: The token, which need not be kept.
  /// - Throws: As `add(for:_:)`.
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
        // SAFETY: it is the object that the handlers are of.
        body(unsafe unsafeDowncast(sender, to: Sender.self), events)
      }
    } catch {
      throw MessageError(error, consequence: "no handler was added")
    }
  }

  /// Takes events from all handlers, and removes those that have none left.
  ///
  /// - Parameter events: The events.
  /// - Returns: How many handlers were removed.
  @discardableResult
  public func remove(for events: EventMask) -> Int { list?.remove(events) ?? 0 }

  /// Removes all handlers.
  ///
  /// - Returns: How many there were.
  @discardableResult
  public func removeAll() -> Int { remove(for: .all) }

  /// Whether a handler is called when any of some events is sent.
  ///
  /// - Parameter events: The events.
  /// - Returns: True if a handler is for one of them at least.
  public func contains(anyOf events: EventMask) -> Bool {
    masks.contains { !$0.isDisjoint(with: events) }
  }

  /// Whether a handler is for some events and for no others.
  ///
  /// - Parameter events: The events.
  /// - Returns: True if there is one.
  public func contains(exactly events: EventMask) -> Bool { masks.contains(events) }

  /// What each handler is for, in the order in which they are called.
  public var masks: [EventMask] { list?.masks ?? [] }

  /// Sends events: calls each handler that is for one of them, once: `sendActionsForControlEvents:`.
  ///
  /// - Parameter events: The events.
  /// - Returns: How many handlers were called.
  @discardableResult
  public func send(_ events: EventMask) -> Int { list?.send(events, from: sender) ?? 0 }

  private var list: EventList? { EventList.key.value(of: sender) }
}

/// An object that sends events; a class declares it to get `eventHandlers`.
public protocol EventSender: AnyObject {}

extension EventSender {
  /// The handlers of the object's events.
  public var eventHandlers: EventHandlers<Self> { EventHandlers(of: self) }
}

extension EventHandlers: Sendable where Sender: Sendable {}
