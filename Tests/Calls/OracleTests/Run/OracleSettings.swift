import Foundation

/// How much the oracles do, from the environment.
///
/// - `ORACLE_LONG=1`: the long mode, 20,000 types, 10,000 signatures and 5,000 declarations.
/// - `ORACLE_TYPES`, `ORACLE_SIGNATURES`, `ORACLE_DECLARATIONS`: counts of one's own.
/// - `ORACLE_TRACE=1`: says which signature is next, to find one that crashes.
/// - `ORACLE_SEED`: the seed of the first library; a failure prints its own library's.
enum OracleSettings {
  static let isTracing = ProcessInfo.processInfo.environment["ORACLE_TRACE"] == "1"
  static let isLong = ProcessInfo.processInfo.environment["ORACLE_LONG"] == "1"
  static let typeCount = number("ORACLE_TYPES") ?? (isLong ? 20_000 : 200)
  static let declarationCount = number("ORACLE_DECLARATIONS") ?? (isLong ? 5_000 : 500)
  static let signatureCount = number("ORACLE_SIGNATURES") ?? (isLong ? 10_000 : 300)

  /// Random in the long mode unless given, so that every run sees other types; always the same in
  /// the short one, so that it fails for no other reason than a change.
  static let seed =
    ProcessInfo.processInfo.environment["ORACLE_SEED"].flatMap(UInt64.init)
    ?? (isLong ? UInt64.random(in: 0..<1_000_000_000) : 7)

  /// The sizes and seeds of the libraries that together hold `count` of something.
  static func batches(of count: Int, limit: Int) -> [(count: Int, seed: UInt64)] {
    stride(from: 0, to: count, by: limit).enumerated().map { index, start in
      (min(limit, count - start), seed &+ UInt64(index))
    }
  }

  private static func number(_ name: String) -> Int? {
    ProcessInfo.processInfo.environment[name].flatMap(Int.init)
  }
}
