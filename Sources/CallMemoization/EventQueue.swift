/// The births of a table's entries, in their order.
///
/// Adding and removing take amortised constant time: events removed from the front stay in the
/// array until they are half of it.
struct EventQueue {
  /// The birth of the entry in a slot; it is void if the slot has another stamp.
  struct Event {
    let slot: Int
    let stamp: UInt64
  }

  private var events: ContiguousArray<Event> = []
  private var head = 0

  var count: Int { events.count - head }

  var first: Event? { head < events.count ? events[head] : nil }

  mutating func append(_ event: Event) { events.append(event) }

  /// Removes the first event, if there is one.
  @discardableResult
  mutating func popFirst() -> Event? {
    guard let first else { return nil }
    head += 1
    if 2 * head >= events.count {
      events.removeSubrange(..<head)
      head = 0
    }
    return first
  }

  /// Removes the events that a predicate chooses.
  mutating func removeAll(where isChosen: (Event) -> Bool) {
    events.removeSubrange(..<head)
    head = 0
    events.removeAll(where: isChosen)
  }
}
