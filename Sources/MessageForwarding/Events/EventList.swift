private import Locks
internal import ObjectLifetimes

/// The event handlers of one object, which live with it.
final class EventList: Sendable {
  /// A handler that is in the list.
  private struct Entry: Sendable {
    let token: EventHandler
    var events: EventMask
    let body: EventHandler.Body
  }

  static let key = AssociationKey<EventList>("event handlers")

  /// In the order of the calls; no entry is freed under the lock.
  private let entries = Locked<[Entry]>([])

  var masks: [EventMask] { entries.withLock { $0.map(\.events) } }

  /// Adds a handler behind all others, and takes events from those.
  func insert(
    _ events: EventMask, replacing replaced: EventMask, _ body: @escaping EventHandler.Body
  ) -> EventHandler {
    let token = EventHandler(self)
    let removed = entries.withLock { entries in
      let removed = Self.take(replaced, from: &entries)
      if !events.isEmpty { entries.append(Entry(token: token, events: events, body: body)) }
      return removed
    }
    withExtendedLifetime(removed) {}
    return token
  }

  /// Takes events from all handlers.
  ///
  /// - Returns: How many had no others.
  func remove(_ events: EventMask) -> Int {
    let removed = entries.withLock { Self.take(events, from: &$0) }
    return removed.count
  }

  /// Removes a handler.
  ///
  /// - Returns: Whether it was in the list.
  func remove(_ token: EventHandler) -> Bool {
    let removed = entries.withLock { entries in
      entries.firstIndex { $0.token === token }.map { entries.remove(at: $0) }
    }
    return removed != nil
  }

  func events(of token: EventHandler) -> EventMask {
    entries.withLock { entries in entries.first { $0.token === token }?.events ?? [] }
  }

  /// Calls the handlers that are in the list now, as long as they are in it.
  ///
  /// - Returns: How many were called.
  func send(_ events: EventMask, from sender: AnyObject) -> Int {
    let meant = entries.withLock { entries in
      entries.filter { !$0.events.isDisjoint(with: events) }
    }
    return meant.count { entry in
      let own = self.events(of: entry.token).intersection(events)
      guard !own.isEmpty else { return false }
      entry.body(sender, own)
      return true
    }
  }

  /// Takes events from the entries, and out those that have no others.
  private static func take(_ events: EventMask, from entries: inout [Entry]) -> [Entry] {
    for index in entries.indices { entries[index].events.subtract(events) }
    let removed = entries.filter(\.events.isEmpty)
    entries.removeAll(where: \.events.isEmpty)
    return removed
  }
}
