import Synchronization

/// A list of the values that handlers saw, in order, from any thread.
final class Recorder<Entry: Sendable>: Sendable {
  private let list = Mutex<[Entry]>([])

  /// Adds an entry.
  func record(_ entry: Entry) { list.withLock { $0.append(entry) } }

  /// All entries so far.
  var entries: [Entry] { list.withLock { $0 } }
}
