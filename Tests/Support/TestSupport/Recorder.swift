private import Synchronization

/// A list to which handlers on any thread add entries.
public final class Recorder<Entry: Sendable>: Sendable {
  private let list = Mutex<[Entry]>([])

  /// Creates a recorder without entries.
  public init() {}

  /// Adds an entry.
  public func record(_ entry: Entry) { list.withLock { $0.append(entry) } }

  /// Removes all entries, and returns them.
  public func take() -> [Entry] {
    list.withLock { list in
      defer { list = [] }
      return list
    }
  }

  /// All entries so far.
  public var entries: [Entry] { list.withLock { $0 } }
}
