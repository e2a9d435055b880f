import CallTracing

/// The records with the largest numbers, such as durations, the largest first.
struct LongestRecords {
  /// The records.
  private(set) var records: [TraceRecord] = []

  private let number: @Sendable (TraceRecord) -> UInt64?

  /// Only larger numbers are among the largest.
  private var bound: UInt64 = 0

  private static let limit = 10

  /// - Parameter number: The number of a record; nil if it is none of those.
  init(_ number: @escaping @Sendable (TraceRecord) -> UInt64?) { self.number = number }

  mutating func add(_ record: TraceRecord) {
    guard let number = number(record), number > bound else { return }
    let place = records.firstIndex { (self.number($0) ?? 0) < number } ?? records.count
    records.insert(record, at: place)
    guard records.count > Self.limit else { return }
    records.removeLast()
    bound = records.last.flatMap(self.number) ?? bound
  }

  /// The records whose numbers are at least as large as one.
  func records(above number: UInt64) -> [TraceRecord] {
    records.filter { (self.number($0) ?? 0) >= number }
  }
}
