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
  private static let limit = 1 << 16

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
    guard places.count < Self.limit, counts.count < Self.limit else { return 1 }
    let ordinal = min(counts[label, default: 0] + 1, TracedQueue.lastOrdinal)
    counts[label] = ordinal
    places[address] = Place(label: label, ordinal: ordinal)
    return ordinal
  }
}
