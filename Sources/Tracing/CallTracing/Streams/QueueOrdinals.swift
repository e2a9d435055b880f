/// Tells the queues of a stream apart that have one label.
///
/// A queue is known by its address until another one is created there.
struct QueueOrdinals {
  private struct Place {
    let label: String
    let ordinal: Int
  }

  private var places: [UInt64: Place] = [:]

  /// How many queues have a label.
  private var counts: [String: Int] = [:]

  /// Further queues are not told apart: a damaged stream may have any number.
  private static let limit = 1 << 17

  /// What the labels take of the limit: one, or more if they are long.
  private var weight = 0

  /// The ordinal of a queue.
  ///
  /// - Parameters:
  ///   - label: Its label.
  ///   - address: Its address.
  ///   - isCreated: Whether it was just created.
  /// - Returns: The ordinal among those with the label, from 1.
  mutating func ordinal(of label: String, at address: UInt64, isCreated: Bool) -> Int {
    // Several threads may describe a queue at once.
    if !isCreated, let known = places[address], known.label == label { return known.ordinal }
    guard weight < Self.limit else { return 1 }
    let ordinal = min(counts[label, default: 0] + 1, TracedQueue.lastOrdinal)
    let isNew = counts.updateValue(ordinal, forKey: label) == nil
    let former = places.updateValue(Place(label: label, ordinal: ordinal), forKey: address)
    let added = TraceStreamFormat.weight(of: label)
    weight +=
      (isNew ? 2 * added : added) - (former.map { TraceStreamFormat.weight(of: $0.label) } ?? 0)
    return ordinal
  }
}
