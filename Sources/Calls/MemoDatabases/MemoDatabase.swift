#if Database
private import BlockRuntimeThreads
@_exported public import CallMemoization
private import Invocations

/// A file with results of memoized blocks, which survive the process.
///
/// `.memoizing(in:named:)` stores the results of calls in it, behind those in memory:
///
/// ```swift
/// let database = try MemoDatabase(at: "/var/cache/app/results.sqlite")
/// let memo = try thumbnail.install(
///   .memoizing(in: database, named: "thumbnails", version: 2))
/// ```
///
/// All functions may be called from any thread. Results are written after the calls, by a queue of
/// the database's own, several in one transaction; ``flush()`` waits for the queue. Several
/// processes may have the file open at once: each finds what the others have written, and the
/// limits hold for all results together. Open it after `fork`, and not on a network file system.
///
/// A process that crashes, or is killed, loses at most the last ``maximumUnwritten`` results, and a
/// power failure also those of the last seconds; the file stays whole, and no result is ever wrong:
/// each row has a checksum, and a row whose checksum does not fit is a miss. A failure after the
/// opening fails no call: the block runs, and the failure is counted in ``statistics`` and reported
/// once.
public final class MemoDatabase: Sendable {
  /// The largest number of results that calls have returned, and that are not written yet.
  ///
  /// A call with one more result waits until the others are written.
  public static let maximumUnwritten = 2 * PendingChanges.capacity

  /// The largest number of bytes that these results and their keys have in memory.
  ///
  /// A call with more bytes waits, too. A result that exceeds half of the number is written alone,
  /// so two such results may exceed the number.
  public static let maximumUnwrittenBytes = 2 * PendingChanges.byteCapacity

  /// The file's path, which is absolute.
  public let path: String

  /// The bounds of the stored results.
  public let limits: MemoLimits

  let writer: Writer

  /// Opens a file, or creates it.
  ///
  /// - Parameters:
  ///   - path: The path of the file, in a directory that exists; a relative one is that of this
  ///     moment. SQLite has two more files beside it while it is open. Files that are made may be
  ///     read and written by their owner only. If another file comes to be at the path, nothing is
  ///     read from it or written to it, and reading fails.
  ///   - limits: The bounds of the results of all blocks in the file. The least recently used
  ///     results go first; a use is one that reads the file, not one that is answered from memory.
  ///     The age is that by the system's time of day; results from its future have expired, too.
  ///   - onFailure: Receives the first failure after the opening, on a thread of a dispatch queue,
  ///     without a lock held. Writes to standard error if not given.
  /// - Throws: `invalidLimit`; `databaseFailed` if the file cannot be opened or written, is no
  ///   regular file or has another hard link, also if other processes keep it locked for five
  ///   seconds altogether; `foreignDatabase` if it is no database, another program's, or has other
  ///   tables than this library makes; `newerDatabase` if a newer version of this library made it.
  public convenience init(
    at path: String, limits: MemoLimits = MemoLimits(count: 10_000),
    onFailure: @escaping @Sendable (MemoizationError) -> Void = { reportHandlerError($0) }
  ) throws(MemoizationError) {
    try self.init(
      at: path, limits: limits, patience: 5, time: systemTime, onFailure: onFailure)
  }

  /// Opens a file with another clock, in nanoseconds since 1970, and with a time in seconds to wait
  /// for other processes.
  package init(
    at path: String, limits: MemoLimits, patience: Double, time: @escaping @Sendable () -> Int64,
    onFailure: @escaping @Sendable (MemoizationError) -> Void
  ) throws(MemoizationError) {
    try limits.validate()
    self.limits = limits
    let file = try ReentrancyGuard.ignoringThread { () throws(MemoizationError) in
      try ResultFile(at: path, patience: patience)
    }
    self.path = file.path
    writer = Writer(file, limits, time, onFailure)
  }

  /// Waits until the results of all calls that have returned are written, or have failed to be.
  public func flush() { writer.flush() }

  /// Removes the results of a key from the file, and from the memory of this process.
  ///
  /// Other processes find the result no more in the file, and keep what they have in memory.
  ///
  /// - Parameters:
  ///   - key: The key that the caller's `key` made; a key of another type is another key.
  ///   - name: The name of the blocks; results of all their versions are removed.
  /// - Returns: Whether there was a result in the file.
  @discardableResult
  public func remove<Key: Codable & Hashable & Sendable>(key: Key, named name: String) -> Bool {
    let name = Array(name.utf8)
    // A key that has no bytes is in memory only.
    let keys = MemoKeyCoding().code(key).map { bytes in
      writer.scopes(named: name).filter { $0.contains(TypeName.lasting(Key.self)) }
        .map { RowKey(scope: $0, key: bytes) }
    }
    let isRemoved = writer.remove(keys ?? []) > 0
    for memory in writer.memories(of: .name(name)) { memory.forget(key: AnyHashable(key)) }
    return isRemoved
  }

  /// Removes results from the file, and from the memory of this process.
  ///
  /// If the file cannot be written, they are not found by this process any more, and removed as
  /// soon as it can. If more than a thousand removals wait for that, all results of their blocks,
  /// or of all blocks, are removed.
  ///
  /// - Parameter name: The name of the blocks whose results are removed; nil for all results.
  public func removeAll(named name: String? = nil) {
    let clearing = name.map { Writer.Clearing.name(Array($0.utf8)) } ?? .everything
    writer.clear(clearing)
    for memory in writer.memories(of: clearing) { memory.forgetAll() }
  }

  /// The statistics at one moment.
  public var statistics: MemoDatabaseStatistics { writer.statistics }
}

extension MemoDatabase: CustomStringConvertible {
  /// The path and the number of results.
  public var description: String { "\(path): results \(statistics.count)" }
}
#endif
