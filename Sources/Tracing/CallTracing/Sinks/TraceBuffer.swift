private import BlockRuntimeThreads

/// Totals over the records of one subject.
public struct TraceStatistics: Sendable {
  /// The code that was called.
  public let subject: TraceSubject

  /// The durations of the calls: their number, sum, extremes and percentiles.
  public internal(set) var durations = TraceHistogram()

  /// How many calls a hook replaced.
  public internal(set) var replacedCount = 0

  /// How many calls threw.
  public internal(set) var threwCount = 0

  /// How many calls had not ended; their durations are those observed so far.
  public internal(set) var unfinishedCount = 0

  /// How many blocks were sent to queues and did not run; they have no durations.
  public internal(set) var unstartedCount = 0

  mutating func add(_ record: TraceRecord) {
    guard record.hasStarted else {
      if record.outcome != .suspended { unstartedCount += 1 }
      return
    }
    durations.add(record.durationNanoseconds)
    switch record.outcome {
    case .returned, .pending, .cancelled, .suspended: break
    case .replaced: replacedCount += 1
    case .threw: threwCount += 1
    case .unfinished: unfinishedCount += 1
    }
  }
}

/// Stores the last records in memory, and the number and durations of calls for each subject.
///
/// It may be read at any time and from any thread; `Tracer.flush()` delivers pending records first.
public final class TraceBuffer: TraceSink {
  fileprivate struct State {
    var records: [TraceRecord] = []

    /// The index of the oldest record once the buffer is full.
    var oldest = 0
    var overwritten = 0
    var places: [TraceSubject: Int] = [:]
    var statistics: [TraceStatistics] = []
    var uncounted = 0

    /// The last subject's index; the next record usually has the same subject.
    var last = 0
  }

  private let capacity: Int
  private let subjectLimit: Int
  private let state = Locked(State())

  /// Creates an empty buffer.
  ///
  /// - Parameters:
  ///   - capacity: The number of records to store, about 200 bytes each; 0 for statistics only.
  ///   - subjectLimit: The number of subjects with statistics, about 8 KiB each.
  public init(capacity: Int = 1024, subjectLimit: Int = 1024) {
    self.capacity = max(capacity, 0)
    self.subjectLimit = max(subjectLimit, 0)
  }

  /// Stores the records in place of the oldest ones.
  public func receive(_ records: [TraceRecord]) {
    state.withLock { state in
      for record in records { state.count(record, subjectLimit) }
      state.keep(records, capacity)
    }
  }

  /// The stored records, in the order in which their calls ended.
  public var records: [TraceRecord] {
    state.withLock { Array($0.records[$0.oldest...] + $0.records[..<$0.oldest]) }
  }

  /// How many records were replaced by later ones.
  public var overwrittenCount: Int { state.withLock { $0.overwritten } }

  /// How many records belong to subjects beyond the limit, and are in no statistics.
  public var uncountedCount: Int { state.withLock { $0.uncounted } }

  /// The statistics of each subject, including records that are no longer stored.
  public var statistics: [TraceStatistics] { state.withLock { $0.statistics } }

  /// Removes all records and statistics.
  public func removeAll() { state.exchange(State()) }
}

extension TraceBuffer.State {
  fileprivate mutating func keep(_ new: [TraceRecord], _ capacity: Int) {
    overwritten += max(records.count + new.count - capacity, 0)
    // Records that this batch itself overwrites are not copied.
    for record in new.suffix(capacity) {
      if records.count < capacity {
        records.append(record)
      } else {
        records[oldest] = record
        oldest = oldest + 1 == capacity ? 0 : oldest + 1
      }
    }
  }

  fileprivate mutating func count(_ record: TraceRecord, _ subjectLimit: Int) {
    let subject = record.subject
    if statistics.indices.contains(last), statistics[last].subject === subject {
      return statistics[last].add(record)
    }
    if let place = places[subject] {
      last = place
    } else if statistics.count < subjectLimit {
      last = statistics.count
      places[subject] = last
      statistics.append(TraceStatistics(subject: subject))
    } else {
      uncounted += 1
      return
    }
    statistics[last].add(record)
  }
}
