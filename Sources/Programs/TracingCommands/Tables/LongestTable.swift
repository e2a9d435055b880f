import CallTracing
import CommandOptionsAndResults

/// The single calls that waited or ran longest: where, who sent them, and what they waited behind.
enum LongestTable {
  private static let rowLimit = 5

  /// Shorter times are not worth a line.
  private static let least: UInt64 = 1_000_000

  static func text(
    _ longest: Longest<TraceRecord>, _ title: String, _ locations: CodeLocations, _ style: TextStyle
  ) -> String {
    var table = TextTable(headings: ["waited ms", "ran ms", title])
    let records = longest.above(least).prefix(rowLimit)
    guard !records.isEmpty else { return "" }
    for record in records {
      table.append([
        record.submission?.isDelayed == true
          ? "" : record.waitedNanoseconds.map(TableCells.milliseconds) ?? "",
        record.hasStarted ? TableCells.milliseconds(record.durationNanoseconds) : "not run",
        words(of: record, locations),
      ])
    }
    return table.text(style: style)
  }

  private static func words(of record: TraceRecord, _ locations: CodeLocations) -> String {
    var words = TracedName(record.subject).short + locations.suffix(record.subject.place)
    if let queue = record.submission?.queue ?? record.queue, !queue.name.isEmpty {
      words += " on \(queue.name)"
    }
    if let task = record.task {
      words += ", \(task)"
      if let creator = task.creators.first, let name = creator.shortName {
        words += " created by \(name)\(locations.suffix(creator.place))"
      }
    }
    words +=
      record.submission == nil
      ? TableCells.caller(record, locations) : sender(record.submission, locations)
    if let obstacle = record.obstacle {
      let time = TableCells.milliseconds(obstacle.longestNanoseconds)
      let place = locations.suffix(obstacle.longest.place)
      let sender = sender(obstacle.submission, locations)
      words += ", behind \(obstacle.words("\(place) (\(time) ms\(sender))"))"
      words += record.inversionWords
    }
    return words
  }

  private static func sender(
    _ submission: TraceSubmission?, _ locations: CodeLocations
  ) -> String {
    let senders = locations.chain(submission?.callers ?? [])
    return senders.isEmpty ? "" : ", sent by \(senders)"
  }
}
