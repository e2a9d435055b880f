import CallTracing

/// Why a task is suspended, and in which functions, in words.
enum TaskWaitText {
  static func words(_ row: UnfinishedRows.Row) -> String {
    let record = row.record
    let place = record.taskWait?.place(in: record.subject) ?? ""
    return reason(row) + (place.isEmpty ? "" : " " + place)
      + (record.resumption.map { ", resumed by \($0.words)" } ?? "")
  }

  private static func reason(_ row: UnfinishedRows.Row) -> String {
    let wait = row.record.taskWait
    switch row.record.suspension {
    case .executor:
      guard let actor = wait?.actor else { return "waits for an actor or executor" }
      return "waits for \(actor)" + (row.runner.map { ", which runs \($0.who)" } ?? "")
    case .task: return "suspended, awaits " + (wait?.task.map(\.description) ?? "a task")
    case .group, .continuation:
      return "suspended, awaits \(row.record.suspension?.words ?? "")"
    case .suspended, .left, .replaced, nil: return "suspended"
    }
  }
}
