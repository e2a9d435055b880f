#if Database
internal import Foundation

/// The statistics of a database: of this process since it was opened, and of the file.
public struct MemoDatabaseStatistics: Hashable, Sendable {
  /// How many results were found that were not in memory.
  public internal(set) var hits = 0

  /// How many results were looked for and not found, or had expired.
  public internal(set) var misses = 0

  /// How many results this process has written.
  public internal(set) var written = 0

  /// How many results this process has removed because of the limits of count and cost.
  public internal(set) var evictions = 0

  /// How many results this process has removed because of the limit of age.
  public internal(set) var expirations = 0

  /// How many rows were found whose checksum does not fit, or that cannot be read.
  public internal(set) var damaged = 0

  /// How many results were not stored: they cannot be coded, cost more than the limit, were lost to
  /// a failure, or another process removed results while they were computed.
  public internal(set) var skipped = 0

  /// How many times the file could not be read or written.
  public internal(set) var failures = 0

  /// How many results are in the file; 0 if it cannot be read.
  public internal(set) var count = 0

  /// The total cost of the results in the file.
  public internal(set) var totalCost = 0
}

extension ErrorCode {
  /// A file of results that cannot be opened, read or written.
  public static let databaseFailed = ErrorCode(rawValue: "databaseFailed")

  /// A file that is no database of results.
  public static let foreignDatabase = ErrorCode(rawValue: "foreignDatabase")

  /// A file of results that a newer version of the library has made.
  public static let newerDatabase = ErrorCode(rawValue: "newerDatabase")
}
#endif
