private import Synchronization

/// What handlers saw, in order, from any thread.
public final class Recorder<Entry: Sendable>: Sendable {
  private let list = Mutex<[Entry]>([])

  /// Creates an empty record.
  public init() {}

  /// Adds an entry.
  public func record(_ entry: Entry) { list.withLock { $0.append(entry) } }

  /// All entries so far.
  public var entries: [Entry] { list.withLock { $0 } }
}
