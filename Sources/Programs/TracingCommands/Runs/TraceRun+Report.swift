import CallTracing
import CommandOptionsAndResults

// What is told of a run: tables while it goes on and at its end, and remarks on that.
extension TraceRun {
  /// The tables of the run so far, with what the trace cost.
  func tables(_ style: TextStyle) -> String {
    guard let totals else { return "" }
    let time = time
    let tables = totals.tables(
      by: order, queueLoads: collector.queueLoads, actorLoads: collector.actorLoads,
      lasting: time.duration, locations, style)
    guard !tables.isEmpty else { return "" }
    return tables + "\n" + style.faint(text(of: totals.rows, time)) + "\n"
  }

  /// The table of the Swift functions whose calls were counted.
  func countedCalls(_ style: TextStyle) -> String {
    SwiftCallTable.text(collector.countedCalls, by: order, style)
  }

  /// The tables of the run as a JSON document.
  func document(_ unfinished: UnfinishedRows) -> String {
    guard let totals else { return "" }
    return TableDocument(
      counts: collector.counts, time: time, totals: totals.rows, loads: collector.queueLoads,
      actors: collector.actorLoads.longest,
      unfinished: unfinished,
      functions: subject.functions, swiftCalls: collector.countedCalls, order: order,
      locations: locations
    ).text
  }

  /// What the trace has, by kinds as the tables count it, and what it cost.
  private func text(of rows: TraceTotals.State, _ time: Time) -> String {
    let counts = collector.counts
    let calls = rows.calls.all.map(\.value)
    let others = [
      (rows.waits.all.reduce(0) { $0 + Int($1.value.durations.count) }, "wait", ""),
      (rows.tasks.all.reduce(0) { $0 + Int($1.value.parts.count) }, "part", " of tasks"),
      (calls.reduce(0) { $0 + $1.unstarted }, "block", " not run"),
    ]
    let kinds =
      [calls.reduce(0) { $0 + Int($1.durations.count) }.of("call")]
      + others.filter { $0.0 > 0 }.map { $0.0.of($0.1) + $0.2 }
    let lost = counts.dropped == 0 ? "none lost" : "\(counts.dropped.of("call")) lost"
    let start =
      "the trace: \(kinds.joined(separator: ", ")); \(counts.submissions) sent to queues, \(lost)"
      + "; it lasted \(TableCells.seconds(time.duration)) s"
    guard let cost = time.cost else { return start }
    // A hop of a task is a record as a submission is.
    let total =
      UInt64(counts.calls) * cost.call
      + UInt64(counts.submissions + counts.hops) * cost.submission
    return "\(start) and took the program about \(TableCells.milliseconds(total)) ms, "
      + "\(cost.call) ns a call and \(cost.submission) ns a submission on this machine"
  }

  /// Remarks for the user on the end of the run, each of them one line.
  func remarks(on end: TracedProcess.End) -> [String] {
    var remarks: [String] = []
    let open = collector.unfinishedRecords
    // A call rather than a wait, which ends no program.
    let inside = (open.last { $0.kind == .call } ?? open.last).map { innermost in
      let others = open.count - 1
      let task = innermost.task.map { ", \($0)" } ?? ""
      let words = "\(innermost)\(locations.suffix(innermost.subject.place))\(task)"
      return others > 0 ? "\(words) and \(others.of("other call"))" : words
    }
    if case .killed = end {
      let place = inside.map { "had not ended: \($0)" } ?? "no call was running"
      remarks.append("\(program.path) \(end.words); \(place)")
    } else if let inside {
      remarks.append("had not ended: \(inside)")
    }
    let counts = collector.counts
    if counts.running > 0 {
      let areRunning =
        counts.running == 1 ? "program still runs, and is" : "programs still run, and are"
      remarks.append("\(counts.running) \(areRunning) not traced any more")
    }
    if counts.dropped > 0 {
      let areMissing =
        counts.dropped == 1 ? "call found no room and is" : "calls found no room and are"
      remarks.append(
        "\(counts.dropped) \(areMissing) missing; give a larger --buffer, or a filter")
    }
    if counts.missing > 0 {
      remarks.append(
        "\(counts.missing.of("record")) of submissions, actors and waits found no room, so tables lack "
          + "what they tell; give a larger --buffer, or a filter")
    }
    let lost = sinks.reduce(0) { $0 + $1.lostRecordCount }
    if lost > 0 { remarks.append("\(lost.of("call")) could not be written") }
    remarks += collector.errors.map(\.message)
    if let remark = locations.remark { remarks.append(remark) }
    if case .blocks = subject, control?.hasStarted != false {
      remarks += Set(collector.refusals.map { "not traced: \($0.message)" }).sorted()
    }
    if let control, !control.hasStarted {
      remarks.append("nothing was traced: hook-demo tell was not asked to start")
    } else if case .blocks(_, _, let patterns) = subject, !patterns.isEmpty,
      collector.countedCalls.isEmpty
    {
      remarks.append(
        "no call of \(patterns.joined(separator: ", ")) was counted: the program called none, or "
          + "is not built with -Xswiftc -Xfrontend -Xswiftc -enable-implicit-dynamic")
    } else if counts.calls == 0, collector.countedCalls.isEmpty {
      remarks.append(subject.remarkOnNothing)
      if case .blocks(areFiltered: false, _, _) = subject, let doubt = program.doubt {
        remarks.append(doubt)
      }
    }
    return remarks
  }
}
