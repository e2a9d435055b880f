/// The data of a page while it is gathered: columns of numbers, and each text once.
struct TracePageData {
  private let title: String
  private let callLimit: Int
  private let textByteLimit: Int

  private var texts = Table<String>()
  private var argumentLists = Table<[Int32]>()
  private var subjects = Table<TracedName>()
  private var lanes = Table<TraceLane>()
  private var laneNames: [String] = []

  private var starts: [UInt64] = []
  private var durations: [UInt64] = []
  private var sequences: [UInt64] = []
  private var depths: [Int32] = []

  /// Indices of lanes, subjects, argument lists and texts; -1 for none.
  private var callLanes: [Int32] = []
  private var callSubjects: [Int32] = []
  private var callArguments: [Int32] = []
  private var callResults: [Int32] = []
  private var callOutcomes: [Int32] = []
  private var callErrors: [Int32] = []

  /// The total size of the texts in bytes.
  private var textByteCount = 0

  init(title: String, callLimit: Int, textByteLimit: Int) {
    self.title = title
    self.callLimit = callLimit
    self.textByteLimit = textByteLimit
  }

  /// The number of stored calls.
  var callCount: Int { starts.count }

  /// How many more calls may be stored.
  var room: Int { textByteCount < textByteLimit ? max(0, callLimit - callCount) : 0 }

  /// Adds a call, for which there must be room.
  mutating func append(_ call: TracedCall) {
    let record = call.record
    starts.append(record.startNanoseconds)
    durations.append(record.durationNanoseconds)
    sequences.append(record.sequence)
    depths.append(Int32(clamping: record.depth))
    let lane = lanes.number(of: call.lane)
    if lane.isNew { laneNames.append(call.lane.name(record)) }
    callLanes.append(lane.number)
    callSubjects.append(subjects.number(of: TracedName(record.subject)).number)
    let arguments = call.arguments.map { number(of: $0) }
    callArguments.append(argumentLists.number(of: arguments).number)
    callResults.append(call.result.map { number(of: $0) } ?? -1)
    callOutcomes.append(number(of: call.outcome.name))
    if case .threw(let error) = call.outcome {
      callErrors.append(number(of: error))
    } else {
      callErrors.append(-1)
    }
  }

  private mutating func number(of text: String) -> Int32 {
    let (number, isNew) = texts.number(of: text)
    if isNew { textByteCount += text.utf8.count }
    return number
  }

  /// Appends the data as a JSON document; times are relative to the start of the first call.
  func append(unshownCount: Int, to text: inout TraceText) {
    text.append(#"{"title":"# as StaticString)
    text.append(json: title)
    text.append(#","unshown":"# as StaticString)
    text.append(unshownCount)
    text.append(#","texts":"# as StaticString)
    text.append(json: texts.values)
    text.append(#","lists":"# as StaticString)
    text.append(list: argumentLists.values) { $0.append(numbers: $1) }
    text.append(#","subjects":"# as StaticString)
    text.append(list: subjects.values) { text, subject in
      text.append(#"{"title":"# as StaticString)
      text.append(json: subject.title)
      text.append(#","name":"# as StaticString)
      text.append(json: subject.short)
      text.append(#","image":"# as StaticString)
      text.append(json: subject.image)
      text.append(#","signature":"# as StaticString)
      text.append(json: subject.signature)
      text.append("}" as StaticString)
    }
    text.append(#","lanes":"# as StaticString)
    text.append(list: zip(lanes.values, laneNames)) { text, lane in
      text.append(#"{"process":"# as StaticString)
      text.append(lane.0.process)
      text.append(#","thread":"# as StaticString)
      text.append(lane.0.thread)
      text.append(#","name":"# as StaticString)
      text.append(json: lane.1)
      text.append("}" as StaticString)
    }
    appendCalls(to: &text)
    text.append("}" as StaticString)
  }

  private func appendCalls(to text: inout TraceText) {
    let origin = starts.min() ?? 0
    text.append(#","calls":{"start":"# as StaticString)
    text.append(numbers: starts.lazy.map { $0 - origin })
    text.append(#","duration":"# as StaticString)
    text.append(numbers: durations)
    text.append(#","sequence":"# as StaticString)
    text.append(numbers: sequences)
    text.append(#","depth":"# as StaticString)
    text.append(numbers: depths)
    text.append(#","lane":"# as StaticString)
    text.append(numbers: callLanes)
    text.append(#","subject":"# as StaticString)
    text.append(numbers: callSubjects)
    text.append(#","arguments":"# as StaticString)
    text.append(numbers: callArguments)
    text.append(#","result":"# as StaticString)
    text.append(numbers: callResults)
    text.append(#","outcome":"# as StaticString)
    text.append(numbers: callOutcomes)
    text.append(#","error":"# as StaticString)
    text.append(numbers: callErrors)
    text.append("}" as StaticString)
  }
}

/// Distinct values, numbered in the order of their first occurrence.
private struct Table<Value: Hashable> {
  private(set) var values: [Value] = []
  private var numbers: [Value: Int32] = [:]

  mutating func number(of value: Value) -> (number: Int32, isNew: Bool) {
    if let number = numbers[value] { return (number, false) }
    let number = Int32(clamping: values.count)
    numbers[value] = number
    values.append(value)
    return (number, true)
  }
}

extension TraceText {
  /// Appends a JSON array of numbers.
  fileprivate mutating func append(numbers: some Sequence<some FixedWidthInteger>) {
    append(list: numbers) { $0.append($1) }
  }

  /// Appends a JSON array of elements that `render` appends.
  fileprivate mutating func append<Element>(
    list: some Sequence<Element>, _ render: (inout TraceText, Element) -> Void
  ) {
    append("[" as StaticString)
    var isFirst = true
    for element in list {
      if !isFirst { append("," as StaticString) }
      isFirst = false
      render(&self, element)
    }
    append("]" as StaticString)
  }
}

/// One call as the page shows it, with its texts rendered.
struct TracedCall {
  let record: TraceRecord
  let lane: TraceLane
  let arguments: [String]
  let result: String?
  let outcome: TraceRecord.Outcome

  init(_ record: TraceRecord) {
    self.record = record
    lane = TraceLane(record)
    arguments = record.arguments
    result = record.result
    outcome = record.outcome
  }
}

/// The thread that a lane of the page stands for.
struct TraceLane: Hashable {
  let process: Int32
  let thread: Int32

  init(_ record: TraceRecord) {
    process = record.process
    thread = record.thread
  }

  /// The lane's heading.
  func name(_ record: TraceRecord) -> String { record.nameOfThread }
}
