private import Synchronization

/// The token of one event handler.
///
/// Whether it is kept or not, the handler stays until it is removed, or its object dies.
public final class EventHandler: Sendable {
  typealias Body = @Sendable (AnyObject, EventMask) -> Void

  private weak let list: EventList?

  /// Its place in the order of the list: later ones have higher numbers.
  let number: Int

  /// What it is for; it changes under the list's lock.
  private let mask: Atomic<UInt64>

  init(_ list: EventList, _ number: Int, for events: EventMask) {
    self.list = list
    self.number = number
    mask = Atomic(events.rawValue)
  }

  /// What the handler is for now; nothing once it has been removed or its object has died.
  public var events: EventMask { list == nil ? [] : meant }

  /// What the handler is for, in a list that lives.
  var meant: EventMask { EventMask(rawValue: mask.load(ordering: .acquiring)) }

  /// Takes events from the handler, under the list's lock.
  func take(_ events: EventMask) {
    mask.store(meant.subtracting(events).rawValue, ordering: .releasing)
  }

  /// Whether the handler is called for anything.
  public var isInstalled: Bool { !events.isEmpty }

  /// Removes the handler, whose closure is freed.
  ///
  /// No call begins afterwards on this thread; on another one may have begun before.
  ///
  /// - Returns: False if it had been removed before, or its object has died.
  @discardableResult
  public func remove() -> Bool { list?.remove(self) ?? false }
}

extension EventHandler: CustomStringConvertible {
  /// What the handler is for now, or that it is removed.
  public var description: String {
    let events = events
    return events.isEmpty ? "<handler, removed>" : "<handler of \(events)>"
  }
}
