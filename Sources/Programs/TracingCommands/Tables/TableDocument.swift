import CallTracing
import CommandOptionsAndResults
internal import SourceLocations

/// The tables of a trace as one JSON document, which `Docs/trace-tables.schema.json` describes.
///
/// Times are nanoseconds.
struct TableDocument {
  /// The version of the document, which changes where a member is removed or means something else.
  static let version = 1

  let counts: TraceCollector.Counts
  let time: TraceRun.Time
  let totals: TraceTotals.State
  let loads: [String: QueueLoad]
  let actors: [(actor: TracedActor, load: ActorLoad)]
  let unfinished: UnfinishedRows

  /// The titles of C functions whose calls were traced; code that is neither that of one, nor of a
  /// Swift function whose calls were counted, is that of blocks.
  let functions: Set<String>

  /// How often Swift functions were called whose calls were counted.
  let swiftCalls: [TracedName: UInt64]

  let order: TableOrder

  let locations: CodeLocations

  /// The document, on one line.
  var text: String {
    let cost = time.cost.map { cost in
      JSONValue.object([
        ("call", Self.number(cost.call)), ("submission", Self.number(cost.submission)),
      ])
    }
    return JSONValue.object([
      ("version", .integer(Self.version)),
      ("unix", Self.number(time.unix)),
      ("duration", Self.number(time.duration)),
      ("calls", .integer(counts.calls)),
      ("submissions", .integer(counts.submissions)),
      ("lost", .integer(counts.dropped)),
      ("cost", cost ?? .null),
      ("blocks", calls { !isFunction($0) }),
      ("functions", calls(isFunction)),
      (
        "swiftCalls",
        .array(
          SwiftCallTable.rows(swiftCalls, by: order).map { row in
            .object([
              ("name", .string(row.name.title)), ("shortName", .string(row.name.short)),
              ("image", .optional(row.name.image)), ("count", Self.number(row.count)),
            ])
          })
      ),
      ("queues", queues),
      ("waits", waits),
      ("actors", .array(actors.map(Self.actor))),
      ("tasks", tasks),
      ("longestWaits", records(totals.longestWaits)),
      ("longestRuns", records(totals.longestRuns)),
      ("unfinished", Self.rows(unfinished, locations)),
    ]).text + "\n"
  }

  /// What has not finished, alone.
  static func unfinished(_ rows: UnfinishedRows, _ locations: CodeLocations) -> JSONValue {
    .object([("version", .integer(version)), ("unfinished", self.rows(rows, locations))])
  }

  private static func rows(_ rows: UnfinishedRows, _ locations: CodeLocations) -> JSONValue {
    .array(rows.all.map { unfinished($0, locations) })
  }

  private func isFunction(_ name: TracedName) -> Bool {
    functions.contains(name.title) || swiftCalls[name] != nil
  }

  private func calls(_ isIncluded: (TracedName) -> Bool) -> JSONValue {
    let rows = totals.calls.all.filter { isIncluded($0.key) }
    return .array(
      order.sorted(rows, by: \.title).map { name, totals in
        .object(
          Self.members(of: name, locations) + Self.durations(totals.durations) + [
            ("own", Self.number(totals.own)), ("wait", .object(Self.durations(totals.waits))),
            ("notRun", .integer(totals.unstarted)),
          ])
      })
  }

  private var queues: JSONValue {
    .array(
      order.sorted(totals.queues.all, by: \.name).map { queue, totals in
        let load = loads[queue.name]
        let members: [JSONValue.Member] = [
          ("label", .string(queue.label)), ("ordinal", .integer(queue.ordinal)),
          ("serial", queue.isSerial.map(JSONValue.bool) ?? .null),
        ]
        return .object(
          members + Self.durations(totals.durations) + [
            ("wait", .object(Self.durations(totals.waits))),
            ("notRun", .integer(totals.unstarted)), ("deepest", .optional(load?.deepest)),
            ("mostAtOnce", .optional(load?.mostAtOnce)),
          ])
      })
  }

  private static func actor(_ actor: TracedActor, _ load: ActorLoad) -> JSONValue {
    func times(_ times: ActorLoad.Times) -> JSONValue {
      .object([
        ("count", .integer(times.count)), ("total", number(times.total)),
        ("longest", number(times.longest)),
      ])
    }
    return .object([
      ("type", .string(actor.type)), ("address", .string("0x" + String(actor.address, radix: 16))),
      ("runs", times(load.runs)), ("waits", times(load.waits)),
      ("deepest", .integer(load.deepest)),
    ])
  }

  private var waits: JSONValue {
    .array(
      order.sorted(totals.waits.all, by: \.function).map { wait, totals in
        let members: [JSONValue.Member] =
          [
            ("function", .string(wait.function)),
            ("queue", wait.queue.isEmpty ? .null : .string(wait.queue)),
            ("caller", wait.caller.isEmpty ? .null : .string(wait.caller)),
          ] + Self.members(of: totals.place.value, locations)
        return .object(members + Self.durations(totals.durations))
      })
  }

  private var tasks: JSONValue {
    .array(
      order.sorted(totals.tasks.all, by: \.title).map { name, totals in
        let suspensions = totals.suspensions.all.sorted { $0.key.name < $1.key.name }
          .map { ($0.key.name, Self.number($0.value)) }
        return .object(
          Self.members(of: name, locations) + [
            ("tasks", .integer(totals.count)),
            ("taskNames", .array(totals.names.first.map { .string($0) })),
          ]
            + Self.durations(totals.parts) + [
              ("wait", .object(Self.durations(totals.waits))), ("suspended", .object(suspensions)),
            ])
      })
  }

  private func records(_ longest: Longest<TraceRecord>) -> JSONValue {
    .array(
      longest.all.map { record in
        let obstacle = record.obstacle.map { obstacle in
          JSONValue.object([
            ("calls", .optional(obstacle.callCount)),
            ("name", .string(obstacle.longest.title)),
            ("shortName", .optional(obstacle.longest.shortName)),
            ("duration", Self.number(obstacle.longestNanoseconds)),
            ("sender", .optional(obstacle.submission?.callers.first?.description)),
          ])
        }
        return .object(
          Self.members(of: TracedName(record.subject), locations) + [
            ("process", .integer(Int(record.process))), ("thread", .integer(Int(record.thread))),
            ("start", Self.number(record.startNanoseconds)),
            ("duration", Self.number(record.durationNanoseconds)),
            ("outcome", .string(record.outcome.name)),
            ("queue", .optional((record.submission?.queue ?? record.queue)?.name)),
            ("sender", .optional(record.callers.first?.description)),
            ("wait", Self.optional(record.waitedNanoseconds)), ("behind", obstacle ?? .null),
          ] + Self.members(of: record.task))
      })
  }

  private static func unfinished(
    _ row: UnfinishedRows.Row, _ locations: CodeLocations
  ) -> JSONValue {
    let record = row.record
    return .object(
      members(of: TracedName(record.subject), locations) + [
        ("count", .integer(row.count)), ("for", number(row.nanoseconds)),
        ("state", .string(record.state)),
        ("suspension", .optional(record.suspension?.name)),
        ("process", .integer(Int(record.process))), ("thread", .integer(Int(record.thread))),
        ("queue", .optional(record.target?.name)),
        ("in", .optional(row.outer.map { TracedName($0.subject).short })),
        ("from", record.source.isEmpty ? .null : .string(record.source)),
        ("behind", .optional(record.obstacle?.longest.shortName)),
      ] + members(of: record.task) + waits(of: row))
  }

  private static func waits(of row: UnfinishedRows.Row) -> [JSONValue.Member] {
    let (wait, actor) = (row.record.taskWait, row.record.actor)
    let functions = (wait?.functions ?? []).map { JSONValue.string($0.shortName ?? $0.description) }
    return [
      ("actor", .optional((wait?.actor ?? actor)?.description)),
      ("runBy", .optional(row.runner?.who)),
      ("awaited", wait?.task.map { .number(String($0.number)) } ?? .null),
      ("suspendedIn", .array(functions)),
      ("operation", .optional(wait?.operation?.description)),
      ("resumedBy", .optional(row.record.resumption?.words)),
    ]
  }

  private static func members(
    of name: TracedName, _ locations: CodeLocations
  ) -> [JSONValue.Member] {
    [
      ("name", .string(name.title)), ("shortName", .string(name.short)),
      ("image", .optional(name.image)), ("signature", .string(name.signature)),
    ] + members(of: name.place, locations)
  }

  private static func members(
    of code: CodePlace?, _ locations: CodeLocations
  ) -> [JSONValue.Member] {
    let location = locations.find(code)
    return [("file", .optional(location?.file)), ("line", .optional(location?.line))]
  }

  private static func members(of task: TracedTask?) -> [JSONValue.Member] {
    [
      ("task", task.map { .number(String($0.number)) } ?? .null),
      ("taskName", .optional(task?.name)),
    ]
  }

  private static func durations(_ durations: TraceHistogram) -> [JSONValue.Member] {
    [
      ("count", number(durations.count)), ("total", number(durations.total)),
      ("p50", optional(durations.percentile(50))), ("p99", optional(durations.percentile(99))),
      ("longest", optional(durations.maximum)),
    ]
  }

  private static func number(_ number: UInt64) -> JSONValue { .number(String(number)) }

  private static func optional(_ number: UInt64?) -> JSONValue {
    number.map { .number(String($0)) } ?? .null
  }
}
