internal import BlockRuntimeThreads
public import IsolatedClosures
private import Synchronization

/// The token of one event handler.
///
/// Dropping the token does not remove the handler, which stays until it is removed or its object
/// dies.
public final class EventHandler: Removable {
  typealias Body = @Sendable (AnyObject, EventMask) -> Void

  private weak let list: EventList?

  /// The handler's place in the order of the list: later handlers have higher numbers.
  let number: Int

  /// The handler's events; written under the list's lock.
  private let mask: Atomic<UInt64>

  init(_ list: EventList, _ number: Int, for events: EventMask) {
    self.list = list
    self.number = number
    mask = Atomic(events.rawValue)
  }

  /// The handler's events; none after it was removed or its object has died.
  public var events: EventMask { list == nil ? [] : storedEvents }

  /// The handler's events, regardless of whether the list is alive.
  var storedEvents: EventMask { EventMask(rawValue: mask.load(ordering: .acquiring)) }

  /// Removes events from the handler; called under the list's lock.
  func take(_ events: EventMask) {
    mask.store(storedEvents.subtracting(events).rawValue, ordering: .releasing)
  }

  /// Whether the handler has any events.
  public var isInstalled: Bool { !events.isEmpty }

  /// Removes the handler and releases its closure.
  ///
  /// Afterwards this thread begins no call of the handler; another thread may still begin a call
  /// for a send in progress.
  ///
  /// - Returns: False if the handler was removed before, or its object has died.
  @discardableResult
  public func remove() -> Bool { list?.remove(self) ?? false }
}

extension EventHandler: CustomStringConvertible {
  /// The handler's events, or "removed".
  public var description: String {
    let events = events
    return events.isEmpty ? "<handler, removed>" : "<handler of \(events)>"
  }
}

extension EventHandler: ReferenceTable {}
