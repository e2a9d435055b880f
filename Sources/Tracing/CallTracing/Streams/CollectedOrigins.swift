/// The threads of a stream, by what their processes said of them.
struct CollectedOrigins {
  private let processName: String
  private var origins = RecentValues<TracedThread, TraceOrigin>(limit: limit) {
    TraceStreamFormat.weight(of: $0.threadName)
  }

  /// How many threads are known at once.
  static let limit = 1 << 16

  /// How many threads were forgotten.
  var forgottenCount: Int { origins.forgottenCount }

  /// - Parameter processName: The name of the process that created the stream.
  init(processName: String) { self.processName = processName }

  /// Notes the name of the thread of a record.
  mutating func name(_ head: TraceStreamFormat.Head, _ name: String) {
    origins[TracedThread(head)] = TraceOrigin(
      process: head.process, processName: processName, threadName: name)
  }

  /// The origin of what a record says.
  mutating func origin(of head: TraceStreamFormat.Head) -> TraceOrigin {
    if let known = origins[TracedThread(head)] { return known }
    let origin = TraceOrigin(process: head.process, processName: processName, threadName: nil)
    origins[TracedThread(head)] = origin
    return origin
  }
}
