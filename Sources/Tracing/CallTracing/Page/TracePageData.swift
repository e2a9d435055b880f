/// The data of a page while it is gathered: columns of packed numbers, and each text once.
struct TracePageData {
  private typealias Tables = TracePageTables

  private let title: String
  private let callLimit: Int
  private let textByteLimit: Int
  private let wallClockAtZero: UInt64?

  private var texts = NumberedValues<String>()
  private var lists = NumberedValues<[Int32]>()
  private var subjects = NumberedValues<Tables.Subject>()
  private var processes = NumberedValues<Int32>()
  private var processNames: [String] = []
  private var lanes = NumberedValues<Tables.Lane>()
  private var laneNames: [String] = []
  private var queues = NumberedValues<Tables.Queue>()

  /// The queues as they were described last.
  private var queueDetails: [TracedQueue] = []
  private var sendings = NumberedValues<Tables.Sending>()
  private var tasks = NumberedValues<Tables.Task>()

  /// The tasks as they were described last.
  private var taskDetails: [TracedTask] = []
  private var endings = NumberedValues<Tables.Ending>()

  private var columns = Columns()

  /// One number for each call: times in nanoseconds, numbers of the tables, -1 for none.
  private struct Columns {
    /// Starts, from the first call's.
    var start = PackedNumbers()
    var duration = PackedNumbers()
    var sequence = PackedNumbers()
    var depth = PackedNumbers()
    var lane = PackedNumbers()
    var subject = PackedNumbers()
    var arguments = PackedNumbers()
    var result = PackedNumbers()
    var ending = PackedNumbers()
    var queue = PackedNumbers()
    var sending = PackedNumbers()

    /// The lane of the thread that sent the block.
    var sender = PackedNumbers()
    var waited = PackedNumbers()
    var task = PackedNumbers()

    /// The callers of what was not sent to a queue.
    var callers = PackedNumbers()
  }

  /// The start of the first call; nil before it.
  private var origin: UInt64?

  /// The total size of the texts in bytes.
  private var textByteCount = 0

  init(title: String, callLimit: Int, textByteLimit: Int, wallClockAtZero: UInt64?) {
    self.title = title
    self.callLimit = callLimit
    self.textByteLimit = textByteLimit
    self.wallClockAtZero = wallClockAtZero
  }

  /// The number of stored calls.
  var callCount: Int { columns.start.count }

  /// How many more calls may be stored.
  var room: Int { textByteCount < textByteLimit ? max(0, callLimit - callCount) : 0 }

  // MARK: - Gathering

  /// Adds a call, for which there must be room.
  mutating func append(_ call: TracedCall) {
    let record = call.record
    let first = origin ?? record.startNanoseconds
    origin = first
    columns.start.append(Int64(truncatingIfNeeded: record.startNanoseconds &- first))
    columns.duration.append(record.durationNanoseconds)
    columns.sequence.append(record.sequence)
    columns.depth.append(record.depth)
    columns.lane.append(lane(of: call))
    let subject = Tables.Subject(process: call.process, name: TracedName(record.subject))
    let row = subjects.number(of: subject)
    if row.isNew { textByteCount += record.subject.textBytes }
    columns.subject.append(row.number)
    columns.arguments.append(list(of: call.arguments))
    columns.result.append(call.result.map { number(of: $0) } ?? -1)
    columns.ending.append(ending(of: call))
    appendDispatch(of: record, in: call.process)
  }

  private mutating func appendDispatch(of record: TraceRecord, in process: Int32) {
    columns.queue.append(record.queue.map { number(of: $0, in: process) } ?? -1)
    columns.waited.append(record.waitedNanoseconds.map { Int64(clamping: $0) } ?? -1)
    columns.task.append(record.task.map { number(of: $0, in: process) } ?? -1)
    let isCalled = record.submission == nil && !record.callers.isEmpty
    columns.callers.append(isCalled ? list(of: record.callers.map(\.shortTitle)) : -1)
    guard let submission = record.submission else {
      columns.sending.append(-1)
      columns.sender.append(-1)
      return
    }
    let sending = Tables.Sending(
      queue: submission.queue.map { number(of: $0, in: process) } ?? -1,
      function: submission.function,
      callers: list(of: submission.callers.map(\.shortTitle)), isDelayed: submission.isDelayed)
    columns.sending.append(sendings.number(of: sending).number)
    let sender = Tables.Lane(process: process, thread: submission.thread)
    let lane = lanes.number(of: sender)
    if lane.isNew { laneNames.append("") }
    columns.sender.append(lane.number)
  }

  private mutating func lane(of call: TracedCall) -> Int32 {
    if processes.number(of: call.process).isNew {
      processNames.append(call.record.processName ?? comm("/proc/self/comm") ?? "process")
    }
    let lane = lanes.number(of: Tables.Lane(process: call.process, thread: call.record.thread))
    if lane.isNew {
      laneNames.append("")
    }
    // Before, the thread may only have sent blocks.
    if laneNames[Int(lane.number)].isEmpty {
      let name = call.record.nameOfThread
      laneNames[Int(lane.number)] = name
      textByteCount += name.utf8.count
    }
    return lane.number
  }

  private mutating func ending(of call: TracedCall) -> Int32 {
    var error: Int32 = -1
    if case .threw(let text) = call.outcome { error = number(of: text) }
    let ending = Tables.Ending(
      outcome: call.outcome.name, error: error, isWait: call.record.kind == .wait,
      isPart: call.record.isPartOfTask, suspension: call.record.suspension?.name)
    return endings.number(of: ending).number
  }

  private mutating func number(of queue: TracedQueue, in process: Int32) -> Int32 {
    let key = Tables.Queue(process: process, name: queue.name, isSerial: queue.isSerial)
    let (number, isNew) = queues.number(of: key)
    if isNew || queueDetails[Int(number)] !== queue { textByteCount += queue.textBytes }
    if isNew { queueDetails.append(queue) } else { queueDetails[Int(number)] = queue }
    return number
  }

  private mutating func number(of task: TracedTask, in process: Int32) -> Int32 {
    let (number, isNew) = tasks.number(of: Tables.Task(process: process, number: task.number))
    if isNew || taskDetails[Int(number)] !== task { textByteCount += task.textBytes }
    if isNew { taskDetails.append(task) } else { taskDetails[Int(number)] = task }
    return number
  }

  private mutating func list(of texts: [String]) -> Int32 {
    let numbers = texts.map { number(of: $0) }
    return lists.number(of: numbers).number
  }

  private mutating func number(of text: String) -> Int32 {
    let (number, isNew) = texts.number(of: text)
    if isNew { textByteCount += text.utf8.count }
    return number
  }

  // MARK: - Writing

  /// Appends the data as a JSON document.
  func append(unshownCount: Int, to text: inout TraceText) {
    var rest = self
    // The last texts: those of the creators of tasks.
    let creators = taskDetails.map { rest.list(of: $0.creators.map(\.shortTitle)) }
    rest.append(unshownCount: unshownCount, creators, to: &text)
  }

  private func append(unshownCount: Int, _ creators: [Int32], to text: inout TraceText) {
    text.append(members: [
      ("title", { $0.append(json: title) }),
      ("unix", { $0.append(json: wallClockAtZero.map { $0 &+ (origin ?? 0) }) }),
      ("unshown", { $0.append(unshownCount) }),
      ("texts", { $0.append(json: texts.values) }),
      ("lists", { appendLists(to: &$0) }),
      ("subjects", { $0.append(list: subjects.values) { Self.append($1, to: &$0) } }),
      ("processes", { appendProcesses(to: &$0) }),
      ("lanes", { $0.append(list: zip(lanes.values, laneNames)) { Self.append($1, to: &$0) } }),
      (
        "queues", { $0.append(list: zip(queues.values, queueDetails)) { Self.append($1, to: &$0) } }
      ),
      ("sendings", { $0.append(list: sendings.values) { Self.append($1, to: &$0) } }),
      (
        "tasks",
        {
          $0.append(list: zip(zip(tasks.values, taskDetails), creators)) { text, task in
            Self.append(task.0.0, task.0.1, creators: task.1, to: &text)
          }
        }
      ),
      ("endings", { $0.append(list: endings.values) { Self.append($1, to: &$0) } }),
      ("count", { $0.append(callCount) }),
      ("calls", { appendCalls(to: &$0) }),
    ])
  }

  private func appendProcesses(to text: inout TraceText) {
    text.append(list: zip(processes.values, processNames)) { text, process in
      text.append(members: [
        ("number", { $0.append(process.0) }), ("name", { $0.append(json: process.1) }),
      ])
    }
  }

  /// Appends the lists of texts as two columns: where each ends, and the texts of all.
  private func appendLists(to text: inout TraceText) {
    var (ends, numbers) = (PackedNumbers(), PackedNumbers())
    for list in lists.values {
      for number in list { numbers.append(number) }
      ends.append(numbers.count)
    }
    text.append(members: [
      ("count", { $0.append(ends.count) }), ("ends", { $0.append(base64: ends.packed) }),
      ("total", { $0.append(numbers.count) }), ("texts", { $0.append(base64: numbers.packed) }),
    ])
  }

  private func appendCalls(to text: inout TraceText) {
    let all: [(StaticString, PackedNumbers)] = [
      ("start", columns.start), ("duration", columns.duration), ("sequence", columns.sequence),
      ("depth", columns.depth), ("lane", columns.lane), ("subject", columns.subject),
      ("arguments", columns.arguments), ("result", columns.result), ("ending", columns.ending),
      ("queue", columns.queue), ("sending", columns.sending), ("sender", columns.sender),
      ("waited", columns.waited), ("task", columns.task), ("callers", columns.callers),
    ]
    text.append(
      members: all.map { name, numbers in (name, { $0.append(base64: numbers.packed) }) })
  }
}

/// One call as the page shows it, with its texts rendered.
struct TracedCall {
  let record: TraceRecord
  let process: Int32
  let arguments: [String]
  let result: String?
  let outcome: TraceRecord.Outcome

  init(_ record: TraceRecord) {
    self.record = record
    process = record.process
    arguments = record.arguments
    result = record.result
    outcome = record.outcome
  }
}
